"""`topofinder inventory`: an inventory and a wiring to begin with, and the JSON Schema."""

from pathlib import Path
from typing import Annotated

import typer

from generators.errors import InvalidInput
from topofinder.cli.options import DEFAULT_DATABASE, NamingOption, PricesOption
from topofinder.model.candidate import LinkMode


def inventory(
    subject: Annotated[
        str | None, typer.Argument(metavar="RECIPE|FILE", help="What the hosts are wired to.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File for the inventory: .json.")
    ] = None,
    current: Annotated[
        Path | None, typer.Option("--current", help="File for the cross-connects: .csv.")
    ] = None,
    hosts: Annotated[
        int | None, typer.Option("--hosts", help="Number of hosts; nodes of the graph by default.")
    ] = None,
    ports: Annotated[
        int | None, typer.Option("--ports", help="Ports of a host; its degree by default.")
    ] = None,
    panels: Annotated[
        int, typer.Option("--panels", help="Port j of every host is on panel j modulo this.")
    ] = 1,
    kind: Annotated[
        str, typer.Option("--kind", help="Of the panels: patch-panel or ocs.")
    ] = "patch-panel",
    mode: Annotated[
        LinkMode | None, typer.Option("--mode", help="Circuits; duplex if the graph is two-way.")
    ] = None,
    circulators: Annotated[
        bool,
        typer.Option("--circulators", help="Both ways on one fibre, on side A or B of an ocs."),
    ] = False,
    trunk: Annotated[
        int, typer.Option("--trunk", help="So many ports of a host are plugged in at once.")
    ] = 1,
    prices: PricesOption = None,
    force: Annotated[
        bool, typer.Option("--force", help="Write over files that are there already.")
    ] = False,
    db: NamingOption = DEFAULT_DATABASE,
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of inventory files.")
    ] = False,
) -> None:
    """Write an inventory of equal hosts, wired to a graph: something to edit and to try out."""
    from json import dumps

    from topofinder.api.inventory import inventory as make
    from topofinder.api.inventory import inventory_schema
    from topofinder.api.shared.stored_recipes import whole_recipe
    from topofinder.api.shared.subjects import check_recipe

    if schema:
        print(dumps(inventory_schema(), indent=2))
        return
    if subject is None or output is None or current is None:
        if subject is not None:
            check_recipe(whole_recipe(subject, db))
        raise InvalidInput("a RECIPE or FILE, --output and --current are needed, or --schema")
    made = make(
        subject,
        output,
        current,
        hosts=hosts,
        ports=ports,
        panels=panels,
        kind=kind,
        mode=mode,
        circulators=circulators,
        trunk=trunk,
        prices=prices,
        force=force,
        db=db,
    )
    print(made)
