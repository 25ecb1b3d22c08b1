"""The noun Schedule: which arc carries which piece of which shard at which step, as columns.

A row is the ((v, C), (u, w), t) of Zhao et al., section 3: at step t the arc [u, w] carries the
piece C of the shard of v. Pieces are intervals of [0, 1) with exact rational ends.
"""

from dataclasses import dataclass
from fractions import Fraction
from operator import index
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from expansions.collective import Collective
from expansions.cost import Cost
from expansions.loads import busiest_loads, sum_loads
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.topology import AnyIntArray, Int64Array, IntArray, Topology

MAX_DENOMINATOR = (1 << 63) - 1
COLUMNS: dict[str, np.dtype[Any]] = {
    "source": np.dtype(np.int32),
    "arc": np.dtype(np.int32),
    "step": np.dtype(np.int32),
    "begin": np.dtype(np.int64),
    "end": np.dtype(np.int64),
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Schedule:
    """The rows of one collective, in any order.

    Shapes: `source`, `arc`, `step` (int32), `begin`, `end` (int64) are read-only and of shape
    (rows,). At step `step[i]`, from 1, arc `arc[i]` of the topology carries the piece
    [begin[i], end[i]) / denominator of the shard of node `source[i]`. In a reduce-scatter or
    reduce the row carries a partial sum of that piece, on its way to node `source[i]`.

    `root` is the node of a broadcast or reduce. An allreduce is a reduce-scatter in the steps up
    to `turn`, then an allgather. Columns of the right type are taken over without a copy:
    do not write to them later.

    Raises InvalidInput when columns differ in length, a piece is empty or not within [0, 1), a
    step is missing, or `root` or `turn` do not fit the collective.

    >>> ring = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> swap = Schedule(source=[0, 1], arc=[0, 1], step=[1, 1], begin=[0, 0], end=[1, 1])
    >>> swap.rows, swap.steps, swap.cost(ring)
    (2, 1, Cost(steps=1, bandwidth=Fraction(1, 2)))
    """

    source: IntArray
    arc: IntArray
    step: IntArray
    begin: Int64Array
    end: Int64Array
    denominator: int = 1
    collective: Collective = Collective.ALLGATHER
    root: int | None = None
    turn: int | None = None

    def __post_init__(self) -> None:
        for name in ("denominator", "root", "turn"):
            object.__setattr__(self, name, _number(name, getattr(self, name)))
        for name in COLUMNS:
            object.__setattr__(self, name, _column(name, getattr(self, name)))
            if len(getattr(self, name)) != self.rows:
                raise InvalidInput(
                    f"{name}: {len(getattr(self, name))} entries, but source has {self.rows}"
                )
        _require_range("source", self.source, 0)
        _require_range("arc", self.arc, 0)
        _require_pieces(self.begin, self.end, self.denominator)
        _require_steps(self.step)
        object.__setattr__(self, "collective", _collective(self.collective))
        if self.collective is Collective.ALLTOALL:
            raise InvalidInput("collective: rows of pieces of shards carry out no all-to-all")
        self._require_root()
        self._require_turn()

    def _require_root(self) -> None:
        if (self.root is not None) != self.collective.is_rooted:
            raise InvalidInput(f"root: {self.root} does not fit {self.collective}")
        if self.root is None:
            return
        if self.root < 0:
            raise InvalidInput(f"root: a node is needed, not {self.root}")
        if (wrong := np.flatnonzero(self.source != self.root)).size:
            raise InvalidInput(
                f"source: row {wrong[0]} is about node {self.source[wrong[0]]}, not about the "
                f"root {self.root}"
            )

    def _require_turn(self) -> None:
        if (self.turn is not None) != (self.collective is Collective.ALLREDUCE):
            raise InvalidInput(f"turn: {self.turn} does not fit {self.collective}")
        if self.turn is not None and not 0 <= self.turn <= self.steps:
            raise InvalidInput(f"turn: {self.turn} is not in 0..{self.steps}")

    @property
    def rows(self) -> int:
        """How many pieces cross an arc, over all steps."""
        return len(self.source)

    @property
    def steps(self) -> int:
        """T_L: the number of the last step."""
        return int(self.step.max(initial=0))

    def require_fit(self, topology: Topology) -> None:
        """Refuse a topology without some arc or node that the rows name."""
        _require_range("source", self.source, 0, topology.n)
        _require_range("arc", self.arc, 0, topology.arcs)
        if self.root is not None and self.root >= topology.n:
            raise InvalidInput(f"root: node {self.root} is not in 0..{topology.n - 1}")

    def loads(self, topology: Topology) -> tuple[Fraction, ...]:
        """The load of the busiest arc at every step, in shards a link unit; shape (steps,).

        The load of an arc is the total length of its pieces over its capacity. Raises
        InvalidInput when the rows name arcs or nodes that the topology has not.

        >>> ring = Topology.from_arcs(2, [(0, 1), (1, 0)], capacity=(1, 2))
        >>> half = Schedule(source=[0, 1], arc=[0, 1], step=[1, 1], begin=[0, 0], end=[1, 2],
        ...                 denominator=2)
        >>> half.loads(ring)
        (Fraction(1, 2),)
        """
        self.require_fit(topology)
        carried = sum_loads(self.step, self.arc, self.end - self.begin, topology.arcs)
        loads = busiest_loads(carried, self.steps, topology.capacity)
        return tuple(load / self.denominator for load in loads)

    def cost(self, topology: Topology) -> Cost:
        """T_L = steps and T_B = (d/N) times the sum of the loads (equation 2); N counts hosts.

        A shard is M/N bytes in every collective: M is N times what a broadcast sends.
        """
        hosts = topology.n - len(topology.switches)
        total = sum(self.loads(topology), Fraction())
        return Cost(self.steps, Fraction(topology.degree, max(hosts, 1)) * total)


def _column(name: str, values: ArrayLike) -> AnyIntArray:
    """A read-only view of the column; checked before it is narrowed, which would wrap."""
    kind = COLUMNS[name]
    array = np.asarray(values)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise InvalidInput(
            f"{name}: a flat array of integers is needed, not {array.dtype} {array.shape}"
        )
    if array.dtype != kind:
        limits = np.iinfo(kind)
        beyond = (array < limits.min) | (array > limits.max)
        if beyond.any():
            raise InvalidInput(f"{name}: {array[beyond][0]} does not fit {limits.bits} bits")
        array = array.astype(kind)
    view = array.view()
    view.setflags(write=False)
    return view


def _number(name: str, value: object) -> int | None:
    """A plain int, also of numpy's; None stays None."""
    if value is None and name != "denominator":
        return None
    try:
        return index(value)  # type: ignore[arg-type]
    except TypeError:
        raise InvalidInput(f"{name}: an integer is needed, not {excerpt(value)}") from None


def _require_range(name: str, column: IntArray, least: int, beyond: int | None = None) -> None:
    if not len(column):
        return
    low, high = int(column.min()), int(column.max())
    if low < least:
        raise InvalidInput(f"{name}: {low} in row {int(column.argmin())} is below {least}")
    if beyond is not None and high >= beyond:
        row = int(column.argmax())
        raise InvalidInput(f"{name}: {high} in row {row} is not in {least}..{beyond - 1}")


def _require_pieces(begin: Int64Array, end: Int64Array, denominator: int) -> None:
    if not 1 <= denominator <= MAX_DENOMINATOR:
        raise InvalidInput(f"denominator: 1 to {MAX_DENOMINATOR}, not {denominator}")
    if not len(begin):
        return
    if (begin >= end).any() or int(begin.min()) < 0 or int(end.max()) > denominator:
        row = int(np.flatnonzero((begin < 0) | (begin >= end) | (end > denominator))[0])
        raise InvalidInput(
            f"begin, end: the piece of row {row} is [{begin[row]}/{denominator}, "
            f"{end[row]}/{denominator}); 0 <= begin < end <= 1 is needed"
        )


def _require_steps(step: IntArray) -> None:
    _require_range("step", step, 1)
    last = int(step.max(initial=0))
    if last > len(step):
        raise InvalidInput(f"step: {last} steps, but only {len(step)} rows: some step is empty")
    empty = np.flatnonzero(np.bincount(step, minlength=last + 1)[1:] == 0)
    if len(empty):
        raise InvalidInput(f"step: nothing is sent at step {empty[0] + 1} of {last}")


def _collective(value: str) -> Collective:
    try:
        return Collective(value)
    except ValueError:
        known = ", ".join(Collective)
        raise InvalidInput(f"collective: {repr(value)[:60]} is none of {known}") from None
