"""The noun Certificate: a graph, a demand, lengths and flows that prove a throughput interval.

The upper bound is duality: under any lengths of the arcs, f is at most the sum of capacity times
length over the sum of demand times distance. The lower bound is a flow that delivers every
demand once (LP (3), appendix A.5 of Zhao et al.): f is at least the inverse of its largest load.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from expansions.schedule_files.digest import topology_digest
from expansions.schedule_files.graph import canonical_recipe
from generators.brief import brief
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.formats.container import content_hash
from generators.topology import Int64Array, Topology

VERSION = 1
"""Version of the hashed content and of the files; it grows when their meaning changes."""
MOST = 1 << 52
"""No length, flow or amount of a certificate is larger: they are exact as floats too."""
LONGEST_LABEL = 100


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DemandBounds:
    """How much `[s, t]` asks for: at least `low * unit` and at most `high * unit`.

    Shapes: `low` and `high` int64 (n, n). Lengths may count the lower amounts only, flows must
    deliver the higher ones. Both are one array where the amounts are known exactly.
    """

    low: Int64Array
    high: Int64Array
    unit: Fraction


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FlowSymmetry:
    """How the flow of node 0 makes the flows of all others: by products of automorphisms.

    Shapes: `motions` int64 (k, arcs): automorphism i carries arc e to `motions[i, e]`. `parent`
    and `motion` int64 (n,): the automorphism of node u is `motions[motion[u]]` after that of
    `parent[u]`; that of node 0 is the identity. Parents lead to node 0.
    """

    motions: Int64Array
    parent: Int64Array
    motion: Int64Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Certificate:
    """All that is needed to prove `lower <= f <= upper`, and nothing that has to be trusted.

    Shapes: `lengths` int64 (arcs,); `sources` int64 (k,), ascending; `rows` int64 (k, arcs):
    source `sources[i]` sends `rows[i, e] * quantum` over arc e. With `lifted` there is one row, of
    node 0. `demand` is None where every host asks for 1 from every other. `recipe`, `pattern` and
    `method` are labels: nothing here proves them.
    Raises InvalidInput for shapes that do not fit, for entries that are negative or above MOST, for
    least amounts above the most, and for labels that are no short lines.
    """

    topology: Topology
    lower: Fraction
    upper: Fraction
    lengths: Int64Array
    sources: Int64Array
    rows: Int64Array
    quantum: Fraction
    demand: DemandBounds | None = None
    lifted: FlowSymmetry | None = None
    recipe: str | None = None
    pattern: str = "uniform"
    method: str = ""

    def __post_init__(self) -> None:
        for name, shape in self._shapes().items():
            self._require_shape(name, shape)
        if self.demand is not None and (self.demand.low > self.demand.high).any():
            raise InvalidInput("demand_low: an amount is above the one in demand")
        if not self.quantum > 0:
            raise InvalidInput(f"quantum: must be above 0, not {brief(self.quantum)}")
        if not 0 <= self.lower <= self.upper:
            told = f"{brief(self.lower)} to {brief(self.upper)}"
            raise InvalidInput(f"lower, upper: {told} is no interval")
        for name in ("pattern", "method"):
            label = getattr(self, name)
            if not isinstance(label, str) or not label.isprintable() or len(label) > LONGEST_LABEL:
                raise InvalidInput(f"{name}: up to {LONGEST_LABEL} printable characters are "
                                   f"needed, not {excerpt(label)}")  # fmt: skip
        if self.recipe is not None:
            object.__setattr__(self, "recipe", canonical_recipe(self.recipe, self.topology))

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        n, arcs, k = self.topology.n, self.topology.arcs, len(self.sources)
        shapes: dict[str, tuple[int, ...]] = {
            "lengths": (arcs,), "sources": (k,), "rows": (k, arcs)
        }  # fmt: skip
        if self.demand is not None:
            shapes |= {"demand.low": (n, n), "demand.high": (n, n)}
        if self.lifted is not None:
            shapes |= {"lifted.parent": (n,), "lifted.motion": (n,)}
            shapes |= {"lifted.motions": (len(self.lifted.motions), arcs)}
        return shapes

    def _require_shape(self, name: str, shape: tuple[int, ...]) -> None:
        array = self
        for part in name.split("."):
            array = getattr(array, part)
        if not isinstance(array, np.ndarray) or array.shape != shape or array.dtype != np.int64:
            found = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array)
            raise InvalidInput(f"{name}: int64 of shape {shape} is needed, not {found}")
        if array.size and not (array.min() >= 0 and array.max() <= MOST):
            wrong = array[(array < 0) | (array > MOST)][0]
            raise InvalidInput(f"{name}: entries from 0 to 2^52 are needed, not {wrong}")

    @property
    def demand_label(self) -> str:
        """`uniform`, a pattern, or `matrix` with the hash of its numbers."""
        if self.demand is None or self.pattern != "matrix":
            return self.pattern
        return f"matrix {demand_digest(self.demand.low, self.demand.high, self.demand.unit)}"

    def least_demand(self, source: int) -> Int64Array:
        """What each node certainly asks from a source, in whole units; shape (n,)."""
        return self._demand_of(source, None if self.demand is None else self.demand.low)

    def most_demand(self, source: int) -> Int64Array:
        """What each node may ask from a source, in whole units; shape (n,)."""
        return self._demand_of(source, None if self.demand is None else self.demand.high)

    def _demand_of(self, source: int, amounts: Int64Array | None) -> Int64Array:
        """The row of a source; without amounts every host asks for 1. No node asks itself."""
        if amounts is not None:
            asked: Int64Array = amounts[source].copy()
        else:
            asked = np.ones(self.topology.n, dtype=np.int64)
            asked[list(self.topology.switches)] = 0
            if source in self.topology.switches:
                asked[:] = 0
        asked[source] = 0
        return asked

    @property
    def digest(self) -> str:
        """SHA-256, in hexadecimal, of all but the labels: texts, shapes, numbers."""
        arrays: dict[str, Int64Array] = {
            "lengths": self.lengths, "sources": self.sources, "rows": self.rows
        }  # fmt: skip
        texts = {"lower": str(self.lower), "upper": str(self.upper), "quantum": str(self.quantum)}
        if self.demand is not None:
            arrays |= {"low": self.demand.low, "high": self.demand.high}
            texts["unit"] = str(self.demand.unit)
        if self.lifted is not None:
            arrays |= {name: getattr(self.lifted, name) for name in FlowSymmetry.__slots__}
        return _hash_numbers({"topology": topology_digest(self.topology), **texts}, arrays)


def _hash_numbers(texts: Mapping[str, str], arrays: Mapping[str, Int64Array]) -> str:
    """SHA-256, in hexadecimal, of canonical JSON and then of the arrays, by name.

    The JSON holds the texts, the shape of each array and the version; arrays follow as
    little-endian integers of 64 bits.

    """
    names = sorted(arrays)
    shapes = {name: list(arrays[name].shape) for name in names}
    described = {"texts": dict(texts), "shapes": shapes, "version": VERSION}
    return content_hash(described, [arrays[name].astype("<i8", copy=False) for name in names])


def demand_digest(low: Int64Array, high: Int64Array, unit: Fraction) -> str:
    """SHA-256 of a demand matrix: the same for the same enclosed amounts."""
    return _hash_numbers({"unit": str(unit)}, {"low": low, "high": high})
