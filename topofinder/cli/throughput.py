"""`topofinder throughput`: how fast all-to-all can be, as a certified interval."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from topofinder.cli.bar import size_progress, status_line
from topofinder.cli.options import (
    DEFAULT_DATABASE,
    BackendOption,
    BandwidthOption,
    DatabaseOption,
    InjectionOption,
    JsonOption,
    QuietOption,
    SchedulerOption,
)


def throughput(
    subjects: Annotated[
        list[str] | None,
        typer.Argument(metavar="RECIPE|FILE...", help="Recipes, or .graphml, .json, .edges files."),
    ] = None,
    recipes: Annotated[
        Path | None,
        typer.Option("--recipes", help="More of them: one a line, or what query --json prints."),
    ] = None,
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
    injection: InjectionOption = None,
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
    jobs: Annotated[
        int, typer.Option("--jobs", "-j", help="Workers for many graphs; -1 for all cores.")
    ] = -1,
    backend: BackendOption = None,
    scheduler: SchedulerOption = None,
    db: DatabaseOption = DEFAULT_DATABASE,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Bound the rate of all-to-all on a recipe's graph, or on one in a file.

    The interval is certain. Ctrl-C ends the search and tells the best one so far. Of several
    graphs each is told as it would be alone; workers find them side by side.
    """
    listed = list(subjects or ())
    if recipes is not None or backend is not None or scheduler is not None or len(listed) != 1:
        _require_none(certificate=certificate, routes=routes)
        found = _many(
            listed, recipes, quiet,
            pattern=pattern, demand=demand, gap=gap, time=time, method=method, size=size,
            bandwidth=bandwidth, injection=injection, db=db,
            jobs=jobs, backend=backend, scheduler=scheduler,
        )  # fmt: skip
        print(found.to_json() if json else found)
        return
    one = _one(
        listed[0], quiet,
        pattern=pattern, demand=demand, gap=gap, time=time, method=method, size=size,
        bandwidth=bandwidth, injection=injection, certificate=certificate, routes=routes,
        routing=routing, seed=seed, db=db,
    )  # fmt: skip
    print(one.to_json() if json else one)


def _one(subject: str, quiet: bool, **options: Any) -> Any:
    from topofinder.api.throughput import throughput as find

    with _interval_shown(quiet) as tell:
        return find(subject, tell=tell, **options)


def _many(listed: list[str], recipes: Path | None, quiet: bool, **options: Any) -> Any:
    from topofinder.api.throughputs import read_recipes, throughputs

    listed = listed + ([] if recipes is None else read_recipes(recipes))
    with size_progress(len(listed), quiet, "graphs") as tell:
        return throughputs(listed, progress=tell, **options)


def _require_none(**files: Path | None) -> None:
    """Refuse files that hold what belongs to one graph."""
    for name, file in files.items():
        if file is not None:
            raise InvalidInput(f"--{name}: {excerpt(str(file))} is for one graph, without workers")


@contextmanager
def _interval_shown(quiet: bool) -> Iterator[Callable[[Any], None] | None]:
    """A line on the terminal with the interval so far."""
    with status_line(quiet) as update:
        if update is None:
            yield None
            return
        from reports.throughput import progress_text

        def tell(now: Any) -> None:
            update(progress_text(now.lower, now.upper, now.method, now.seconds))

        yield tell
