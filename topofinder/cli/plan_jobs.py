"""`topofinder plan-jobs`: whether it pays to re-wire a fabric between jobs."""

from json import dumps
from pathlib import Path
from typing import Annotated

import typer

from generators import quantities
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
    """Choose a wiring for each of several jobs, with the time of the moves between them."""
    from reports.jobs import jobs_fields, jobs_text
    from topofinder.api.plan import chosen_hosts
    from topofinder.api.plan_jobs import courses
    from topofinder.api.plan_jobs_file import read_jobs
    from topofinder.api.wirings import Site
    from topofinder.model.inventory.cross_connects import read_wiring
    from topofinder.model.inventory.ports import read_port_map
    from topofinder.patching.pinned_placement import Wish
    from topofinder.patching.planner import Asked

    listed = read_jobs(jobs)
    fabric = read_port_map(inventory)
    site = Site(
        fabric=fabric,
        current=read_wiring(current, fabric),
        links=mode,
        d=d,
        asked=Asked(
            hosts=chosen_hosts(fabric, hosts),
            wish=Wish(seed=seed, time=float(quantities.seconds(time, "--time"))),
        ),
    )
    found = courses(listed, site, str(db))
    print(dumps(jobs_fields(found), indent=2) if json else jobs_text(found))
