"""`topofinder reproduce`: a table or figure of the paper, worked out anew."""

from json import dumps
from pathlib import Path
from typing import Annotated

import typer

from generators import quantities
from generators.errors import InvalidInput
from generators.shown import shown
from topofinder.api.shared.places import check_places
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
            help="table4, table7, table8, table9, figure3, figure7, figure15 or figure18.",
        ),
    ],
    n: Annotated[
        str | None, typer.Option("--n", help="Sizes of figures 7, 15 and 18, such as 5:2000.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Plot of a figure: a .svg or .png file.")
    ] = None,
    gap: GapOption = 0.01,
    time: Annotated[
        str,
        typer.Option("--time", help="How long to try for all f together.", metavar="TIME"),
    ] = "15s",
    db: DatabaseOption = DEFAULT_DATABASE,
    json: JsonOption = False,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV instead of a table.")] = False,
    quiet: QuietOption = False,
) -> None:
    """Work out a table or figure of the paper anew, and print ours beside the published values."""
    from reports.pages.markdown import csv_text
    from reports.reproduced import reproduced_fields, reproduced_table, reproduced_text
    from topofinder.api.reproduce.register import named
    from topofinder.api.reproduce.register import reproduce as work_out

    if json and csv:
        raise InvalidInput("--json and --csv exclude each other")
    name = named(what)
    _check_plot(name, out)
    check_places(db, out)
    with size_progress(1, quiet, name) as tell:
        found = work_out(
            name,
            db,
            sizes=None if n is None else numbers(n, "--n"),
            gap=quantities.part(gap, "--gap"),
            time=float(quantities.seconds(time, "--time")),
            progress=tell,
        )
    if out is not None and found.draw is not None:
        from reports.pages.files import write_plot

        write_plot(found.draw(), found.name, out)
    if csv:
        print(csv_text(reproduced_table(found)), end="")
    else:
        print(dumps(reproduced_fields(found), indent=2) if json else reproduced_text(found))


def _check_plot(name: str, out: Path | None) -> None:
    if out is None:
        return
    if name.startswith("table"):
        raise InvalidInput(f"--out: {name} is no figure")
    if out.suffix.lower() not in (".svg", ".png"):
        raise InvalidInput(f"--out: a plot is a .svg or .png file, not {shown(str(out))}")
