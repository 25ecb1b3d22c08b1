"""`topofinder discover`: a search for graphs that are better than what is known."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any

import typer

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from topofinder.cli.options import (
    DEFAULT_DATABASE,
    BackendOption,
    DatabaseOption,
    JsonOption,
    LinksOption,
    QuietOption,
    SchedulerOption,
    size_pairs,
)
from topofinder.model.candidate import LinkMode

if TYPE_CHECKING:
    from topofinder.api.discover_limits import DiscoveryProgress, Tell
    from topofinder.api.shared.answer import Answer


def discover(
    n: Annotated[
        str | None, typer.Option("--n", help="Numbers of hosts, such as 64 or 60:70.")
    ] = None,
    d: Annotated[str | None, typer.Option("--d", help="Ports of each host, such as 4.")] = None,
    links: LinksOption = LinkMode.SIMPLEX,
    kind: Annotated[
        str | None,
        typer.Option("--kind", help="Of cayley, lifts, grafts, such as lifts,grafts; all."),
    ] = None,
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
        int | None, typer.Option("--trials", help="End once so many graphs are judged.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Seed of the search.")] = 0,
    jobs: Annotated[int, typer.Option("--jobs", "-j", help="Threads; -1 for all cores.")] = 1,
    backend: BackendOption = None,
    scheduler: SchedulerOption = None,
    status: Annotated[
        bool, typer.Option("--status", help="Tell how the stored searches stand, and end.")
    ] = False,
    db: DatabaseOption = DEFAULT_DATABASE,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Search for Cayley digraphs, lifts and grafts that beat a search; started again, go on.

    Kinds and sizes share the time by what they may gain.
    """
    if status:
        _print_answer(_stored_status(n, d, db), json)
        return
    sizes = _wanted_sizes(n, d)
    options: dict[str, Any] = {
        **{"both_ways": both_ways, "time": time, "trials": trials, "seed": seed, "jobs": jobs},
        **{"db": db, "backend": backend, "scheduler": scheduler},
        **{"kind": kind},
    }
    with progress_line(quiet) as tell:
        if len(sizes) == 1:
            from topofinder.api.discover import discover as find

            found: Answer = find(*sizes[0], links, group=group, tell=tell, **options)
        else:
            from topofinder.api.discover_range import discover_range

            if group is not None:
                raise InvalidInput(f"--group: {excerpt(group)} is of one size, not of {len(sizes)}")
            found = discover_range(sizes, links, tell=tell, **options)
    _print_answer(found, json)


def _print_answer(found: "Answer", json: bool) -> None:
    print(found.to_json() if json else found)


def _wanted_sizes(n: str | None, d: str | None) -> list[tuple[int, int]]:
    if n is None or d is None:
        raise InvalidInput(f"{'--n' if n is None else '--d'}: needed, unless --status is asked for")
    return size_pairs(n, d)


def _stored_status(n: str | None, d: str | None, db: Path) -> "Answer":
    from topofinder.api.discover_status import discovery_status

    return discovery_status(db, None if n is None and d is None else _wanted_sizes(n, d))


@contextmanager
def progress_line(quiet: bool) -> "Iterator[Tell]":
    """A function that shows progress in one line on stderr, if that is a terminal."""
    from rich.console import Console
    from rich.markup import escape

    from reports.discovery import best_line
    from reports.discovery_status import duration_text

    console = Console(stderr=True)
    started = monotonic()
    if quiet or not console.is_terminal:
        yield lambda progress: None
        return
    with console.status("searching") as status:

        def tell(progress: "DiscoveryProgress") -> None:
            rate = progress.judged / max(monotonic() - started, 1e-9)
            best = best_line(progress.best)
            line = f"{progress.judged:,} judged, {rate:,.0f}/s; {progress.group}; best {best}"
            if progress.seconds_left is not None:
                line += f"; {duration_text(progress.seconds_left)} left"
            status.update(escape(line))

        yield tell
