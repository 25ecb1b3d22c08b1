"""`topofinder sweep`: all frontiers of a range of sizes."""

import sys
from typing import Annotated

import typer

from topofinder.cli.bar import size_progress
from topofinder.cli.options import (
    DEFAULT_DATABASE,
    BackendOption,
    DatabaseOption,
    EffortOption,
    LinksOption,
    QuietOption,
    SchedulerOption,
    size_pairs,
)
from topofinder.model.candidate import LinkMode


def sweep(
    n: Annotated[str, typer.Option("--n", help="Numbers of hosts, such as 2:2000.")],
    d: Annotated[str, typer.Option("--d", help="Ports of each host, such as 2,4,8,16.")],
    links: LinksOption = LinkMode.SIMPLEX,
    db: DatabaseOption = DEFAULT_DATABASE,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Workers; -1 for all cores.")] = -1,
    effort: EffortOption = 0,
    time: Annotated[
        str | None,
        typer.Option("--time", metavar="TIME", help="End after so long, such as 5min."),
    ] = None,
    backend: BackendOption = None,
    scheduler: SchedulerOption = None,
    quiet: QuietOption = False,
) -> None:
    """Find and store the frontiers of many sizes; started again, it goes on where it was."""
    from topofinder.api.sweep import sweep as fill

    sizes = size_pairs(n, d)
    with size_progress(len(sizes), quiet) as tell:
        done = fill(
            sizes, links, db,
            jobs=jobs, progress=tell, effort=effort, time=time,
            backend=backend, scheduler=scheduler,
        )  # fmt: skip
    if not quiet:
        print(done, file=sys.stderr)
