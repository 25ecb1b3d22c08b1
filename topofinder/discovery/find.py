"""The noun Find: one Cayley digraph with its exact costs, and the frontier of several."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from expansions.cost import Cost


@dataclass(frozen=True, slots=True, kw_only=True)
class Find:
    """A group, a generator list that does not fall, and what BFB costs forth and back.

    `seed` is the search's, `trials` how many lists of this group were judged up to this one.
    """

    group: str
    generators: tuple[int, ...]
    forth: Cost
    back: Cost
    seed: int = 0
    trials: int = 0

    @property
    def recipe(self) -> str:
        """The recipe's text.

        >>> cost = Cost(2, Fraction(2, 3))
        >>> Find(group="Z3", generators=(1, 1), forth=cost, back=cost).recipe
        'Cay(Z3;1,1)'
        """
        return f"Cay({self.group};{','.join(map(str, self.generators))})"

    def worth(self, both: bool) -> Cost:
        """What the search makes small: the cost forth, or the mean of both ways."""
        bandwidth = self.forth.bandwidth
        return Cost(self.forth.steps, (bandwidth + self.back.bandwidth) / 2 if both else bandwidth)


def frontier(finds: Iterable[Find], both: bool) -> list[Find]:
    """The finds that no other beats, fewest steps first; among equals the better way back."""
    kept: list[Find] = []
    for find in sorted(finds, key=lambda find: _rank(find, both)):
        if not kept or find.worth(both).bandwidth < kept[-1].worth(both).bandwidth:
            kept.append(find)
    return kept


def _rank(find: Find, both: bool) -> tuple[object, ...]:
    return find.worth(both), find.back, len(find.group), find.group, find.generators


def best_bandwidth(finds: Iterable[Find], steps: int, both: bool) -> Fraction | None:
    """The least T_B found with at most so many steps."""
    return min((f.worth(both).bandwidth for f in finds if f.forth.steps <= steps), default=None)
