"""`topofinder schedule`: the schedule of a collective, in a file."""

from pathlib import Path
from typing import Annotated

import typer

from expansions.collective import Collective
from topofinder.cli.options import (
    DEFAULT_DATABASE,
    AlphaOption,
    BandwidthOption,
    DatabaseOption,
    JsonOption,
    SizeOption,
    workload,
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
            help="auto, bfb, expansion, synthesis, or a baseline: ring, shifted-ring...",
        ),
    ] = "auto",
    chunks: Annotated[
        int | None, typer.Option("--chunks", help="Equal chunks a shard, for a BFB schedule.")
    ] = None,
    root: Annotated[
        int | None, typer.Option("--root", help="The node of a broadcast or reduce.")
    ] = None,
    db: DatabaseOption = DEFAULT_DATABASE,
    alpha: AlphaOption = None,
    size: SizeOption = None,
    bandwidth: BandwidthOption = None,
    json: JsonOption = False,
) -> None:
    """Make the schedule of a collective on a recipe's graph, or on one in a file.

    The database keeps the file's path, its cost and the hash of its content.
    """
    from time import perf_counter

    from db.store import Store
    from expansions.schedule_files import write_schedule
    from reports.schedule import made_json, made_text
    from topofinder.schedule_record import keep, kept_in, made
    from topofinder.schedule_request import Request, answer

    request = Request(
        subject=subject,
        collective=collective,
        method=method,
        chunks=chunks,
        root=root,
        workload=workload(alpha, size, bandwidth, None, Collective.ALLREDUCE),
    )
    begun = perf_counter()
    found = answer(request, kept_in(db))
    seconds = perf_counter() - begun
    write_schedule(found.saved, output)
    with Store(db) as store:
        if not store.read_only:
            keep(store, request, found, output)
    print((made_json if json else made_text)(made(request, found, seconds, str(output))))
