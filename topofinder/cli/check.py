"""`topofinder check`: what a fabric says of its wiring against what should be, and the repair."""

from pathlib import Path
from typing import Annotated

import typer

from topofinder.cli.options import JsonOption
from topofinder.cli.plan import InventoryOption

DIFFERS = 1


def check(
    inventory: InventoryOption,
    expected: Annotated[
        Path,
        typer.Option(
            "--expected", help="Cross-connects that should be: .csv, or as switches show."
        ),
    ],
    observed: Annotated[
        Path,
        typer.Option(
            "--observed",
            help="What was seen: LLDP (JSON, text), cables or ports (CSV), PTM (DOT), show ocs.",
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="mend.csv: also mend.json and the others of a plan."),
    ] = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="lldp-json, lldp-text, ptm, csv or ocs; by what it looks like if left out.",
        ),
    ] = None,
    keep_connected: Annotated[
        bool, typer.Option("--keep-connected", help="An order that keeps hosts connected.")
    ] = False,
    costs: Annotated[
        bool, typer.Option("--costs/--no-costs", help="What it costs to leave it as it is.")
    ] = True,
    seed: Annotated[int, typer.Option("--seed", help="Of the search for fewer moves.")] = 0,
    time: Annotated[
        str,
        typer.Option("--time", metavar="TIME", help="For that search, and for the throughputs."),
    ] = "2s",
    json: JsonOption = False,
) -> None:
    """Compare a fabric with the wiring that should be, and plan the fewest moves that mend it.

    Exit code 1 where any fibre differs.
    """
    from topofinder.api.check import check as compare

    found = compare(
        inventory,
        expected,
        observed,
        output,
        form=form,
        keep_connected=keep_connected,
        costs=costs,
        seed=seed,
        time=time,
    )
    print(found.to_json() if json else found)
    if not found.matches:
        raise typer.Exit(DIFFERS)
