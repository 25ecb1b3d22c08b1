"""What lifts are searched for at a size: orders of the group, steps, and what a trial takes."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from math import lcm

import numpy as np

from expansions.tokens import LONGEST_TEXT
from generators.cayley.notation import parse_group
from generators.divisors import divisors
from generators.errors import InvalidInput
from generators.limits import MAX_NODES
from generators.topology import Int64Array
from topofinder.discovery.groups import groups_of
from topofinder.discovery.lifts.evaluation_kernels import MOST_UNIONS
from topofinder.discovery.lifts.translations import Translations, translations_of
from topofinder.model.candidate import LinkMode, cost_lower_bound

LEAST_ORDER, MOST_ORDER = 3, 64
"""Orders of the groups: up to 64 elements, a run of a ball is one word."""
GOOD_ORDER = 15
"""Least order of a group whose lifts are small enough a search space to hit."""
FEW_BASE_NODES = 6
"""Where no cyclic group of up to MOST_ORDER elements has a good order, larger ones take part that
leave so many base nodes; on fewer ones, shifts commute too often. With more links fewer do."""
LEAST_OTHER = 6
"""Least order of a group that is not abelian."""
MOST_PORTS = 12
"""Largest degree: the loads of all 2^d sets of links are counted."""

OWN = 4
"""The load of the mean receiver weighs a quarter of that of the busiest one."""
MISS = (3, 4)
"""What a pair of nodes that is apart adds to the energy, in shards."""
HEATS = (1.0, 0.1)
"""Temperatures, in shards, from which and to which annealing cools."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LiftGoal:
    """Lifts with n nodes and degree d, cheap for allgather and reduce-scatter alike.

    Raises InvalidInput for sizes that no fabric has, or that the search does not go to.

    >>> [(each.order, each.steps) for each in LiftGoal(n=90, d=3).settings()][:3]
    [(45, 4), (45, 5), (45, 6)]
    """

    n: int
    d: int
    links: LinkMode = LinkMode.SIMPLEX

    def __post_init__(self) -> None:
        if not 3 <= self.n <= MAX_NODES:
            raise InvalidInput(f"n: lifts of 3 to {MAX_NODES} nodes are searched, not {self.n}")
        if not 2 <= self.d <= MOST_PORTS:
            raise InvalidInput(f"d: lifts of degree 2 to {MOST_PORTS} are searched, not {self.d}")
        if self.d >= self.n:
            raise InvalidInput(f"d: {self.n} hosts use at most {self.n - 1} ports, not {self.d}")

    @property
    def two_way(self) -> bool:
        """Whether every circuit is two-way."""
        return self.links is LinkMode.DUPLEX

    @property
    def least_steps(self) -> int:
        """The Moore bound of the link mode."""
        return cost_lower_bound(self.n, self.d, self.links).steps

    def settings(self, extra_steps: int = 2) -> "Iterator[LiftSetting]":
        """Cyclic groups from the largest down, with the Moore bound and up to so many steps more.

        Groups of all nodes are left out: their lifts are circulants, of which families are full;
        and groups of so few elements that the recipes would be longer than can be read.
        """
        orders = cyclic_orders(self.n, least_base_nodes(self.d, self.links))
        yield from self._settings((f"Z{order}" for order in orders), extra_steps)

    def other_settings(self, most: int, extra_steps: int = 4) -> "Iterator[LiftSetting]":
        """The same for up to `most` groups of each order that are not abelian.

        >>> [one.group for one in LiftGoal(n=24, d=3).other_settings(1, 0)]
        ['A4', 'Z4:Z2[3]', 'Z3:Z2[2]']
        """
        yield from self._settings(_other_groups(self.n, most), extra_steps)

    def _settings(self, groups: Iterable[str], extra_steps: int) -> "Iterator[LiftSetting]":
        if self.two_way and self.n * self.d % 2:
            return
        for group in groups:
            settings = [
                LiftSetting(goal=self, group=group, steps=self.least_steps + more)
                for more in range(extra_steps + 1)
            ]
            if settings[0].longest_recipe <= LONGEST_TEXT:
                yield from settings


