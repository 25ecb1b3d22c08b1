"""`topofinder search`: the frontier at one size."""

from math import inf
from pathlib import Path
from typing import Annotated

import typer

from expansions.collective import Collective
from generators import quantities
from generators.errors import InvalidInput
from topofinder.api.shared.workloads import read_host_costs, read_workload
from topofinder.cli.bar import status_line
from topofinder.cli.options import (
    DEFAULT_DATABASE,
    AlphaOption,
    BackendOption,
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
    SchedulerOption,
    SearchEffortOption,
    SearchTimeOption,
    SizeOption,
    SizesOption,
)
from topofinder.model.candidate import LinkMode
from topofinder.model.time_model import TimeModel
from topofinder.model.workload import RATING_METHODS

ALWAYS = frozenset({"n", "db", "json"})
WITH_HOSTS = ALWAYS | {
    *("gpus", "template", "d", "inner", "inner_alpha", "bandwidth", "alpha", "rails", "prices"),
    *("pareto", "effort", "gap", "time"),
}
WITH_MOVES = ALWAYS | {
    *("max_moves", "inventory", "current", "d", "links", "alpha", "size", "bandwidth"),
    *("output", "time"),
}
WITH_LINK_RATES = ALWAYS | {
    *("link_rates", "links", "alpha", "size", "collective", "output", "effort", "methods"),
}
NEEDED = {
    **dict.fromkeys(("inner", "inner_alpha", "prices", "rails"), "--gpus or --template"),
    **dict.fromkeys(("inventory", "current"), "--max-moves"),
    "output": "--link-rates or --max-moves",
}
"""Options that are of no use alone, and what they go with."""


