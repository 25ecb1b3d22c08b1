"""Both bounds of a certificate, worked out anew on the whole graph, in exact integers."""

from dataclasses import dataclass
from fractions import Fraction

from generators.brief import brief
from topofinder.model.certificate import Certificate
from topofinder.verification.certificate_cut import proved_upper
from topofinder.verification.certificate_flows import proved_lower
from topofinder.verification.certificate_violation import Violation


@dataclass(frozen=True, slots=True, kw_only=True)
class Proved:
    """The interval that the numbers of a certificate prove, or one line on what is wrong."""

    lower: Fraction | None
    upper: Fraction | None
    violation: str | None = None


def check_certificate(certificate: Certificate) -> Proved:
    """What a certificate proves; a violation when it proves less than it says.

    The lengths are checked first, then the flow: automorphisms, then source by source what is
    delivered, then the loads of the arcs.

    >>> import numpy as np
    >>> from generators.topology import Topology
    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> saved = Certificate(topology=pair, lower=Fraction(1), upper=Fraction(1),
    ...     lengths=np.array([1, 1]), sources=np.array([0, 1]), rows=np.array([[1, 0], [0, 1]]),
    ...     quantum=Fraction(1))
    >>> check_certificate(saved)
    Proved(lower=Fraction(1, 1), upper=Fraction(1, 1), violation=None)
    """
    upper = lower = None
    try:
        upper = proved_upper(certificate)
        if upper > certificate.upper:
            told = brief(certificate.upper)
            raise Violation(f"upper: the lengths prove {brief(upper)}, not {told}")
        lower = proved_lower(certificate)
        if lower < certificate.lower:
            told = brief(certificate.lower)
            raise Violation(f"lower: the flow proves {brief(lower)}, not {told}")
    except Violation as found:
        return Proved(lower=lower, upper=upper, violation=str(found))
    return Proved(lower=lower, upper=upper)
