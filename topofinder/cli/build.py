"""`topofinder build`: a recipe's graph as a file."""

from pathlib import Path
from typing import Annotated

import typer

from topofinder.api.shared.file_kinds import explain_wrong_file
from topofinder.api.shared.places import check_places


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
    from expansions.build import build as make
    from expansions.parser import parse
    from generators.fabrics import fabric_of, is_fabric
    from generators.formats import write_topology

    check_places(None, output)
    if is_fabric(recipe):
        name, topology = fabric_of(recipe)
    else:
        with explain_wrong_file("build", recipe):
            parsed = parse(recipe)
        name, topology = str(parsed), make(parsed)
    write_topology(topology, output, format)
    print(f"{name}: {topology.n} nodes, {topology.arcs} arcs, written to {output}")
