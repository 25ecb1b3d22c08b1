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
        if self.steps > other.steps:
            return False
        one, two = self.bandwidth, other.bandwidth  # many times as quick as to compare Fractions
        return one.numerator * two.denominator <= two.numerator * one.denominator
