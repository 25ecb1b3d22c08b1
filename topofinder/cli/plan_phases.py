"""`topofinder plan-phases`: whether it pays to re-wire a fabric between collectives."""

from typing import Annotated

import typer

from generators import quantities
from topofinder.cli.bar import status_line
from topofinder.cli.options import (
    DEFAULT_DATABASE,
    DatabaseOption,
    GapOption,
    JsonOption,
    LinksOption,
)
from topofinder.model.candidate import LinkMode


def plan_phases(
    phases: Annotated[
        str,
        typer.Argument(
            help="Collectives in their order, such as allreduce:1GiB,all-to-all:64MiB; the size of "
            "an all-to-all is that of each host."
        ),
    ],
    n: Annotated[int, typer.Option("--n", help="Number of hosts.")],
    d: Annotated[int, typer.Option("--d", help="Ports of each host.")],
    alpha: Annotated[
        str, typer.Option("--alpha", metavar="TIME", help="Latency of one hop, such as 10us.")
    ],
    bandwidth: Annotated[
        str, typer.Option("--bandwidth", metavar="RATE", help="Egress of one host, as 100Gbps.")
    ],
    change: Annotated[
        str | None,
        typer.Option("--change", metavar="TIME", help="How long a change of the wiring takes."),
    ] = None,
    move: Annotated[
        str | None,
        typer.Option(
            "--move",
            metavar="TIME",
            help="How long a move takes: changes take those that are planned, one after another.",
        ),
    ] = None,
    links: LinksOption = LinkMode.SIMPLEX,
    once: Annotated[
        bool, typer.Option("--once", help="The sequence is run once, not again and again.")
    ] = False,
    gap: GapOption = 0.01,
    time: Annotated[
        str, typer.Option("--time", metavar="TIME", help="How long to bound all throughputs.")
    ] = "15s",
    db: DatabaseOption = DEFAULT_DATABASE,
    json: JsonOption = False,
) -> None:
    """Choose a wiring for each collective of an iteration, with the time of the changes."""
    from topofinder.api.plan_phases import plan_phases as choose

    with status_line():
        found = choose(
            phases,
            n,
            d,
            change=change,
            move=move,
            alpha=alpha,
            bandwidth=bandwidth,
            links=links,
            once=once,
            gap=gap,
            time=float(quantities.seconds(time, "--time")),
            db=db,
        )
    print(found.to_json() if json else found)
