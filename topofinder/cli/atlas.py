"""`topofinder atlas`: stored frontiers as a folder of pages."""

from pathlib import Path
from typing import Annotated

import typer

from expansions.collective import Collective
from topofinder.api.shared.workloads import read_workload
from topofinder.cli.bar import size_progress
from topofinder.cli.options import (
    DEFAULT_DATABASE,
    AlphaOption,
    BandwidthOption,
    CollectiveOption,
    QuietOption,
    SizeOption,
    SizesOption,
    StoredOption,
    ranges,
)
from topofinder.model.candidate import LinkMode


def atlas(
    out: Annotated[
        Path, typer.Option("--out", "-o", help="The folder of the pages; made if it is missing.")
    ],
    n: Annotated[str | None, typer.Option("--n", help="Hosts, such as 1024 or 900:1000.")] = None,
    d: Annotated[str | None, typer.Option("--d", help="Ports of a host, such as 4 or 2,8.")] = None,
    links: Annotated[
        LinkMode | None, typer.Option("--links", help="How circuits are wired.")
    ] = None,
    alpha: AlphaOption = None,
    size: SizeOption = None,
    bandwidth: BandwidthOption = None,
    sizes: SizesOption = None,
    collective: CollectiveOption = Collective.ALLREDUCE,
    files: Annotated[
        str, typer.Option("--files", help="What to write of each graph.", metavar="KIND[,KIND]")
    ] = "edges,graphml,json",
    time: Annotated[
        str | None,
        typer.Option("--time", metavar="TIME", help="End after so long, such as 5min."),
    ] = None,
    db: StoredOption = DEFAULT_DATABASE,
    quiet: QuietOption = False,
) -> None:
    """Write stored frontiers as pages to browse: a map of all sizes, and a page for each.

    Each page has the frontier, its bounds and recipes, pictures of the graphs, their files, and
    the commands that make them again. It needs no server. Sizes are coloured by the time of the
    workload over its lower bound. After --time, or Ctrl-C, it has the sizes that are written.
    """
    from topofinder.api.atlas import atlas as write

    asked = read_workload(alpha, size, bandwidth, sizes, collective)
    with size_progress(1, quiet) as tell:
        done = write(
            db,
            out,
            n=None if n is None else ranges(n, "--n"),
            d=None if d is None else ranges(d, "--d"),
            links=links,
            workload=asked,
            files=files,
            progress=tell,
            time=time,
        )
    if not quiet:
        print(done)
