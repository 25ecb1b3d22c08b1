"""The noun HostCosts: what hosts add to what links take.

Source: Zhao et al., appendix A.2 (a constant a collective), C.4 with theorem 6 and corollary 6.1
(combining data), and section 8.5.2 (a host that cannot fill all its links).
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from expansions.cost import Cost
from generators.errors import InvalidInput
from generators.excerpts import excerpt

if TYPE_CHECKING:
    from generators.topology import Topology


@dataclass(frozen=True, slots=True, kw_only=True)
class HostCosts:
    """`overhead` (epsilon) is in seconds a collective, `reduction` (gamma) in seconds a byte.

    `injection` is how many bytes a second a host can send, and receive, over all its links
    together; None where its links are the limit. Raises InvalidInput for values below 0, and for
    an injection of 0.

    >>> HostCosts(injection=Fraction(3)).node_bandwidth(Fraction(4))
    Fraction(3, 1)
    """

    overhead: Fraction = Fraction()
    reduction: Fraction = Fraction()
    injection: Fraction | None = None

    def __post_init__(self) -> None:
        for name in ("overhead", "reduction"):
            value = getattr(self, name)
            if not isinstance(value, Fraction | int) or value < 0:
                raise InvalidInput(f"{name}: at least 0, exactly, not {excerpt(value)}")
        limit = self.injection
        if limit is not None and (not isinstance(limit, Fraction | int) or limit <= 0):
            raise InvalidInput(f"injection: above 0 bytes a second, not {excerpt(limit)}")

    @property
    def lengthens_steps(self) -> bool:
        """Whether steps take longer than their links, not the collective as a whole alone."""
        return bool(self.reduction) or self.injection is not None

    def beside(self, links: Fraction) -> "HostCosts":
        """The same without an injection that no host of so many bytes a second over links reaches.

        >>> HostCosts(injection=Fraction(4)).beside(Fraction(4)) == NO_HOST_COSTS
        True
        """
        if self.injection is None or self.injection < links:
            return self
        return replace(self, injection=None)

    def node_bandwidth(self, links: Fraction) -> Fraction:
        """Bytes a second that leave a host whose links carry `links` together."""
        return links if self.injection is None else min(links, self.injection)

    def runtime(
        self, cost: Cost, summing: Fraction, alpha: Fraction, size: Fraction, links: Fraction
    ) -> Fraction:
        """Seconds that a collective of `size` bytes takes at most.

        `summing` is the bandwidth factor y of the part of it that combines data: M gamma y bounds
        what that takes (theorem 6), and is exact where the part is BW-optimal (corollary 6.1). A
        host whose links all carry as much at every step is slowed by its injection alone.

        >>> gamma = HostCosts(reduction=Fraction(1, 8))
        >>> gamma.runtime(Cost(2, Fraction(1)), Fraction(1, 2), 0, Fraction(8), Fraction(4))
        Fraction(5, 2)
        """
        moved = cost.runtime(alpha, size, self.node_bandwidth(links))
        return self.overhead + moved + self.reduction * size * summing


def host_costs_of(topology: "Topology", rate: Fraction, given: HostCosts) -> HostCosts:
    """What is given and what the topology tells of its hosts; `rate` is capacity 1 in bytes/s.

    An injection that no host's links exceed is left out. Raises InvalidInput for what is given
    twice, and not alike.

    >>> from generators.topology import Topology
    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)], injection=Fraction(1, 2))
    >>> host_costs_of(pair, Fraction(2), HostCosts()).injection
    Fraction(1, 1)
    """
    from generators.host_limits import binding_injection  # look-ups do without numpy

    limit, slow, late = topology.injection, topology.reduce_rate, topology.epsilon
    told = HostCosts(
        overhead=late or Fraction(),
        reduction=Fraction() if slow is None else 1 / (slow * rate),
        injection=None if limit is None else limit * rate,
    )
    found = []
    for option, name in _OPTIONS.items():
        own, other = getattr(told, name), getattr(given, name)
        if own and other and own != other:
            raise InvalidInput(f"{option}: the topology tells it of its hosts itself, otherwise")
        found.append(own or other)
    overhead, reduction, injection = found
    if injection is not None and binding_injection(topology, injection / rate) is None:
        injection = None
    return HostCosts(overhead=overhead, reduction=reduction, injection=injection)


_OPTIONS = {"--epsilon": "overhead", "--reduce-rate": "reduction", "--injection": "injection"}
NO_HOST_COSTS = HostCosts()
"""Links alone count: the model of all costs that are called exact."""
