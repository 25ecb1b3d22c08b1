"""`topofinder build`: a recipe's graph as a file."""

from pathlib import Path
from typing import Annotated

import typer

from topofinder.cli.options import DEFAULT_DATABASE, NamingOption


def build(
    recipe: Annotated[str, typer.Argument(help="For example 'L^3(C(16,{3,4}))' or 'DGXA100(2)'.")],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="A .graphml, .json, .edges, .adj, .dot or .csv file."),
    ],
    format: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="Format, where the suffix does not tell it; infragraph for fabrics of hosts.",
        ),
    ] = None,
    inventory: Annotated[
        Path | None,
        typer.Option(
            "--inventory", help="Hosts of the kind RECIPE names, such as HostH100: .json."
        ),
    ] = None,
    current: Annotated[
        Path | None, typer.Option("--current", help="Their cross-connects: .csv.")
    ] = None,
    db: NamingOption = DEFAULT_DATABASE,
) -> None:
    """Build the graph that a recipe or fabric names and write it to a file."""
    from topofinder.api.build import build as make

    print(make(recipe, output, format, inventory=inventory, current=current, db=db))
