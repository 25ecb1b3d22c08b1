"""`topofinder warm`: compile all kernels now."""

from typing import Annotated

import typer

from topofinder.cli.options import JsonOption, QuietOption


def warm(
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Workers; -1 for all cores.")] = -1,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Compile the kernels of all commands now, so that no later command has to.

    The cache is where NUMBA_CACHE_DIR says, else beside the code, and can be copied to machines of
    the same kind; see docs/first-use.md. What was compiled stays when it is interrupted.
    """
    from topofinder.api.warm import warm as compile_kernels
    from topofinder.cli.bar import size_progress
    from topofinder.compilation import announcer

    announcer.tell = None  # it is what was asked for
    with size_progress(0, quiet or json, "kernels") as tell:
        found = compile_kernels(jobs=jobs, progress=tell)
    print(found.to_json() if json else found)
