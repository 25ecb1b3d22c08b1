"""`topofinder throughput`: how fast all-to-all can be, as a certified interval."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from topofinder.cli.bar import status_line
from topofinder.cli.options import (
    DEFAULT_DATABASE,
    BandwidthOption,
    DatabaseOption,
    JsonOption,
    QuietOption,
)


def throughput(
    subject: Annotated[
        str,
        typer.Argument(metavar="RECIPE|FILE", help="A recipe, or a .graphml, .json, .edges file."),
    ],
    gap: Annotated[
        float, typer.Option("--gap", help="How far the bounds may be apart, relatively.")
    ] = 0.001,
    time: Annotated[
        str, typer.Option("--time", help="How long to try, such as 60s.", metavar="TIME")
    ] = "60s",
    method: Annotated[str, typer.Option("--method", help="{throughput methods}.")] = "auto",
    pattern: Annotated[
        str,
        typer.Option(
            "--pattern",
            help="{demand patterns}",
        ),
    ] = "uniform",
    demand: Annotated[
        Path | None,
        typer.Option("--demand", help="A matrix, source by sink: .csv, or .npz with 'demand'."),
    ] = None,
    size: Annotated[
        str | None,
        typer.Option("--size", help="Data of each node, such as 1MiB.", metavar="SIZE"),
    ] = None,
    bandwidth: BandwidthOption = None,
    certificate: Annotated[
        Path | None, typer.Option("--certificate", help="File for the proof: .npz or .json.")
    ] = None,
    routes: Annotated[
        Path | None, typer.Option("--routes", help="File for the routes: {route suffixes}.")
    ] = None,
    routing: Annotated[
        str,
        typer.Option(
            "--routing",
            help="paths (weighted), single (one path a pair) or flows (by source and arc).",
        ),
    ] = "paths",
    seed: Annotated[int, typer.Option("--seed", help="For --routing single.")] = 0,
    db: DatabaseOption = DEFAULT_DATABASE,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Bound the rate of all-to-all on a recipe's graph, or on one in a file.

    The interval is certain. Ctrl-C ends the search and tells the best one so far.
    """
    from topofinder.api.throughput import throughput as find

    with _interval_shown(quiet) as tell:
        found = find(
            subject,
            pattern=pattern,
            demand=demand,
            gap=gap,
            time=time,
            method=method,
            size=size,
            bandwidth=bandwidth,
            certificate=certificate,
            routes=routes,
            routing=routing,
            seed=seed,
            db=db,
            tell=tell,
        )
    print(found.to_json() if json else found)


@contextmanager
def _interval_shown(quiet: bool) -> Iterator[Callable[[Any], None] | None]:
    """A line on the terminal with the interval so far."""
    with status_line(quiet) as update:
        if update is None:
            yield None
            return
        from reports.throughput import interval_text

        def tell(now: Any) -> None:
            told = interval_text(now.lower, now.upper)
            update(f"{told}, {now.method}, {now.seconds:.0f} s")

        yield tell
