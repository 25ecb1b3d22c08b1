"""The routes that reach a throughput, in a file."""

from fractions import Fraction
from pathlib import Path

from reports.throughput import RoutesRecord, routes_fields
from topofinder.alltoall.routing.paths import decompose_flow
from topofinder.alltoall.routing.single_paths import single_paths
from topofinder.exporters.route_files import Routes, require_routing, write_routes
from topofinder.model.certificate import Certificate


def write_routed(
    certificate: Certificate, file: Path, routing: str = "paths", seed: int = 0
) -> RoutesRecord:
    """Write routes to a .csv or .json file and tell what they reach.

    `routing` is "paths" (weighted paths of every pair), "single" (one path of every pair, chosen
    with `seed`) or "flows" (how much of each source's demands crosses each arc). Raises
    InvalidInput for another one, and for files that cannot be written.
    """
    require_routing(routing)
    if routing == "flows":
        told = RoutesRecord(
            file=str(file), routing=routing, rows=None, rate=certificate.lower, loss=Fraction()
        )
        write_routes(Routes(flows=certificate, facts=_facts(certificate, told)), file)
        return told
    paths = decompose_flow(certificate)
    if routing == "single":
        paths = single_paths(paths, seed)
    rate = paths.rate()
    told = RoutesRecord(
        file=str(file),
        routing=routing,
        rows=len(paths.sink),
        rate=rate,
        loss=max(1 - rate / certificate.lower, Fraction()),
        mean_hops=paths.mean_hops,
        most_hops=int(paths.hops.max()),
    )
    write_routes(Routes(paths=paths, facts=_facts(certificate, told)), file)
    return told


def _facts(certificate: Certificate, told: RoutesRecord) -> dict[str, object]:
    """What heads a JSON document of routes."""
    graph = {"recipe": certificate.recipe, "n": certificate.topology.n}
    facts = {name: value for name, value in routes_fields(told).items() if name != "file"}
    return {**graph, "demand": certificate.demand_label, **facts}
