"""`topofinder report`: a page of one size, or of a range of sizes."""

from pathlib import Path
from typing import Annotated

import typer

from expansions.collective import Collective
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from topofinder.api.shared.workloads import read_workload
from topofinder.cli.bar import size_progress
from topofinder.cli.options import (
    DEFAULT_DATABASE,
    AlphaOption,
    BandwidthOption,
    CollectiveOption,
    DatabaseOption,
    LinksOption,
    ModelOption,
    QuietOption,
    SizeOption,
    SizesOption,
    numbers,
)
from topofinder.model.candidate import LinkMode
from topofinder.model.time_model import TimeModel


def report(
    n: Annotated[str, typer.Option("--n", help="Number of hosts, or a range such as 2:2000.")],
    d: Annotated[str, typer.Option("--d", help="Ports of each host; for a range several.")],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="A .html or .md file, or a folder for every format."),
    ] = None,
    formats: Annotated[
        str, typer.Option("--format", help="What to write to a folder.", metavar="KIND[,KIND]")
    ] = "html,md,csv,svg,png",
    links: LinksOption = LinkMode.SIMPLEX,
    alpha: AlphaOption = None,
    size: SizeOption = None,
    bandwidth: BandwidthOption = None,
    sizes: SizesOption = None,
    collective: CollectiveOption = Collective.ALLREDUCE,
    methods: Annotated[
        str | None,
        typer.Option(
            "--methods", help="Rate one size by the best of bfb,timed,forest, and store it."
        ),
    ] = None,
    model: ModelOption = TimeModel.PIPELINED,
    time: Annotated[
        str | None,
        typer.Option("--time", help="How long to search for many sizes.", metavar="TIME"),
    ] = None,
    db: DatabaseOption = DEFAULT_DATABASE,
    quiet: QuietOption = False,
) -> None:
    """Make a self-contained page of a size or a range: plots, tables and a recommendation.

    Without -o the report is printed as Markdown. Of many sizes it is of those that are finished
    when the --time is over or Ctrl-C comes.
    """
    from reports.pages.files import read_formats, require_document_place
    from topofinder.api.report import report as make

    kinds = read_formats(formats)
    if out is not None:
        require_document_place(out)
    asked = read_workload(alpha, size, bandwidth, sizes, collective)
    hosts, ports = numbers(n, "--n"), numbers(d, "--d")
    if len(hosts) == 1 and len(ports) > 1:
        raise InvalidInput(f"--d: one number for a report of one size, not {excerpt(d)}")
    many = len(hosts) * len(ports)
    with size_progress(many, quiet or (many == 1 and methods is None)) as tell:
        done = make(
            hosts, ports, out, formats=kinds, links=links, db=db, workload=asked, methods=methods,
            model=model, time=time, progress=tell,
        )  # fmt: skip
    print(done)
