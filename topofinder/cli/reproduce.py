"""`topofinder reproduce`: a table or figure of the paper, worked out anew."""

from pathlib import Path
from typing import Annotated

import typer

from generators.errors import InvalidInput
from topofinder.cli.bar import size_progress, status_line
from topofinder.cli.options import (
    DEFAULT_DATABASE,
    DatabaseOption,
    GapOption,
    JsonOption,
    QuietOption,
    numbers,
)


def reproduce(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="TABLE|FIGURE",
            help="{reproductions}.",
            show_default=False,
        ),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All of them; -o is then a page: .html, .md, or a folder.")
    ] = False,
    quick: Annotated[
        bool, typer.Option("--quick", help="With --all: small sizes, in less than a minute.")
    ] = False,
    n: Annotated[
        str | None,
        typer.Option("--n", help="Sizes of figures 7, 15, 18 and of TACOS, such as 5:2000."),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="Plot of a figure: a .svg or .png file; the page of --all."
        ),
    ] = None,
    gap: GapOption = 0.01,
    time: Annotated[
        str,
        typer.Option(
            "--time", help="How long to try for all f together, or for figure 19.", metavar="TIME"
        ),
    ] = "15s",
    db: DatabaseOption = DEFAULT_DATABASE,
    json: JsonOption = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV instead of a table.")] = False,
    quiet: QuietOption = False,
) -> None:
    """Work out a table or figure of the paper anew, and print ours beside the published values."""
    from topofinder.api.reproduce.register import reproduction_name
    from topofinder.api.reproduce.use_case import reproduce as work_out

    if json and csv:
        raise InvalidInput("--json and --csv exclude each other")
    if everything:
        _reproduce_all(what, quick, n, csv, out, gap, time, db, json)
        return
    if what is None:
        raise InvalidInput("reproduce: a table or figure is needed, or --all")
    if quick:
        raise InvalidInput("--quick: goes with --all")
    name = reproduction_name(what)
    with size_progress(1, quiet, name) as tell:
        found = work_out(
            name,
            n=None if n is None else numbers(n, "--n"),
            out=out,
            gap=gap,
            time=time,
            db=db,
            progress=tell,
        )
    if csv:
        print(found.to_csv(), end="")
    else:
        print(found.to_json() if json else found)


def _reproduce_all(
    what: str | None,
    quick: bool,
    n: str | None,
    csv: bool,
    out: Path | None,
    gap: float,
    time: str,
    db: Path,
    json: bool,
) -> None:
    """All of them; options of one alone are refused."""
    from topofinder.api.reproduce.everything import reproduce_all

    given = (("a table or figure", what is not None), ("--n", n is not None), ("--csv", csv))
    for name, is_given in given:
        if is_given:
            raise InvalidInput(f"--all: takes no {name.removeprefix('a ')}")
    with status_line() as tell:
        found = reproduce_all(quick=quick, out=out, gap=gap, time=time, db=db, tell=tell)
    print(found.to_json() if json else found)
