"""`topofinder draw`: a picture of a graph, a schedule, trees, a plan or panels, as a file."""

from pathlib import Path
from typing import Annotated

import typer

from topofinder.cli.options import DEFAULT_DATABASE, NamingOption


def draw(
    output: Annotated[Path, typer.Option("--output", "-o", help="A .svg or .png file.")],
    subjects: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SUBJECT...", help="A recipe, a fabric or a file; or recipes side by side."
        ),
    ] = None,
    inventory: Annotated[
        Path | None,
        typer.Option("--inventory", help="Its panels and ports; with a plan, what that moves."),
    ] = None,
    view: Annotated[
        str | None,
        typer.Option(
            "--view",
            help="Of graphs: graph, circle, matrix, expansion, root; of schedules: steps, loads; "
            "of forests: trees, loads; of timetables: times, loads; of inventories: panels, hosts.",
        ),
    ] = None,
    db: NamingOption = DEFAULT_DATABASE,
) -> None:
    """Draw a graph, a schedule, trees, a plan or panels, and print what the picture shows."""
    from generators.errors import InvalidInput
    from topofinder.api.draw import draw as make
    from topofinder.api.shared.places import check_places
    from topofinder.model.inventory.ports import read_inventory

    check_places(None, output)
    named = subjects or []
    if len(named) > 1 and view is not None:
        raise InvalidInput("--view: is for one subject, not for several side by side")
    if len(named) > 1 and inventory is not None:
        raise InvalidInput("--inventory: is for one plan, not for several subjects")
    if not named:
        if inventory is None:
            raise InvalidInput("SUBJECT: a recipe, a fabric or a file is needed, or --inventory")
        picture = make(read_inventory(inventory), view)
    elif inventory is not None:
        picture = make(named[0], view, inventory=inventory)
    else:
        picture = make(named[0] if len(named) == 1 else named, view, db=db)
    picture.save(output)
    print(f"{picture.words}, written to {output}")
