"""`topofinder query`: what is stored, filtered, sorted and priced."""

import sys
from typing import Annotated

import typer

from expansions.collective import Collective
from generators.errors import InvalidInput
from topofinder.api.shared.workloads import read_workload
from topofinder.cli.bar import status_line
from topofinder.cli.options import (
    DEFAULT_DATABASE,
    AlphaOption,
    BackendOption,
    BandwidthOption,
    CollectiveOption,
    ExchangeOption,
    JsonOption,
    QuietOption,
    SchedulerOption,
    SizeOption,
    SizesOption,
    StoredOption,
    fraction,
    ranges,
)
from topofinder.interrupts import gc_paused
from topofinder.model.candidate import LinkMode


def query(
    n: Annotated[str | None, typer.Option("--n", help="Hosts, such as 1024 or 900:1000.")] = None,
    d: Annotated[str | None, typer.Option("--d", help="Ports of a host, such as 4 or 2,8.")] = None,
    links: Annotated[
        LinkMode | None, typer.Option("--links", help="How circuits are wired.")
    ] = None,
    family: Annotated[
        str | None,
        typer.Option("--family", help="A base graph such as circulant or C; or as stored: LC."),
    ] = None,
    method: Annotated[
        str | None, typer.Option("--method", help="What found the cost, such as bfb.")
    ] = None,
    recipe_contains: Annotated[
        str | None, typer.Option("--recipe-contains", help="Text in the recipe, such as L^2.")
    ] = None,
    identity: Annotated[
        str | None, typer.Option("--id", help="How the candidate's id begins.", metavar="HEX")
    ] = None,
    max_steps: Annotated[
        int | None, typer.Option("--max-steps", help="Most T_L, in alpha.", min=0)
    ] = None,
    max_bandwidth: Annotated[
        str | None,
        typer.Option("--max-bandwidth", help="Most T_B, in M/B: 1.02, 1023/1024.", metavar="F"),
    ] = None,
    max_diameter: Annotated[
        int | None, typer.Option("--max-diameter", help="Most diameter, in hops.", min=0)
    ] = None,
    bandwidth_optimal: Annotated[
        bool, typer.Option("--bw-optimal", help="Only those of the least possible T_B.")
    ] = False,
    moore_optimal: Annotated[
        bool, typer.Option("--moore-optimal", help="Only those of the least possible T_L.")
    ] = False,
    exact: Annotated[bool, typer.Option("--exact", help="Only those of exact cost.")] = False,
    everything: Annotated[
        bool | None,
        typer.Option("--all/--frontier", help="All candidates, or only frontier members."),
    ] = None,
    alpha: AlphaOption = None,
    size: SizeOption = None,
    bandwidth: BandwidthOption = None,
    sizes: SizesOption = None,
    collective: CollectiveOption = Collective.ALLREDUCE,
    alltoall: ExchangeOption = None,
    with_throughput: Annotated[
        bool, typer.Option("--with-throughput", help="Also tell the stored all-to-all throughput.")
    ] = False,
    with_failures: Annotated[
        bool,
        typer.Option("--with-failures", help="Also rate allreduces after any one failure."),
    ] = False,
    train: Annotated[
        str | None,
        typer.Option("--train", help="Sort by a stored training of this model.", metavar="MODEL"),
    ] = None,
    training: Annotated[
        str | None,
        typer.Option("--training", help="How the id of the training begins.", metavar="HEX"),
    ] = None,
    backend: BackendOption = None,
    scheduler: SchedulerOption = None,
    time: Annotated[
        str | None,
        typer.Option("--time", metavar="TIME", help="End trainings after so long, such as 5min."),
    ] = None,
    sort: Annotated[
        str | None, typer.Option("--sort", help="Sort by this column.", metavar="COLUMN")
    ] = None,
    descending: Annotated[
        bool, typer.Option("--descending", help="Sort from the most to the least.")
    ] = False,
    limit: Annotated[int | None, typer.Option("--limit", help="At most so many.", min=0)] = None,
    columns: Annotated[
        str | None,
        typer.Option("--columns", help="Columns to show, such as n,d,recipe.", metavar="LIST"),
    ] = None,
    csv: Annotated[bool, typer.Option("--csv", help="Print CSV instead of a table.")] = False,
    markdown: Annotated[
        bool, typer.Option("--markdown", help="Print Markdown instead of a table.")
    ] = False,
    json: JsonOption = False,
    db: StoredOption = DEFAULT_DATABASE,
    quiet: QuietOption = False,
) -> None:
    """Find stored topologies: filter, sort, and price them for a workload.

    A candidate's T_L and T_B are those of an allgather. The columns are told in docs/query.md.
    With --backend workers rate what --with-failures and --train ask for; trainings are stored.
    After --time, or Ctrl-C, the rows are of the sizes that are trained on by then.
    """
    from topofinder.api.query import query as find

    _require_one(csv=csv, markdown=markdown, json=json)
    if columns is not None and json:
        raise InvalidInput("--columns is for tables; --json tells every field")
    times = None
    if train is None or size or sizes or alltoall:
        times = read_workload(alpha, size, bandwidth, sizes, collective, alltoall)
    with gc_paused():
        with status_line(quiet):
            found = find(
                db,
                n=None if n is None else ranges(n, "--n"),
                d=None if d is None else ranges(d, "--d"),
                links=links,
                family=family,
                method=method,
                recipe_contains=recipe_contains,
                id=identity,
                max_steps=max_steps,
                max_bandwidth=None
                if max_bandwidth is None
                else fraction(max_bandwidth, "--max-bandwidth"),
                max_diameter=max_diameter,
                bandwidth_optimal=bandwidth_optimal,
                moore_optimal=moore_optimal,
                exact=exact,
                everything=everything,
                workload=times,
                with_throughput=with_throughput,
                with_failures=with_failures,
                train=train,
                alpha=None if train is None else alpha,
                bandwidth=None if train is None else bandwidth,
                training=training,
                backend=backend,
                scheduler=scheduler,
                time=time,
                sort=sort,
                descending=descending,
                limit=limit,
                columns=columns,
            )
        if json:
            print(found.to_json())
        else:
            print(found.to_csv() if csv else found.to_markdown() if markdown else found)
    if not (found or quiet):
        further = "" if everything else "; --all looks beyond the frontiers"
        print(f"nothing that is stored agrees with all of this{further}", file=sys.stderr)


def _require_one(**asked: bool) -> None:
    """Refuse two formats at once."""
    named = [f"--{name}" for name, wanted in asked.items() if wanted]
    if len(named) > 1:
        raise InvalidInput(f"{' and '.join(named)} exclude each other")
