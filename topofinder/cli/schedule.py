"""`topofinder schedule`: the schedule of a collective, in a file."""

from pathlib import Path
from typing import Annotated

import typer

from expansions.collective import Collective
from generators.errors import InvalidInput
from topofinder.cli.bar import status_line
from topofinder.cli.options import (
    DEFAULT_DATABASE,
    AlphaOption,
    BandwidthOption,
    DatabaseOption,
    EpsilonOption,
    InjectionOption,
    JsonOption,
    LargeOption,
    ModelOption,
    ReduceRateOption,
    SizeOption,
)
from topofinder.model.time_model import TimeModel

KOption = Annotated[
    str | None,
    typer.Option(
        "--k",
        help="Trees a root, or optimal; unless told, as few as lose 0.1 % where the optimum takes "
        "more than 32.",
    ),
]
LossOption = Annotated[
    str | None,
    typer.Option(
        "--loss",
        help="As few trees a root, or chunks over unequal links, as take so much longer: 0.5%.",
    ),
]
PreferOption = Annotated[
    str | None,
    typer.Option("--prefer", help="trees: few different ones; height: low ones; within --loss."),
]
TableOption = Annotated[
    bool,
    typer.Option(
        "--table",
        help="Forests of fewer and of lower trees beside it; without -o, what is known beforehand.",
    ),
]
WeightsOption = Annotated[
    list[str] | None,
    typer.Option("--weights", help="NODE=NUMBER,...: how much a node sends; others 1."),
]
FailLinksOption = Annotated[
    list[str] | None,
    typer.Option("--fail-links", help="A-B (both ways), A>B, A-B*2 (two of several), or 5%."),
]
FailNodesOption = Annotated[
    list[str] | None, typer.Option("--fail-nodes", help="Names or numbers of nodes.")
]
DegradeOption = Annotated[
    list[str] | None,
    typer.Option("--degrade", help="LINK=FRACTION: what is left of its capacity."),
]
SeedOption = Annotated[
    int, typer.Option("--seed", help="Of links that fail by percentage, and of the packing.")
]
MulticastOption = Annotated[
    bool,
    typer.Option(
        "--multicast/--no-multicast", help="Whether switches multicast and combine if they can."
    ),
]
PackTimeOption = Annotated[
    str | None,
    typer.Option(
        "--time",
        help="How long to pack trees, or to look for timed schedules, such as 60s.",
        metavar="TIME",
    ),
]
OverlapOption = Annotated[
    bool,
    typer.Option("--overlap", help="Share links between the phases of an allreduce, run at once."),
]
RoutingOption = Annotated[
    str | None,
    typer.Option(
        "--routing",
        help="Routes through switches: any, shortest or updown; unless told, updown where switches "
        "have tiers and it costs nothing.",
        show_default=False,
    ),
]
TriesOption = Annotated[
    int | None,
    typer.Option(
        "--tries",
        help="Seeds, from --seed on, that are tried: 1 of forests unless told, 3 of timed ones.",
    ),
]
MatchingOption = Annotated[
    str, typer.Option("--matching", help="best, or random as TACOS was published.")
]
UnwindOption = Annotated[
    int | None,
    typer.Option("--unwind", help="Neighbours of each host behind a switch, as in TACOS."),
]
PatternOption = Annotated[
    str | None, typer.Option("--pattern", help="Who sends to whom in an all-to-all.")
]
PipelineOption = Annotated[
    str | None,
    typer.Option(
        "--pipeline",
        help="Run a step schedule in so many parts as a pipeline; auto: as many as are the "
        "quickest for --size.",
        metavar="PARTS",
    ),
]
DemandOption = Annotated[
    Path | None, typer.Option("--demand", help="File of a demand matrix, for an all-to-all.")
]


def schedule(
    subject: Annotated[
        str,
        typer.Argument(metavar="RECIPE|FILE", help="A recipe, or a .graphml, .json, .edges file."),
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File: .npz or .json; not needed with --large."),
    ] = None,
    collective: Annotated[
        Collective, typer.Option("--collective", help="What the schedule carries out.")
    ] = Collective.ALLGATHER,
    method: Annotated[
        str,
        typer.Option("--method", help="{schedule methods}."),
    ] = "auto",
    chunks: Annotated[
        int | None,
        typer.Option("--chunks", help="Equal chunks a shard, for a BFB or a timed schedule."),
    ] = None,
    root: Annotated[
        str | None, typer.Option("--root", help="The node of a broadcast or reduce.")
    ] = None,
    k: KOption = None,
    loss: LossOption = None,
    prefer: PreferOption = None,
    table: TableOption = False,
    weights: WeightsOption = None,
    fail_links: FailLinksOption = None,
    fail_nodes: FailNodesOption = None,
    degrade: DegradeOption = None,
    seed: SeedOption = 0,
    multicast: MulticastOption = True,
    overlap: OverlapOption = False,
    routing: RoutingOption = None,
    time: PackTimeOption = None,
    model: ModelOption = TimeModel.PIPELINED,
    tries: TriesOption = None,
    matching: MatchingOption = "best",
    unwind: UnwindOption = None,
    pattern: PatternOption = None,
    demand: DemandOption = None,
    compact: Annotated[
        bool | None,
        typer.Option(
            "--compact/--whole",
            help="Keep the rows of one node and the graph's symmetry, or all rows; unless told, "
            "an .npz file of more than a million rows is compact.",
            show_default=False,
        ),
    ] = None,
    db: DatabaseOption = DEFAULT_DATABASE,
    alpha: AlphaOption = None,
    size: SizeOption = None,
    bandwidth: BandwidthOption = None,
    epsilon: EpsilonOption = None,
    reduce_rate: ReduceRateOption = None,
    injection: InjectionOption = None,
    pipeline: PipelineOption = None,
    large: LargeOption = False,
    json: JsonOption = False,
) -> None:
    """Make the schedule of a collective on a recipe's graph, or on one in a file.

    The database keeps the file's path, its cost and the hash of its content. --k, --loss,
    --prefer, --table, --multicast, --overlap and --routing are for --method forest; --weights,
    --fail-links, --fail-nodes and --degrade are for forest and timed. With --large --method timed
    makes timetables in rounds of more sends than are kept: an .npz has them in blocks, a .json what
    makes them anew.
    """
    from topofinder.api.schedule import schedule as make
    from topofinder.api.shared.stored_recipes import whole_recipe
    from topofinder.api.shared.subjects import check_recipe

    if output is None and not large and not table:
        check_recipe(whole_recipe(subject, db))
        raise InvalidInput("--output: an .npz or .json file is needed, unless with --large")

    with status_line() as tell:
        found = make(
            subject,
            output,
            collective=collective,
            method=method,
            chunks=chunks,
            root=root,
            k=k,
            loss=loss,
            prefer=prefer,
            table=table,
            weights=weights or (),
            fail_links=fail_links or (),
            fail_nodes=fail_nodes or (),
            degrade=degrade or (),
            seed=seed,
            multicast=multicast,
            overlap=overlap,
            routing=routing,
            time=time,
            model=model,
            tries=tries,
            matching=matching,
            unwind=unwind,
            pattern=pattern,
            demand=demand,
            compact=compact,
            db=db,
            alpha=alpha,
            size=size,
            bandwidth=bandwidth,
            epsilon=epsilon,
            reduce_rate=reduce_rate,
            injection=injection,
            pipeline=pipeline,
            large=large,
            tell=tell,
        )
    print(found.to_json() if json else found)
