"""`topofinder plan`: the patch moves from the wiring in place to a topology."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from topofinder.cli.bar import status_line
from topofinder.cli.options import (
    DEFAULT_DATABASE,
    AlphaOption,
    BandwidthOption,
    DatabaseOption,
    JsonOption,
    PricesOption,
    SizeOption,
)
from topofinder.model.candidate import LinkMode

InventoryOption = Annotated[
    Path, typer.Option("--inventory", help="Hosts, panels and their ports: .json.")
]
CurrentOption = Annotated[
    Path,
    typer.Option(
        "--current",
        help="Cross-connects in place: .csv, or what switches show (show ocs ..., CONFIG_DB).",
    ),
]

KeepConnectedOption = Annotated[
    bool, typer.Option("--keep-connected", help="An order that keeps hosts connected.")
]
TakeOutOption = Annotated[
    str | None,
    typer.Option(
        "--take-out", metavar="SHARE", help="Links of a host out at a time, at most: 0.25."
    ),
]
CutOption = Annotated[
    list[str] | None,
    typer.Option("--cut", metavar="HOSTS", help="The same of what leaves these: 'rack1-*'."),
]
KeepThroughputOption = Annotated[
    str | None,
    typer.Option("--keep-throughput", metavar="SHARE", help="Of it, kept amid each stage: 0.5."),
]
DemandOption = Annotated[
    str | None,
    typer.Option(
        "--demand", metavar="PATTERN|FILE", help="Whose throughput is kept; uniform if not told."
    ),
]
LossesOption = Annotated[
    Path | None,
    typer.Option("--losses", help="Insertion losses: .csv with port_a, port_b (or none), loss."),
]
LossBudgetOption = Annotated[
    str | None,
    typer.Option("--loss-budget", metavar="DB", help="What a new circuit may lose: 3.5."),
]
ScriptsOption = Annotated[
    str | None,
    typer.Option("--format", help="sonic-ocs: commands of each optical circuit switch too."),
]


def plan(
    inventory: InventoryOption,
    current: CurrentOption,
    to: Annotated[
        list[str] | None,
        typer.Option(
            "--to",
            metavar="RECIPE|FILE",
            help="What to wire; of several, the nearest.",
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="plan.csv: also plan.json, plan.rollback.csv, plan.wiring.csv."
        ),
    ] = None,
    max_moves: Annotated[
        int | None,
        typer.Option("--max-moves", help="The quickest wiring that so many moves lead to."),
    ] = None,
    loss: Annotated[
        str | None,
        typer.Option("--loss", help="Fewest moves to one that takes at most so much longer: 5%."),
    ] = None,
    grow: Annotated[
        int,
        typer.Option("--grow", help="The nearest wiring of so many hosts more."),
    ] = 0,
    alpha: AlphaOption = None,
    size: SizeOption = None,
    bandwidth: BandwidthOption = None,
    hosts: Annotated[
        str | None, typer.Option("--hosts", help="Hosts that may take part: 'h0,rack1-*'.")
    ] = None,
    mode: Annotated[
        LinkMode | None, typer.Option("--mode", help="Circuits; duplex if the graph is two-way.")
    ] = None,
    keep_connected: KeepConnectedOption = False,
    take_out: TakeOutOption = None,
    cut: CutOption = None,
    keep_throughput: KeepThroughputOption = None,
    demand: DemandOption = None,
    losses: LossesOption = None,
    loss_budget: LossBudgetOption = None,
    reach: Annotated[
        str | None,
        typer.Option("--reach", metavar="LENGTH", help="Longer circuits are told: 100m."),
    ] = None,
    least: Annotated[
        str, typer.Option("--least", help="moves, fibre, or reach: circuits longer than that.")
    ] = "moves",
    pin: Annotated[
        list[str] | None, typer.Option("--pin", metavar="HOST=NODE", help="Who plays a node.")
    ] = None,
    start: Annotated[
        Path | None, typer.Option("--start", help="A placement to better: node,host on each line.")
    ] = None,
    fail_port: Annotated[
        list[str] | None, typer.Option("--fail-port", help="A dead port: h0:1 or A:17.")
    ] = None,
    fail_link: Annotated[
        list[str] | None, typer.Option("--fail-link", help="A dead circuit: h0:1=h3:0.")
    ] = None,
    fail_host: Annotated[list[str] | None, typer.Option("--fail-host", help="A dead host.")] = None,
    forbid: Annotated[
        list[str] | None,
        typer.Option(
            "--forbid", metavar="PAIR", help="Not to be joined: h0=h1, h0:1=h3:0, or h0=P1."
        ),
    ] = None,
    link_rates: Annotated[
        str | None,
        typer.Option(
            "--link-rates",
            metavar="RATES",
            help="Of ports: 2@100Gbps,2@200Gbps in their order, or A=100Gbps,B=200Gbps by panel.",
        ),
    ] = None,
    degraded: Annotated[
        bool, typer.Option("--degraded", help="Where ports are lacking, the best that is left.")
    ] = False,
    fewer: Annotated[
        str | None,
        typer.Option("--fewer", help="With --degraded: fewer moves, links, ports or hosts."),
    ] = None,
    spares: Annotated[
        int, typer.Option("--spares", help="Hosts to keep in reserve, with all ports in order.")
    ] = 0,
    seed: Annotated[int, typer.Option("--seed", help="Of the search for a placement.")] = 0,
    time: Annotated[
        str, typer.Option("--time", metavar="TIME", help="How long to search, such as 60s.")
    ] = "60s",
    prices: PricesOption = None,
    form: ScriptsOption = None,
    work_order: Annotated[
        Path | None,
        typer.Option(
            "--work-order", help="Page to print, .html, or list by crew, .csv, of the moves."
        ),
    ] = None,
    crews: Annotated[
        int | None, typer.Option("--crews", help="So many crews walk between patch panels.")
    ] = None,
    db: DatabaseOption = DEFAULT_DATABASE,
    json: JsonOption = False,
) -> None:
    """Plan as few patch moves as possible, in stages, with a rollback.

    Every plan is replayed move by move before it is told, written and stored. Ctrl-C ends the
    search with the best placement so far.
    """
    from topofinder.api.plan import plan as find
    from topofinder.api.shared.workloads import read_workload

    with status_line():
        found = find(
            inventory,
            current,
            to or (),
            output,
            max_moves=max_moves,
            loss=loss,
            grow=grow,
            workload=read_workload(alpha, size, _egress(bandwidth, link_rates, size)),
            hosts=hosts,
            mode=mode,
            keep_connected=keep_connected,
            take_out=take_out,
            cuts=cut or (),
            keep_throughput=keep_throughput,
            demand=demand,
            losses=losses,
            loss_budget=loss_budget,
            reach=reach,
            least=least,
            pins=_pins(pin or ()),
            start=start,
            fail_ports=_split_names(fail_port),
            fail_links=_split_names(fail_link),
            fail_hosts=_split_names(fail_host),
            forbid=_split_names(forbid),
            link_rates=link_rates,
            degraded=degraded,
            fewer=fewer,
            spares=spares,
            seed=seed,
            time=time,
            prices=prices,
            form=form,
            work_order=work_order,
            crews=crews,
            db=db,
        )
    print(found.to_json() if json else found)


def _egress(bandwidth: str | None, link_rates: str | None, size: str | None) -> str | None:
    """What a host sends: with rates of ports nothing else may be told, and nothing hangs on it."""
    if link_rates is None:
        return bandwidth
    if bandwidth is not None:
        raise InvalidInput("--bandwidth: --link-rates tells the rates of ports")
    return None if size is None else "1Gbps"


def _split_names(texts: Sequence[str] | None) -> list[str]:
    """Names from options that may be given several times, each with commas."""
    return [name.strip() for text in texts or () for name in text.split(",")]


def _pins(texts: Sequence[str]) -> dict[str, int]:
    pins: dict[str, int] = {}
    for text in _split_names(texts):
        host, sign, node = text.partition("=")
        if not sign or not (node.isascii() and node.isdigit() and len(node) < 10):
            raise InvalidInput(f"--pin: HOST=NODE is needed, not {excerpt(text)}")
        if host in pins:
            raise InvalidInput(f"--pin: {host} cannot play two nodes")
        pins[host] = int(node)
    return pins
