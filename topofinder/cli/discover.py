"""`topofinder discover`: a search for Cayley digraphs that are better than what is known."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING, Annotated

import typer

from topofinder.cli.options import (
    DEFAULT_DATABASE,
    DatabaseOption,
    JsonOption,
    LinksOption,
    QuietOption,
)
from topofinder.model.candidate import LinkMode

if TYPE_CHECKING:
    from topofinder.api.discover import DiscoveryProgress, Tell


def discover(
    n: Annotated[int, typer.Option("--n", help="Number of hosts.")],
    d: Annotated[int, typer.Option("--d", help="Ports of each host.")],
    links: LinksOption = LinkMode.SIMPLEX,
    both_ways: Annotated[
        bool, typer.Option("--both-ways", help="Weigh reduce-scatter as much as allgather.")
    ] = False,
    group: Annotated[
        str | None, typer.Option("--group", help="Search this group only, such as Z64:Z16[3].")
    ] = None,
    time: Annotated[
        str | None,
        typer.Option("--time", metavar="TIME", help="How long, such as 5min. [default: 60s]"),
    ] = None,
    trials: Annotated[
        int | None, typer.Option("--trials", help="End once so many generator lists are judged.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the search.")] = 0,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Threads; -1 for all cores.")] = 1,
    db: DatabaseOption = DEFAULT_DATABASE,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Search groups and generator sets for smaller T_L and T_B; started again, go on."""
    from topofinder.api.discover import discover as find

    with progress_line(quiet) as tell:
        found = find(
            n,
            d,
            links,
            both_ways=both_ways,
            group=group,
            time=time,
            trials=trials,
            seed=seed,
            jobs=jobs,
            db=db,
            tell=tell,
        )
    print(found.to_json() if json else found)


@contextmanager
def progress_line(quiet: bool) -> "Iterator[Tell]":
    """A function that shows progress in one line on stderr, if that is a terminal."""
    from rich.console import Console
    from rich.markup import escape

    from reports.discovery import best_line

    console = Console(stderr=True)
    started = monotonic()
    if quiet or not console.is_terminal:
        yield lambda progress: None
        return
    with console.status("making groups") as status:

        def tell(progress: "DiscoveryProgress") -> None:
            rate = progress.judged / max(monotonic() - started, 1e-9)
            best = best_line(progress.best)
            line = f"{progress.judged:,} judged, {rate:,.0f}/s; {progress.group}; best {best}"
            status.update(escape(line))

        yield tell
