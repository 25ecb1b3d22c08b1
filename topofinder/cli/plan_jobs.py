"""`topofinder plan-jobs`: whether it pays to re-wire a fabric between jobs."""

from pathlib import Path
from typing import Annotated

import typer

from topofinder.cli.bar import status_line
from topofinder.cli.options import DEFAULT_DATABASE, DatabaseOption, JsonOption
from topofinder.cli.plan import CurrentOption, InventoryOption
from topofinder.model.candidate import LinkMode


def plan_jobs(
    jobs: Annotated[Path, typer.Argument(help="The jobs in their order: .json.")],
    inventory: InventoryOption,
    current: CurrentOption,
    d: Annotated[int, typer.Option("--d", help="Ports of a host that its topology may use.")],
    mode: Annotated[LinkMode, typer.Option("--mode", help="Circuits.")] = LinkMode.DUPLEX,
    hosts: Annotated[
        str | None, typer.Option("--hosts", help="Hosts that may take part: 'h0,rack1-*'.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of the search for placements.")] = 0,
    time: Annotated[
        str, typer.Option("--time", metavar="TIME", help="How long to search for each plan.")
    ] = "10s",
    db: DatabaseOption = DEFAULT_DATABASE,
    json: JsonOption = False,
) -> None:
    """Choose a wiring for each of several jobs, with the time of the moves between them.

    After Ctrl-C the plans that are left are made with next to no search.
    """
    from topofinder.api.plan_jobs import plan_jobs as choose

    with status_line():
        found = choose(
            jobs, inventory, current, d, mode=mode, hosts=hosts, seed=seed, time=time, db=db
        )
    print(found.to_json() if json else found)
