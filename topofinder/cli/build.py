"""`topofinder build`: a recipe's graph as a file."""

from pathlib import Path
from typing import Annotated

import typer


def build(
    recipe: Annotated[str, typer.Argument(help="For example 'L^3(C(16,{3,4}))' or 'DGXA100(2)'.")],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="A .graphml, .json, .edges, .adj, .dot or .csv file."),
    ],
    format: Annotated[
        str | None, typer.Option("--format", help="Format, where the suffix does not tell it.")
    ] = None,
) -> None:
    """Build the graph that a recipe or fabric names and write it to a file."""
    from topofinder.api.build import build as make

    print(make(recipe, output, format))
