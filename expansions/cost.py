"""The noun Cost: what a schedule takes in the alpha-beta model, as exact numbers."""

from dataclasses import dataclass
from fractions import Fraction

from generators.errors import InvalidInput


@dataclass(frozen=True, slots=True, order=True)
class Cost:
    """The cost of one collective: T_L = `steps` alpha and T_B = `bandwidth` M/B.

    M is the total data of all nodes in bytes, B the total egress bandwidth of a node.

    >>> Cost(2, Fraction(7, 8)) + Cost(2, Fraction(7, 8))
    Cost(steps=4, bandwidth=Fraction(7, 4))
    """

    steps: int
    bandwidth: Fraction

    def __post_init__(self) -> None:
        if type(self.bandwidth) is not Fraction:
            object.__setattr__(self, "bandwidth", Fraction(self.bandwidth))
        if self.steps < 0 or self.bandwidth < 0:
            raise InvalidInput(f"cost: steps {self.steps}, bandwidth {self.bandwidth}")

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(self.steps + other.steps, self.bandwidth + other.bandwidth)

    def runtime(self, alpha: Fraction, size: Fraction, node_bandwidth: Fraction) -> Fraction:
        """Seconds for `size` bytes in all at `node_bandwidth` bytes a second and `alpha` seconds.

        >>> Cost(5, Fraction(1)).runtime(Fraction(1, 10**5), Fraction(10**6), Fraction(10**10))
        Fraction(3, 20000)
        """
        return self.steps * alpha + self.bandwidth * size / node_bandwidth

    def weakly_beats(self, other: "Cost") -> bool:
        """Whether this cost is no worse in either part."""
        return self.steps <= other.steps and self.bandwidth <= other.bandwidth


def moore_steps(n: int, d: int) -> int:
    """T_L*(N, d): least k with 1 + d + ... + d^k >= N (definition 10, the Moore bound).

    >>> [moore_steps(n, 4) for n in (2, 5, 6, 21, 22, 1024)]
    [1, 1, 2, 2, 3, 5]
    """
    if d == 1:
        return n - 1
    reached, layer, steps = 1, 1, 0
    while reached < n:
        layer *= d
        reached += layer
        steps += 1
    return steps


def two_way_moore_steps(n: int, d: int) -> int:
    """The Moore bound when every circuit is two-way: layers d, d(d-1), d(d-1)^2, ...

    >>> [two_way_moore_steps(n, 4) for n in (5, 17, 18, 53, 54)]
    [1, 2, 3, 3, 4]
    """
    if d <= 2:
        return n - 1 if d == 1 else n // 2
    reached, layer, steps = 1, d, 0
    while reached < n:
        reached += layer
        layer *= d - 1
        steps += 1
    return steps


def least_bandwidth(n: int) -> Fraction:
    """T_B*(N) = (N - 1)/N, the least bandwidth time of an allgather (theorem 4)."""
    return Fraction(n - 1, n)
