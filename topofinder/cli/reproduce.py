"""`topofinder reproduce`: a table or figure of the paper, worked out anew."""

from pathlib import Path
from typing import Annotated

import typer

from generators.errors import InvalidInput
from topofinder.cli.bar import size_progress
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
        str,
        typer.Argument(
            metavar="TABLE|FIGURE",
            help="{reproductions}.",
        ),
    ],
    n: Annotated[
        str | None,
        typer.Option("--n", help="Sizes of figures 7, 15, 18 and of TACOS, such as 5:2000."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Plot of a figure: a .svg or .png file.")
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
