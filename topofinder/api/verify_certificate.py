"""What `topofinder verify` finds out about a certificate of a throughput."""

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from reports.throughput import Proof
from topofinder.alltoall.demand.patterns import pattern_demand
from topofinder.api.shared.same_graph import other_graph
from topofinder.api.throughput import MATRIX, UNIFORM
from topofinder.model.certificate import Certificate, demand_digest
from topofinder.verification.certificates import check_certificate


def prove_certificate(certificate: Certificate, on: str | None = None) -> Proof:
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
        return f"pattern: the file says {excerpt(named)}, but its demand has {what}"
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