def least_base_nodes(d: int, links: LinkMode) -> int:
    """The fewest base nodes of lifts by groups of more than MOST_ORDER elements.

    >>> [least_base_nodes(d, LinkMode.DUPLEX) for d in (3, 4, 6)]
    [6, 4, 3]
    """
    if d < 4:
        return FEW_BASE_NODES
    return 5 if links is LinkMode.SIMPLEX else 4 if d < 6 else 3


def cyclic_orders(n: int, base_nodes: int = FEW_BASE_NODES) -> list[int]:
    """Orders of the cyclic groups that lifts of n nodes are looked for by, the largest first.

    >>> cyclic_orders(24), cyclic_orders(402), cyclic_orders(1454), cyclic_orders(1115, 5)
    ([12, 8, 6, 4, 3], [67, 6, 3], [], [223, 5])
    """
    orders = [order for order in reversed(divisors(n)) if LEAST_ORDER <= order <= n // 2]
    few = [order for order in orders if order <= MOST_ORDER]
    if few and few[0] >= GOOD_ORDER:
        return few
    return [one for one in orders if one > MOST_ORDER and n // one >= base_nodes] + few


def _other_groups(n: int, most: int) -> Iterator[str]:
    """Groups of up to MOST_ORDER elements that are not abelian, those of larger orders first."""
    for order in reversed(divisors(n)):
        if LEAST_OTHER <= order <= min(MOST_ORDER, n // 2):
            groups = (text for text in groups_of(order) if not parse_group(text).is_abelian)
            yield from islice(groups, most)


@dataclass(frozen=True, kw_only=True)
class LiftSetting:
    """Lifts by a group, named as in recipes, asked for so many steps."""

    goal: LiftGoal
    group: str
    steps: int

    @cached_property
    def translations(self) -> Translations:
        """The group as kernels take it."""
        return translations_of(self.group)

    @property
    def order(self) -> int:
        """Elements of the group."""
        return len(self.translations.inverse)

    @property
    def base_nodes(self) -> int:
        """m: receivers that are judged."""
        return self.goal.n // self.order

    @property
    def longest_recipe(self) -> int:
        """Characters of a recipe at most: `Lift(group;rows)`, an entry an arc or a circuit."""
        entries = self.base_nodes * self.goal.d
        entry = len(f"{self.base_nodes - 1}.{self.order - 1},")
        written = (entries + self.base_nodes) // 2 if self.goal.two_way else entries
        return len(f"Lift({self.group};)") + written * entry + self.base_nodes

    @property
    def directions(self) -> int:
        """A two-way graph is its own transpose."""
        return 1 if self.goal.two_way else 2

    @property
    def unit(self) -> int:
        """lcm(1..d), which stands for a shard in loads."""
        return lcm(*range(1, self.goal.d + 1))

    @property
    def shard(self) -> int:
        """What a shard of the busiest receiver adds to the energy."""
        return self.unit * OWN * self.base_nodes

    @cached_property
    def weights(self) -> tuple[Int64Array, int, int, int, int]:
        """The weights of `evaluation_kernels.add_energy`."""
        sizes = np.bitwise_count(np.arange(1 << self.goal.d)).astype(np.int64)
        scale = self.unit // np.maximum(sizes, 1) * (sizes > 0)
        return scale, self.steps, OWN * self.base_nodes, 1, MISS[0] * self.shard // MISS[1]

    @property
    def least_energy(self) -> int:
        """That of a graph on which all links carry the same at every step."""
        shards = self.goal.n - 1
        own = OWN * self.base_nodes + self.base_nodes
        return self.directions * own * self.unit * shards // self.goal.d

    @property
    def heats(self) -> tuple[float, float]:
        """The temperatures in units of the energy."""
        return HEATS[0] * self.shard, HEATS[1] * self.shard

    @property
    def work(self) -> int:
        """What a trial takes, about in nanoseconds of one core; it rations trials."""
        m, d, sets = self.base_nodes, self.goal.d, 1 << self.goal.d
        words = m * self.translations.columns
        if d <= MOST_UNIONS:
            row = 30 + 3 * sets + words * (sets + 2 * d) * 2 // 3
        else:
            row = 30 + sets * d // 3 + 2 * words * d + self.goal.n * d // self.steps
        return self.directions * self.steps * m * row