def search(
    context: typer.Context,
    n: Annotated[int, typer.Option("--n", help="Number of hosts.")],
    d: Annotated[int | None, typer.Option("--d", help="Ports of each host.")] = None,
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
    time: SearchTimeOption = None,
    model: ModelOption = TimeModel.PIPELINED,
    methods: Annotated[
        str,
        typer.Option(
            "--methods", help="Schedule methods that rate the sizes; pipeline is one too."
        ),
    ] = ",".join(RATING_METHODS),
    epsilon: EpsilonOption = None,
    reduce_rate: ReduceRateOption = None,
    injection: InjectionOption = None,
    failed_pairs: Annotated[
        int, typer.Option("--failed-pairs", help="Pairs of lost links to sample, for resilience.")
    ] = 0,
    effort: SearchEffortOption = None,
    gpus: Annotated[
        str | None,
        typer.Option(
            "--gpus",
            help="Accelerators of each host; --d and --bandwidth are then those of one. Hosts of "
            "unlike size: 4*8.8*12.",
            metavar="COUNT",
        ),
    ] = None,
    inner: Annotated[
        str | None,
        typer.Option(
            "--inner",
            help="What an accelerator sends to the inner switch, such as 450GB/s, or what joins "
            "them: mesh@64GB/s.",
            metavar="RATE",
        ),
    ] = None,
    inner_alpha: Annotated[
        str | None,
        typer.Option("--inner-alpha", help="Latency of a way inside a host.", metavar="TIME"),
    ] = None,
    template: Annotated[
        str | None,
        typer.Option(
            "--template",
            help="A host by name, such as HostH100, or a file: .json of a host or an InfraGraph, "
            ".xml of NCCL or lstopo, .txt of nvidia-smi topo -m.",
        ),
    ] = None,
    rails: Annotated[
        str,
        typer.Option(
            "--rails",
            help="Of hosts: own, a circuit joins ports of one number; any, ports that spare ways "
            "inside.",
        ),
    ] = "own",
    prices: Annotated[
        Path | None,
        typer.Option(
            "--prices",
            help="Unit prices and watts of parts, with --gpus or --template: .csv. --pareto then "
            "knows cost and power.",
        ),
    ] = None,
    link_rates: Annotated[
        str | None,
        typer.Option(
            "--link-rates",
            help="Ports of unlike speed that each host has, in place of --d and --bandwidth: "
            "2@100Gbps,2@200Gbps.",
            metavar="COUNT@RATE,...",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="With --link-rates: the quickest wiring with its rates; with --max-moves: the "
            "plan, plan.csv.",
        ),
    ] = None,
    max_moves: Annotated[
        int | None,
        typer.Option(
            "--max-moves",
            help="The quickest wiring so many moves from the one in place: with --inventory and "
            "--current.",
        ),
    ] = None,
    inventory: Annotated[
        Path | None,
        typer.Option("--inventory", help="With --max-moves: hosts, panels and their ports: .json."),
    ] = None,
    current: Annotated[
        Path | None,
        typer.Option("--current", help="With --max-moves: cross-connects in place, as for plan."),
    ] = None,
    backend: BackendOption = None,
    scheduler: SchedulerOption = None,
    db: DatabaseOption = DEFAULT_DATABASE,
    json: JsonOption = False,
) -> None:
    """Find the Pareto frontier of T_L against T_B for N hosts with d ports, and store it."""
    from topofinder.api.search import search as find

    seconds_for_f = float(quantities.seconds(time or "60s", "--time"))
    if gpus is not None or template is not None:
        from topofinder.api.search_hosts import search_hosts

        _refuse_others(context, "--gpus" if template is None else "--template", WITH_HOSTS)
        with status_line():
            hosts = search_hosts(
                *(n, gpus, d, inner, bandwidth),
                template=template,
                db=db,
                pareto=pareto,
                alpha=alpha,
                inner_alpha=inner_alpha,
                prices=prices,
                rails=rails,
                effort=effort or 0,
                gap=gap,
                time=seconds_for_f,
            )
        print(hosts.to_json() if json else hosts)
    elif max_moves is not None:
        from topofinder.api.search_moves import search_moves

        _refuse_others(context, "--max-moves", WITH_MOVES)
        if inventory is None or current is None:
            raise InvalidInput("--max-moves: needs --inventory and --current, what is in place")
        with status_line():
            reached = search_moves(
                *(n, inventory, current, max_moves),
                links if _is_given(context, "links") else None,
                db,
                d=d,
                workload=read_workload(alpha, size, bandwidth),
                output=output,
                time=seconds_for_f,
            )
        print(reached.to_json() if json else reached)
    elif link_rates is not None:
        from topofinder.api.search_link_rates import search_link_rates

        _refuse_others(context, "--link-rates", WITH_LINK_RATES)
        if alpha is None or size is None:
            raise InvalidInput("--link-rates: needs --alpha and --size")
        rated = search_link_rates(
            *(n, link_rates, links, db),
            alpha=alpha,
            size=size,
            collective=collective,
            output=output,
            effort=effort,
            methods=methods,
        )
        print(rated.to_json() if json else rated)
    else:
        _refuse_alone(context)
        if d is None:
            raise InvalidInput("--d: how many ports a host has is needed")
        with status_line():
            found = find(
                *(n, d, links, db),
                workload=read_workload(
                    *(alpha, size, bandwidth, sizes, collective, alltoall),
                    hosts=read_host_costs(epsilon, reduce_rate, injection),
                ),
                pareto=pareto,
                with_throughput=with_throughput,
                with_baselines=with_baselines,
                gap=gap,
                time=seconds_for_f,
                model=model,
                methods=methods,
                effort=effort,
                failed_pairs=failed_pairs,
                backend=backend,
                scheduler=scheduler,
                effort_time=inf if time is None else seconds_for_f,
            )
        print(found.to_json() if json else found)


def _is_given(context: typer.Context, name: str) -> bool:
    """Whether an option is on the command line."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def _refuse_others(context: typer.Context, option: str, known: frozenset[str]) -> None:
    """Refuse all that is given beside an option and of no use to it."""
    for parameter in context.command.params:
        if parameter.name not in known and _is_given(context, str(parameter.name)):
            raise InvalidInput(f"{parameter.opts[0]}: does not go with {option}")


def _refuse_alone(context: typer.Context) -> None:
    """Refuse what goes with an option that is not given."""
    for parameter in context.command.params:
        option = NEEDED.get(str(parameter.name))
        if option is not None and _is_given(context, str(parameter.name)):
            raise InvalidInput(f"{parameter.opts[0]}: goes with {option}")
