"""`topofinder search`: the frontier at one size."""

from typing import TYPE_CHECKING, Annotated

import typer

from expansions.collective import Collective
from generators import quantities
from topofinder.cli.options import (
    DEFAULT_DATABASE,
    AlphaOption,
    BandwidthOption,
    BaselinesOption,
    CollectiveOption,
    DatabaseOption,
    ExchangeOption,
    GapOption,
    JsonOption,
    LinksOption,
    ParetoOption,
    RatesOption,
    SizeOption,
    SizesOption,
    TryOption,
    workload,
)
from topofinder.model.candidate import LinkMode

if TYPE_CHECKING:
    from reports.frontier import LeftOut


def search(
    n: Annotated[int, typer.Option("--n", help="Number of hosts.")],
    d: Annotated[int, typer.Option("--d", help="Ports of each host.")],
    links: LinksOption = LinkMode.SIMPLEX,
    alpha: AlphaOption = None,
    size: SizeOption = None,
    bandwidth: BandwidthOption = None,
    sizes: SizesOption = None,
    collective: CollectiveOption = Collective.ALLREDUCE,
    with_baselines: BaselinesOption = False,
    with_throughput: RatesOption = False,
    pareto: ParetoOption = "latency,bandwidth",
    alltoall: ExchangeOption = None,
    gap: GapOption = 0.001,
    time: TryOption = "60s",
    db: DatabaseOption = DEFAULT_DATABASE,
    json: JsonOption = False,
) -> None:
    """Find the Pareto frontier of T_L against T_B for N hosts with d ports, and store it."""
    from reports.frontier import frontier_text
    from topofinder.api.frontier_choice import chosen
    from topofinder.model.axes import read_axes

    asked = workload(alpha, size, bandwidth, sizes, collective, alltoall)
    found = chosen(
        n,
        d,
        links,
        db,
        axes=read_axes(pareto),
        with_rates=with_throughput,
        workload=asked,
        gap=quantities.part(gap, "--gap"),
        time=float(quantities.seconds(time, "--time")),
    )
    baselines = None
    if with_baselines:
        from topofinder.api.baseline_rows import baseline_rows

        baselines = baseline_rows(n, d, asked)
    tell = frontier_json if json else frontier_text
    print(tell(found.found.frontier, found.times, baselines, found.rates, _missing(n, d, links)))


def _missing(n: int, d: int, links: LinkMode) -> "LeftOut":
    from expansions.size import LARGEST_BUILT
    from reports.frontier import NOTHING, LeftOut

    if n <= LARGEST_BUILT:
        return NOTHING  # without the imports of a search, which a look-up need not wait for
    from topofinder.api.left_out import left_out

    return LeftOut(recipes=tuple(map(str, left_out(n, d, links))))
