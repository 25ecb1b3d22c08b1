"""`topofinder build`: a recipe's graph as a file."""

from pathlib import Path
from typing import Annotated

import typer


def build(
    recipe: Annotated[str, typer.Argument(help="For example 'L^3(C(16,{3,4}))'.")],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="File: .graphml, .json or .edges.")
    ],
    format: Annotated[
        str | None, typer.Option("--format", help="Format, where the suffix does not tell it.")
    ] = None,
) -> None:
    """Build the graph that a recipe names and write it to a file."""
    from expansions.build import build as make
    from expansions.parser import parse
    from generators.formats import write_topology

    parsed = parse(recipe)
    topology = make(parsed)
    write_topology(topology, output, format)
    print(f"{parsed}: {topology.n} nodes, {topology.arcs} arcs, written to {output}")
