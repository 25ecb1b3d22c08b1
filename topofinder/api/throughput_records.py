"""A throughput that was found, with all that was asked beside it, as a report tells it."""

from fractions import Fraction
from pathlib import Path

from generators.errors import InvalidInput
from generators.shown import shown
from reports.throughput import Bounded, Proof, Routed, Timed, routed_fields
from topofinder.alltoall.demand.patterns import pattern_demand
from topofinder.alltoall.routing.paths import decompose_flow
from topofinder.alltoall.routing.single_paths import single_paths
from topofinder.api.shared.same_graph import other_graph
from topofinder.api.throughput import MATRIX, UNIFORM, Throughput
from topofinder.exporters.route_files import require_routing, write_routes
from topofinder.model.certificate import Certificate
from topofinder.model.certificate_digest import demand_digest
from topofinder.verification.certificates import check_certificate


def bounded(
    found: Throughput,
    timed: Timed | None = None,
    certificate: Path | None = None,
    routed: Routed | None = None,
) -> Bounded:
    """What there is to say of a throughput."""
    answer, topology = found.answer, found.problem.topology
    return Bounded(
        subject=found.subject,
        recipe=found.recipe,
        n=topology.n,
        d=topology.degree,
        demand=found.demand_label,
        lower=found.lower,
        upper=found.upper,
        method=answer.method,
        seconds=answer.seconds,
        hop_bound=answer.hop_bound,
        moore_bound=answer.moore_bound,
        interrupted=answer.interrupted,
        timed=timed,
        certificate=None if certificate is None else str(certificate),
        routed=routed,
    )


def timed(found: Throughput, size: Fraction, bandwidth: Fraction | None) -> Timed:
    """How long an all-to-all takes."""
    least, most = found.times(size, bandwidth)
    return Timed(size=size, bandwidth=bandwidth, least=least, most=most)


def routed(certificate: Certificate, file: Path, routing: str = "paths", seed: int = 0) -> Routed:
    """Write routes to a .csv or .json file and tell what they reach.

    `routing` is "paths" (weighted paths of every pair), "single" (one path of every pair, chosen
    with `seed`) or "flows" (how much of each source's demands crosses each arc). Raises
    InvalidInput for another one, and for files that cannot be written.
    """
    require_routing(routing)
    if routing == "flows":
        told = Routed(
            file=str(file), routing=routing, rows=None, rate=certificate.lower, loss=Fraction()
        )
        write_routes(file, _facts(certificate, told), certificate)
        return told
    paths = decompose_flow(certificate)
    if routing == "single":
        paths = single_paths(paths, seed)
    rate = paths.rate()
    told = Routed(
        file=str(file),
        routing=routing,
        rows=len(paths.sink),
        rate=rate,
        loss=max(1 - rate / certificate.lower, Fraction()),
        mean_hops=paths.mean_hops,
        most_hops=int(paths.hops.max()),
    )
    write_routes(file, _facts(certificate, told), paths)
    return told


def proof(certificate: Certificate, on: str | None = None) -> Proof:
    """What a certificate proves, on its own graph, which must be that of its recipe and of `on`.

    The demand must be that of the pattern. Raises InvalidInput when `on` cannot be read.
    """
    violation = other_graph(certificate.topology, certificate.recipe, on)
    violation = violation or other_demand(certificate)
    lower = upper = None
    if violation is None:
        proved = check_certificate(certificate)
        lower, upper, violation = proved.lower, proved.upper, proved.violation
    return Proof(
        recipe=certificate.recipe,
        n=certificate.topology.n,
        demand=certificate.demand_label,
        lower=lower,
        upper=upper,
        violation=violation,
        digest=certificate.digest,
    )


def other_demand(certificate: Certificate) -> str | None:
    """A line when the demand is not that of the certificate's pattern; a matrix may be anything."""
    named, asked = certificate.pattern, certificate.demand
    if (asked is None) != (named == UNIFORM):
        what = "no matrix of its own" if asked is None else "a matrix of its own"
        return f"pattern: the file says {shown(named)}, but its demand has {what}"
    if asked is None or named == MATRIX:
        return None
    try:
        known = pattern_demand(named, certificate.topology)
    except InvalidInput as error:
        return str(error).splitlines()[0]
    if demand_digest(known.low, known.high, known.unit) != demand_digest(
        asked.low, asked.high, asked.unit
    ):
        return f"pattern: the file's demand is not that of {named}"
    return None


def _facts(certificate: Certificate, told: Routed) -> dict[str, object]:
    """What heads a JSON document of routes."""
    graph = {"recipe": certificate.recipe, "n": certificate.topology.n}
    facts = {name: value for name, value in routed_fields(told).items() if name != "file"}
    return {**graph, "demand": certificate.demand_label, **facts}
