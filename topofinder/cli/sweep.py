"""`topofinder sweep`: all frontiers of a range of sizes."""

import sys
from typing import Annotated

import typer

from topofinder.cli.options import (
    DEFAULT_DATABASE,
    DatabaseOption,
    LinksOption,
    QuietOption,
    size_pairs,
)
from topofinder.model.candidate import LinkMode


def sweep(
    n: Annotated[str, typer.Option("--n", help="Numbers of hosts, such as 2:2000.")],
    d: Annotated[str, typer.Option("--d", help="Ports of each host, such as 2,4,8,16.")],
    links: LinksOption = LinkMode.SIMPLEX,
    db: DatabaseOption = DEFAULT_DATABASE,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Workers; -1 for all cores.")] = -1,
    quiet: QuietOption = False,
) -> None:
    """Find and store the frontiers of many sizes; started again, it goes on where it was."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeElapsedColumn

    from expansions.size import LARGEST_BUILT
    from topofinder.api.sweep import fill_sizes as fill

    sizes = size_pairs(n, d)
    console = Console(stderr=True)
    columns = ("{task.description}", BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    shown = console.is_terminal and not quiet
    with Progress(*columns, console=console, disable=not shown) as bar:
        task = bar.add_task("sizes", total=len(sizes))
        tell = lambda done, total: bar.update(task, completed=done, total=total)  # noqa: E731
        fresh = fill(sizes, links, db, jobs=jobs, progress=tell)
    if not quiet:
        print(f"{fresh} sizes searched and stored in {db}", file=sys.stderr)
        if fresh and any(hosts > LARGEST_BUILT for hosts, _ in sizes):
            told = (
                f"sizes above {LARGEST_BUILT} hosts lack base graphs that are too large to evaluate"
            )
            print(f"{told}; search says which", file=sys.stderr)
