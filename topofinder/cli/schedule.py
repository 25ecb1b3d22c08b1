"""`topofinder schedule`: the schedule of a collective, in a file."""

from json import dumps
from pathlib import Path
from typing import Annotated

import typer

from expansions.collective import Collective
from generators import quantities
from generators.errors import InvalidInput
from topofinder.api.shared.places import check_places
from topofinder.api.shared.workloads import read_workload
from topofinder.cli.file_kinds import TOPOLOGY, explain_wrong_file
from topofinder.cli.forest import (
    FOREST,
    DegradeOption,
    FailLinksOption,
    FailNodesOption,
    ForestWish,
    KOption,
    MulticastOption,
    OverlapOption,
    PackTimeOption,
    SeedOption,
    WeightsOption,
    plant,
    root_number,
    transfer_of,
)
from topofinder.cli.options import (
    DEFAULT_DATABASE,
    AlphaOption,
    BandwidthOption,
    DatabaseOption,
    JsonOption,
    SizeOption,
)


def schedule(
    subject: Annotated[
        str,
        typer.Argument(metavar="RECIPE|FILE", help="A recipe, or a .graphml, .json, .edges file."),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="File: .npz or .json.")],
    collective: Annotated[
        Collective, typer.Option("--collective", help="What the schedule carries out.")
    ] = Collective.ALLGATHER,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            help="auto, bfb, expansion, synthesis, forest, or a baseline: ring, shifted-ring...",
        ),
    ] = "auto",
    chunks: Annotated[
        int | None, typer.Option("--chunks", help="Equal chunks a shard, for a BFB schedule.")
    ] = None,
    root: Annotated[
        str | None, typer.Option("--root", help="The node of a broadcast or reduce.")
    ] = None,
    k: KOption = None,
    weights: WeightsOption = None,
    fail_links: FailLinksOption = None,
    fail_nodes: FailNodesOption = None,
    degrade: DegradeOption = None,
    seed: SeedOption = 0,
    multicast: MulticastOption = True,
    overlap: OverlapOption = False,
    time: PackTimeOption = None,
    compact: Annotated[
        bool | None,
        typer.Option(
            "--compact/--whole",
            help="Keep the rows of one node and the graph's symmetry, or all rows; unless told, "
            "an .npz file is compact where all rows do not fit.",
            show_default=False,
        ),
    ] = None,
    db: DatabaseOption = DEFAULT_DATABASE,
    alpha: AlphaOption = None,
    size: SizeOption = None,
    bandwidth: BandwidthOption = None,
    json: JsonOption = False,
) -> None:
    """Make the schedule of a collective on a recipe's graph, or on one in a file.

    The database keeps the file's path, its cost and the hash of its content. --k, --weights,
    --fail-links, --fail-nodes, --degrade, --overlap and --time are for --method forest.
    """
    wish = ForestWish(
        k=k,
        weights=weights or [],
        fail_links=fail_links or [],
        fail_nodes=fail_nodes or [],
        degrade=degrade or [],
        seed=seed,
        multicast=multicast,
        overlap=overlap,
        time=None if time is None else quantities.seconds(time, "--time"),
    )
    if method == FOREST:
        if chunks is not None:
            raise InvalidInput(f"--chunks is for BFB schedules, not {chunks} for a forest")
        if compact is not None:
            raise InvalidInput("--compact and --whole are for schedules of rows, not for a forest")
        transfer = transfer_of(alpha, size, bandwidth)
        with explain_wrong_file("schedule", subject, TOPOLOGY):
            plant(subject, output, collective, root, wish, db, transfer, json)
        return
    wish.refuse_for(method)
    times = read_workload(alpha, size, bandwidth, None, Collective.ALLREDUCE)
    from time import perf_counter

    from db.store import Store
    from expansions.schedule_files import most_rows, write_schedule
    from reports.schedule import made_fields, made_text
    from topofinder.api.schedule import Request, answer
    from topofinder.api.schedule_records import keep, kept_in, made

    request = Request(
        subject=subject,
        collective=collective,
        method=method,
        chunks=chunks,
        root=root_number(root),
        workload=times,
        compact=False if compact is None and output.suffix.lower() == ".json" else compact,
        most_rows=most_rows(output),
    )
    check_places(db, output)
    begun = perf_counter()
    with explain_wrong_file("schedule", subject, TOPOLOGY):
        found = answer(request, kept_in(db))
    seconds = perf_counter() - begun
    write_schedule(found.saved, output)
    print(
        dumps(made_fields(made(request, found, seconds, str(output))), indent=2)
        if json
        else made_text(made(request, found, seconds, str(output)))
    )
    with Store(db) as store:
        if not store.read_only:
            keep(store, request, found, output)
