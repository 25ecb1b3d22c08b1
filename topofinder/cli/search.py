"""`topofinder search`: the frontier at one size."""

from typing import Annotated

import typer

from expansions.collective import Collective
from topofinder.candidate import Links
from topofinder.cli.options import (
    DEFAULT_DATABASE,
    AlphaOption,
    BandwidthOption,
    BaselinesOption,
    CollectiveOption,
    DatabaseOption,
    JsonOption,
    LinksOption,
    SizeOption,
    SizesOption,
    workload,
)


def search(
    n: Annotated[int, typer.Option("--n", help="Number of hosts.")],
    d: Annotated[int, typer.Option("--d", help="Ports of each host.")],
    links: LinksOption = Links.SIMPLEX,
    alpha: AlphaOption = None,
    size: SizeOption = None,
    bandwidth: BandwidthOption = None,
    sizes: SizesOption = None,
    collective: CollectiveOption = Collective.ALLREDUCE,
    with_baselines: BaselinesOption = False,
    db: DatabaseOption = DEFAULT_DATABASE,
    json: JsonOption = False,
) -> None:
    """Find the Pareto frontier of T_L against T_B for N hosts with d ports, and store it."""
    from reports.frontier import frontier_json, frontier_text
    from topofinder.finder.run import search as find
    from topofinder.timing import timed

    asked = workload(alpha, size, bandwidth, sizes, collective)
    found = find(n, d, links, db)
    times = timed(found, asked) if asked else None
    baselines = None
    if with_baselines:
        from topofinder.baseline_rows import baseline_rows

        baselines = baseline_rows(n, d, asked)
    print((frontier_json if json else frontier_text)(found.frontier, times, baselines))
