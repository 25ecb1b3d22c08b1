"""`topofinder search`: the frontier at one size."""

from typing import Annotated

import typer

from expansions.collective import Collective
from generators import quantities
from topofinder.api.shared.workloads import read_host_costs, read_workload
from topofinder.cli.options import (
    DEFAULT_DATABASE,
    AlphaOption,
    BandwidthOption,
    BaselinesOption,
    CollectiveOption,
    DatabaseOption,
    EpsilonOption,
    ExchangeOption,
    GapOption,
    InjectionOption,
    JsonOption,
    LinksOption,
    ModelOption,
    ParetoOption,
    RatesOption,
    ReduceRateOption,
    SearchEffortOption,
    SizeOption,
    SizesOption,
    TryOption,
)
from topofinder.model.candidate import LinkMode
from topofinder.model.time_model import TimeModel
from topofinder.model.workload import RATING_METHODS


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
    model: ModelOption = TimeModel.PIPELINED,
    methods: Annotated[
        str, typer.Option("--methods", help="Schedule methods that rate the sizes.")
    ] = ",".join(RATING_METHODS),
    epsilon: EpsilonOption = None,
    reduce_rate: ReduceRateOption = None,
    injection: InjectionOption = None,
    effort: SearchEffortOption = None,
    db: DatabaseOption = DEFAULT_DATABASE,
    json: JsonOption = False,
) -> None:
    """Find the Pareto frontier of T_L against T_B for N hosts with d ports, and store it."""
    from topofinder.api.search import search as find

    found = find(
        n,
        d,
        links,
        db,
        workload=read_workload(
            *(alpha, size, bandwidth, sizes, collective, alltoall),
            hosts=read_host_costs(epsilon, reduce_rate, injection),
        ),
        pareto=pareto,
        with_throughput=with_throughput,
        with_baselines=with_baselines,
        gap=gap,
        time=float(quantities.seconds(time, "--time")),
        model=model,
        methods=methods,
        effort=effort,
    )
    print(found.to_json() if json else found)
