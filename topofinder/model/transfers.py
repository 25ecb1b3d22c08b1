"""The noun Transfers: which rank hands which part of the data to which, step by step.

Schedules, forests and timetables all come down to it; executors and compilers know nothing else.
The data of a collective are cut into equal *units*, numbered through all blocks, so that a row is
one interval of units. Ranks are the hosts in the order of their nodes.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from expansions.collective import Collective
from expansions.cost import Cost
from generators.errors import InvalidInput
from generators.topology import AnyIntArray, BoolArray, Int64Array, IntArray

MAX_TRANSFERS = 1 << 23
"""Rows of one collective; 0.3 GB in memory."""
MAX_UNITS = 1 << 62
COLUMNS: dict[str, np.dtype[Any]] = {
    "step": np.dtype(np.int32),
    "sender": np.dtype(np.int32),
    "receiver": np.dtype(np.int32),
    "lane": np.dtype(np.int32),
    "begin": np.dtype(np.int64),
    "end": np.dtype(np.int64),
    "reducing": np.dtype(np.bool_),
    "first": np.dtype(np.int64),
    "nodes": np.dtype(np.int32),
}
RANKS_OF_ROWS = ("sender", "receiver")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Transfers:
    """The rows of one collective, by step, sender, receiver, lane and begin.

    Shapes: `step`, `sender`, `receiver`, `lane` (int32), `begin`, `end` (int64) and `reducing`
    (bool) are read-only and of shape (rows,). At step `step[i]`, from 1, rank `sender[i]` hands the
    units [begin[i], end[i]) to rank `receiver[i]`. A `reducing` row carries a partial sum, which
    leaves the sender; any other carries what all must end with. Parallel links from one rank to
    another are its lanes 0, 1, ...: what goes over one of them at one step is one message.

    `first` (int64, of shape (blocks + 1,)) says where blocks of units begin. Block v is what rank
    v contributes to an allgather or keeps of a reduce-scatter; a rooted collective has units of
    the root's block alone. In an all-to-all block `o * ranks + t` is what o has for t.

    `nodes` gives the node of each rank in the topology, `names` their names if it has any.
    `two_way` tells whether every pair that is used has a link back. `digest` is the content hash
    of the file that all this comes from.

    Raises InvalidInput when columns do not fit together.

    >>> swap = Transfers(collective="allgather", step=[1, 1], sender=[0, 1], receiver=[1, 0],
    ...     lane=[0, 0], begin=[0, 1], end=[1, 2], reducing=[False, False], first=[0, 1, 2],
    ...     nodes=[0, 1])
    >>> swap.ranks, swap.units, swap.steps
    (2, 2, 1)
    """

    collective: Collective
    step: IntArray
    sender: IntArray
    receiver: IntArray
    lane: IntArray
    begin: Int64Array
    end: Int64Array
    reducing: BoolArray
    first: Int64Array
    nodes: IntArray
    names: tuple[str, ...] | None = None
    root: int | None = None
    two_way: bool = True
    digest: str = ""
    recipe: str | None = None
    method: str | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "collective", Collective(self.collective))
        for name in COLUMNS:
            object.__setattr__(self, name, _column(name, getattr(self, name)))
        self._require_shapes()
        self._require_ranges()
        order = np.lexsort((self.end, self.begin, self.lane, self.receiver, self.sender, self.step))
        for name in COLUMNS:
            if name not in ("first", "nodes"):
                object.__setattr__(self, name, _read_only(getattr(self, name)[order]))

    def _require_shapes(self) -> None:
        for name in COLUMNS:
            if name not in ("first", "nodes") and len(getattr(self, name)) != self.rows:
                found = len(getattr(self, name))
                raise InvalidInput(f"{name}: {found} entries, but step has {self.rows}")
        if self.rows > MAX_TRANSFERS:
            raise InvalidInput(f"rows: at most {MAX_TRANSFERS}, not {self.rows}")
        blocks = self.ranks**2 if self.collective is Collective.ALLTOALL else self.ranks
        if len(self.first) != blocks + 1 or self.first[0] or (np.diff(self.first) < 0).any():
            raise InvalidInput(f"first: offsets of {blocks} blocks from 0 are needed")
        if self.units > MAX_UNITS:
            raise InvalidInput(f"first: at most 2^62 units, not {self.units}")
        if (self.root is not None) != self.collective.is_rooted:
            raise InvalidInput(f"root: {self.root} does not fit {self.collective}")
        if self.names is not None and len(self.names) != self.ranks:
            raise InvalidInput(f"names: {len(self.names)} for {self.ranks} ranks")

    def _require_ranges(self) -> None:
        for name in RANKS_OF_ROWS:
            _require_below(name, getattr(self, name), self.ranks)
        _require_below("end", self.end, self.units + 1)
        if (wrong := np.flatnonzero(self.begin >= self.end)).size:
            raise InvalidInput(f"begin: row {wrong[0]} is empty")
        if (wrong := np.flatnonzero(self.step < 1)).size:
            raise InvalidInput(f"step: row {wrong[0]} is before step 1")
        if (wrong := np.flatnonzero(self.sender == self.receiver)).size:
            raise InvalidInput(f"receiver: row {wrong[0]} goes from a rank to itself")

    @property
    def rows(self) -> int:
        """How many intervals are handed over."""
        return len(self.step)

    @property
    def ranks(self) -> int:
        """How many hosts take part."""
        return len(self.nodes)

    @property
    def steps(self) -> int:
        """The number of the last step."""
        return int(self.step.max(initial=0))

    @property
    def units(self) -> int:
        """Units of all blocks together."""
        return int(self.first[-1])

    @property
    def cost(self) -> Cost:
        """T_L and T_B as it is run, step after step: how many steps, and the busiest link of each.

        T_B is in units of M/B, where M are the bytes of a rank's vector, in an all-to-all of the
        largest, and B is that of all links of a rank, of which the one with most has as many as
        it uses. For a schedule on a regular graph of equal links it is that of Zhao et al.,
        equation 2; for forests and timetables that of their steps, not of their own clock.

        >>> pair = Transfers(collective="allgather", step=[1, 1], sender=[0, 1], receiver=[1, 0],
        ...     lane=[0, 0], begin=[0, 1], end=[1, 2], reducing=[False] * 2, first=[0, 1, 2],
        ...     nodes=[0, 1])
        >>> pair.cost
        Cost(steps=1, bandwidth=Fraction(1, 2))
        """
        if not self.rows:
            return Cost(0, Fraction())
        ends = np.stack([self.sender, self.receiver, self.lane])
        links, link = np.unique(ends, axis=1, return_inverse=True)
        number, step = np.unique(self.step, return_inverse=True)
        loads = np.zeros((len(number), links.shape[1]), dtype=object)
        np.add.at(loads, (step.ravel(), link.ravel()), (self.end - self.begin).astype(object))
        ports = int(np.bincount(links[0]).max())
        busiest = sum(loads.max(axis=1).tolist())
        return Cost(len(number), Fraction(busiest * ports, self.vector_units))

    @property
    def vector_units(self) -> int:
        """Units of the longest vector that a rank begins with."""
        if self.collective is not Collective.ALLTOALL:
            return self.units
        return int(np.diff(self.first[:: self.ranks]).max())

    def block(self, number: int) -> tuple[int, int]:
        """The units [begin, end) of one block."""
        return int(self.first[number]), int(self.first[number + 1])


def _column(name: str, values: ArrayLike) -> AnyIntArray:
    """A read-only array of the column's type; checked before it is narrowed, which would wrap."""
    kind, array = COLUMNS[name], np.asarray(values)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iub"):
        raise InvalidInput(f"{name}: a flat array of integers is needed, not {array.dtype}")
    if kind.kind == "i" and array.size:
        low, high = int(array.min()), int(array.max())
        if low < 0 or high > np.iinfo(kind).max:
            raise InvalidInput(f"{name}: {low if low < 0 else high} is out of range")
    return _read_only(np.ascontiguousarray(array, dtype=kind).view())


def _read_only(array: AnyIntArray) -> AnyIntArray:
    array.setflags(write=False)
    return array


def _require_below(name: str, values: AnyIntArray, beyond: int) -> None:
    if len(values) and int(values.max()) >= beyond:
        raise InvalidInput(f"{name}: {int(values.max())} is not in 0..{beyond - 1}")
