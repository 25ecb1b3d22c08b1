"""`topofinder throughput`: how fast all-to-all can be, as a certified interval."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from generators import quantities
from generators.errors import InvalidInput
from topofinder.alltoall.demand.patterns import pattern_signatures
from topofinder.alltoall.register import method_names
from topofinder.api.shared.file_kinds import TOPOLOGY, explain_wrong_file
from topofinder.api.shared.places import check_places
from topofinder.cli.bar import status_line
from topofinder.cli.options import (
    DEFAULT_DATABASE,
    BandwidthOption,
    DatabaseOption,
    JsonOption,
    QuietOption,
    one_of,
)
from topofinder.exporters.register import exporters_of

if TYPE_CHECKING:
    from topofinder.alltoall.result import ThroughputProgress

ROUTE_SUFFIXES = one_of(exporter.suffix for exporter in exporters_of("routes"))


def throughput(
    subject: Annotated[
        str,
        typer.Argument(metavar="RECIPE|FILE", help="A recipe, or a .graphml, .json, .edges file."),
    ],
    gap: Annotated[
        float, typer.Option("--gap", help="How far the bounds may be apart, relatively.")
    ] = 0.001,
    time: Annotated[
        str, typer.Option("--time", help="How long to try, such as 60s.", metavar="TIME")
    ] = "60s",
    method: Annotated[str, typer.Option("--method", help=f"{', '.join(method_names())}.")] = "auto",
    pattern: Annotated[
        str,
        typer.Option(
            "--pattern",
            help=one_of(pattern_signatures()),
        ),
    ] = "uniform",
    demand: Annotated[
        Path | None,
        typer.Option("--demand", help="A matrix, source by sink: .csv, or .npz with 'demand'."),
    ] = None,
    size: Annotated[
        str | None,
        typer.Option("--size", help="Data of each node, such as 1MiB.", metavar="SIZE"),
    ] = None,
    bandwidth: BandwidthOption = None,
    certificate: Annotated[
        Path | None, typer.Option("--certificate", help="File for the proof: .npz or .json.")
    ] = None,
    routes: Annotated[
        Path | None, typer.Option("--routes", help=f"File for the routes: {ROUTE_SUFFIXES}.")
    ] = None,
    routing: Annotated[
        str,
        typer.Option(
            "--routing",
            help="paths (weighted), single (one path a pair) or flows (by source and arc).",
        ),
    ] = "paths",
    seed: Annotated[int, typer.Option("--seed", help="For --routing single.")] = 0,
    db: DatabaseOption = DEFAULT_DATABASE,
    json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Bound the rate of all-to-all on a recipe's graph, or on one in a file.

    The interval is certain. Ctrl-C ends the search and tells the best one so far.
    """
    from db.store import Store
    from generators.formats.container import container_suffix
    from reports.throughput import bounded_fields, bounded_text
    from topofinder.api.shared.stored_throughputs import keep_rate
    from topofinder.api.throughput import throughput as find
    from topofinder.api.throughput_records import bounded, routed, timed
    from topofinder.exporters.route_files import require_route_suffix, require_routing
    from topofinder.model.certificate_files import write_certificate

    if size is None and bandwidth is not None:
        raise InvalidInput("--bandwidth is for the time that a --size takes")
    amount = None if size is None else quantities.size(size, "--size")
    egress = None if bandwidth is None else quantities.rate(bandwidth, "--bandwidth")
    seconds = float(quantities.seconds(time, "--time"))
    require_routing(routing)
    if routes is not None:
        require_route_suffix(routes)
    if certificate is not None:
        container_suffix(certificate)
    check_places(db, certificate, routes)
    with _shown(quiet) as tell, explain_wrong_file("throughput", subject, TOPOLOGY):
        found = find(
            subject,
            pattern=pattern,
            demand=demand,
            gap=gap,
            time=seconds,
            method=method,
            tell=tell,
        )
    times = None if amount is None else timed(found, amount, egress)
    proof = found.certificate if certificate or routes else None
    if proof is not None and certificate is not None:
        write_certificate(proof, certificate)
    way = routed(proof, routes, routing, seed) if proof is not None and routes else None
    print(
        dumps(bounded_fields(bounded(found, times, certificate, way)), indent=2)
        if json
        else bounded_text(bounded(found, times, certificate, way))
    )
    with Store(db) as store:
        keep_rate(store, found.row())


@contextmanager
def _shown(quiet: bool) -> Iterator[Callable[["ThroughputProgress"], None] | None]:
    """A line on the terminal with the interval so far."""
    with status_line(quiet) as update:
        if update is None:
            yield None
            return
        from reports.throughput import interval_text

        def tell(now: "ThroughputProgress") -> None:
            told = interval_text(now.lower, now.upper)
            update(f"{told}, {now.method}, {now.seconds:.0f} s")

        yield tell
