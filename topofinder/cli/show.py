"""`topofinder show`: what is known of one recipe, or of one schedule."""

from typing import Annotated

import typer

from expansions.collective import Collective
from topofinder.cli.bar import status_line
from topofinder.cli.options import (
    DEFAULT_DATABASE,
    AlphaOption,
    BandwidthOption,
    BaselinesOption,
    JsonOption,
    LargeOption,
    NamingOption,
    SizeOption,
)
from topofinder.model.candidate import LinkMode


def show(
    subject: Annotated[
        str | None,
        typer.Argument(
            metavar="RECIPE|FILE",
            help="For example 'L^3(C(16,{3,4}))', a file made by schedule, or a wiring's file.",
        ),
    ] = None,
    with_baselines: BaselinesOption = False,
    beats: Annotated[
        bool,
        typer.Option(
            "--beats", help="What this base graph adds to the frontiers up to 2000 nodes."
        ),
    ] = False,
    links: Annotated[
        LinkMode | None,
        typer.Option("--links", help="For --beats: simplex, the default, or duplex."),
    ] = None,
    forest: Annotated[
        bool, typer.Option("--forest", help="1/x*, k, trees and bottleneck of an allgather.")
    ] = False,
    alpha: AlphaOption = None,
    size: SizeOption = None,
    bandwidth: BandwidthOption = None,
    fabrics: Annotated[
        bool, typer.Option("--fabrics", help="List the fabrics that have a name, and sources.")
    ] = False,
    baselines: Annotated[
        bool,
        typer.Option("--baselines", help="What rings, trees and others take on this very graph."),
    ] = False,
    collective: Annotated[
        Collective, typer.Option("--collective", help="For --baselines: what they carry out.")
    ] = Collective.ALLREDUCE,
    rank: Annotated[
        int | None,
        typer.Option("--rank", help="What this rank of a file sends and receives, in order."),
    ] = None,
    chunks: Annotated[
        int | None,
        typer.Option("--chunks", help="For --rank: equal parts that the --size is cut into."),
    ] = None,
    time: Annotated[
        str | None,
        typer.Option("--time", help="How long to pack a forest, such as 60s.", metavar="TIME"),
    ] = None,
    large: LargeOption = False,
    db: NamingOption = DEFAULT_DATABASE,
    json: JsonOption = False,
) -> None:
    """Show a recipe's size, exact cost and distance from the lower bounds; or a schedule's.

    Of a topology file the same is shown, by its best BFB schedule. Of a fabric such as
    'DGXA100(2)', and of a recipe or topology file with --forest, the best throughput and its
    bottleneck are shown, and the time for a --size; a forest's file tells the same. Of a
    timetable's file the time, its bound, and how busy the links are. Of any of these files --rank
    tells what one rank does, in bytes of a --size. With --baselines rings, trees, recursive
    halving and others are mapped on the graph by shortest routes, and what links carry is exact.
    """
    from topofinder.api.show import show as find

    with status_line() as tell:
        found = find(
            subject,
            with_baselines=with_baselines,
            beats=beats,
            links=links,
            forest=forest,
            alpha=alpha,
            size=size,
            bandwidth=bandwidth,
            fabrics=fabrics,
            baselines=baselines,
            collective=collective,
            rank=rank,
            chunks=chunks,
            large=large,
            time=time,
            tell=tell,
            db=db,
        )
    print(found.to_json() if json else found)
