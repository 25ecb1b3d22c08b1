"""The noun Forest: the trees that carry out a collective, with the topology they run on."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd

import numpy as np

from expansions.collective import Collective
from generators.errors import InvalidInput
from generators.formats.quantities import shown
from generators.topology import Topology
from topofinder.model.forest_loads import bandwidths, loads
from topofinder.model.tree_set import TreeSet

LONGEST_LABEL = 4096
LARGEST_WEIGHT = 1 << 62
SPREADING = (Collective.ALLGATHER, Collective.ALLREDUCE, Collective.BROADCAST)
GATHERING = (Collective.REDUCE_SCATTER, Collective.ALLREDUCE, Collective.REDUCE)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Phase:
    """Trees in the direction in which they leave their roots: in-trees on the turned topology."""

    name: str
    topology: Topology
    trees: TreeSet


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Forest:
    """Out-trees `spread` and in-trees `gather`, whichever the collective needs.

    In-trees are kept root first too, as out-trees of the transpose: their messages run from child
    to parent, every route backwards. `weight` has an entry a node: how much it has to send or to
    end with, relative to the others, 0 at switches. `recipe` and `damage` (what failed, as options)
    and `method` are labels. Raises InvalidInput when trees or nodes do not fit.
    """

    topology: Topology
    collective: Collective
    weight: tuple[int, ...]
    spread: TreeSet | None = None
    gather: TreeSet | None = None
    root: int | None = None
    recipe: str | None = None
    damage: str | None = None
    method: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "collective", Collective(self.collective))
        for name, wanted in (("spread", SPREADING), ("gather", GATHERING)):
            if (getattr(self, name) is not None) != (self.collective in wanted):
                raise InvalidInput(f"{name}: does not go with {self.collective.value}")
        for phase in self.phases:
            _require_nodes(phase)
        self._require_weights()
        for name in ("recipe", "damage", "method"):
            _require_label(name, getattr(self, name))

    def _require_weights(self) -> None:
        n = self.topology.n
        if len(self.weight) != n or any(
            type(w) is not int or not 0 <= w <= LARGEST_WEIGHT for w in self.weight
        ):
            raise InvalidInput(f"weight: {n} integers of at least 0 are needed, none above 2^62")
        for node in self.topology.switches:
            if self.weight[node]:
                raise InvalidInput(f"weight: node {node} is a switch and has no shard")
        if gcd(*self.weight) != 1:
            raise InvalidInput("weight: integers without a common divisor are needed")
        if self.collective.is_rooted != (self.root is not None):
            raise InvalidInput(f"root: {self.root} does not go with {self.collective.value}")
        if self.root is not None and self.weight != single(n, self.root):
            raise InvalidInput(f"weight: only the root {self.root} has a weight, and it is 1")

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The phases in order of time: in-trees first."""
        found = []
        if self.gather is not None:
            turned = self.topology.transpose()
            found.append(Phase(name="gather", topology=turned, trees=self.gather))
        if self.spread is not None:
            found.append(Phase(name="spread", topology=self.topology, trees=self.spread))
        return tuple(found)

    @property
    def total(self) -> int:
        """The sum of all weights: N where all nodes send alike."""
        return sum(self.weight)

    @property
    def optimum(self) -> Fraction:
        """1/x* of the phases, one after the other: time a unit of weight, at link rate 1."""
        return sum((phase.trees.optimum for phase in self.phases), Fraction())

    @property
    def inverse_rate(self) -> Fraction:
        """The time that the trees take for a unit of weight, phases one after the other."""
        return sum((phase.trees.time for phase in self.phases), Fraction())

    @property
    def together(self) -> Fraction:
        """The same when all phases run at the same time, pipelined; for an allreduce."""
        busy: dict[tuple[int, int], Fraction] = {}
        for phase in self.phases:
            for (u, v), load in loads(phase.trees).items():
                pair = (u, v) if phase.name == "spread" else (v, u)
                busy[pair] = busy.get(pair, Fraction()) + Fraction(load, phase.trees.k)
        bandwidth = bandwidths(self.topology)
        return max((share / bandwidth[pair] for pair, share in busy.items()), default=Fraction())


def single(n: int, root: int) -> tuple[int, ...]:
    """The weights of a broadcast from, or a reduce to, one node.

    >>> single(3, 1)
    (0, 1, 0)
    """
    return tuple(int(node == root) for node in range(n))


def _require_nodes(phase: Phase) -> None:
    """Every hop must be a link; everything else is for verification to find."""
    trees, n = phase.trees, phase.topology.n
    for name in ("root", "node", "cut"):
        values: Sequence[int] = getattr(trees, name)
        if len(values) and int(np.max(values)) >= n:
            raise InvalidInput(f"{phase.name} {name}: node {np.max(values)} is not in 0..{n - 1}")


def _require_label(name: str, text: str | None) -> None:
    if text is not None and not (
        isinstance(text, str) and text.isprintable() and 0 < len(text) <= LONGEST_LABEL
    ):
        raise InvalidInput(f"{name}: up to {LONGEST_LABEL} printable characters, not {shown(text)}")
