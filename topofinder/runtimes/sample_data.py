"""Data of which every rank knows all others' by a formula, and what a collective must make of them.

Element i of rank r is `table[r, mix(i) % COLUMNS]`: small integers, so that results are exact in
every type and order of summation, mixed so that no element looks like its neighbours. What all
ranks make of an element depends on its column alone, so that the results of any number of ranks
take a look-up each. Nothing here knows how data are moved.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from expansions.collective import Collective
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from topofinder.lowering.place import block_elements
from topofinder.model.transfers import Transfers
from topofinder.runtimes.in_process import OPERATIONS, Vector, find_operation

COLUMNS = 509
LARGEST = 100
PIECE = 1 << 20
"""Elements that are worked out at once."""
TWOS = 6
"""Factors of two in a product of floats, so that it stays exact in the shortest of them."""
TYPES = (
    *("int8", "uint8", "int32", "uint32", "int64", "uint64"),
    *("float16", "float32", "float64"),
)


def find_type(name: str) -> np.dtype[Any]:
    """The type of elements of that name; InvalidInput for one that there is not.

    >>> find_type("float32").itemsize
    4
    """
    if name not in TYPES:
        raise InvalidInput(f"dtype: {excerpt(name)} is none of {', '.join(TYPES)}")
    return np.dtype(name)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SampleData:
    """The data of all ranks for one collective of `count` elements, and its results.

    `exact` is the largest number up to which the type has all integers; it follows from `dtype`
    unless it is given, as for types that numpy has not. Raises InvalidInput for an operation that
    there is not.

    >>> pair = Transfers(collective="allreduce", step=[], sender=[], receiver=[], lane=[],
    ...     begin=[], end=[], reducing=[], first=[0, 1, 2], nodes=[0, 1])
    >>> data = SampleData(transfers=pair, count=5)
    >>> data.count_wrong(data.vector(0) + data.vector(1), 0), data.count_wrong(data.vector(1), 1)
    (0, 5)
    """

    transfers: Transfers
    count: int
    dtype: DTypeLike = "float32"
    op: str = "sum"
    seed: int = 0
    exact: int | None = None
    table: NDArray[Any] = field(init=False)

    def __post_init__(self) -> None:
        find_operation(self.op)
        kind = np.dtype(self.dtype)
        random = np.random.default_rng(self.seed)
        shape = self.transfers.ranks, COLUMNS
        exact = _largest_exact(kind) if self.exact is None else self.exact
        table = _values(random, shape, self.op, kind, exact).astype(kind)
        object.__setattr__(self, "table", table)

    @property
    def elements(self) -> int:
        """Those of a rank's vector, of the longest one in an all-to-all."""
        return max(self._length(rank, sent=True) for rank in range(self.transfers.ranks))

    def vector(self, rank: int) -> Vector:
        """What a rank begins with: of a broadcast or allgather only its own elements are right."""
        found = np.empty(self._length(rank, sent=True), dtype=self.table.dtype)
        if self.transfers.collective is Collective.ALLTOALL:
            ranks = self.transfers.ranks
            return self._exchange_blocks(found, [(rank, target) for target in range(ranks)])
        found.fill(self.table.dtype.type(LARGEST + 1))
        begin, end = self._own(rank)
        for low, high in _pieces(begin, end):
            found[low:high] = self.table[rank, _columns(low, high)]
        return found

    def kept_part(self, rank: int) -> tuple[int, int]:
        """The elements [begin, end) of a rank's result that the collective is about."""
        kind = self.transfers.collective
        if kind is Collective.REDUCE_SCATTER:
            return self._block(rank)
        if kind is Collective.REDUCE and rank != self.transfers.root:
            return 0, 0
        return 0, self._length(rank, sent=False)

    def expected_result(self, rank: int) -> Vector:
        """What a rank must have at its kept elements."""
        begin, end = self.kept_part(rank)
        found = np.empty(end - begin, dtype=self.table.dtype)
        kind, ranks = self.transfers.collective, range(self.transfers.ranks)
        if kind is Collective.ALLTOALL:
            return self._exchange_blocks(found, [(origin, rank) for origin in ranks])
        if kind is Collective.ALLGATHER:
            for owner in ranks:
                for low, high in _pieces(*self._block(owner)):
                    found[low:high] = self.table[owner, _columns(low, high)]
            return found
        if kind is Collective.BROADCAST:
            row = self.table[self.transfers.root]
        else:
            row = OPERATIONS[self.op].reduce(self.table, axis=0, dtype=self.table.dtype)
        for low, high in _pieces(begin, end):
            found[low - begin : high - begin] = row[_columns(low, high)]
        return found

    def count_wrong(self, result: Vector, rank: int) -> int:
        """How many kept elements of a result are not what they must be."""
        begin, end = self.kept_part(rank)
        return int(np.count_nonzero(result[begin:end] != self.expected_result(rank)))

    def _own(self, rank: int) -> tuple[int, int]:
        kind = self.transfers.collective
        if kind is Collective.ALLGATHER:
            return self._block(rank)
        if kind is Collective.BROADCAST and rank != self.transfers.root:
            return 0, 0
        return 0, self.count

    def _block(self, rank: int) -> tuple[int, int]:
        first = block_elements(self.transfers, self.count)
        return first[rank], first[rank + 1]

    def _length(self, rank: int, *, sent: bool) -> int:
        """Elements that a rank begins with, or that it ends with."""
        if self.transfers.collective is not Collective.ALLTOALL:
            return self.count
        n, blocks = self.transfers.ranks, block_elements(self.transfers, self.count)
        return sum(blocks[rank * n : (rank + 1) * n] if sent else blocks[rank::n])

    def _exchange_blocks(self, found: Vector, pairs: list[tuple[int, int]]) -> Vector:
        """Blocks end to end, each by its origin and target."""
        blocks, after = block_elements(self.transfers, self.count), 0
        for origin, target in pairs:
            block = origin * self.transfers.ranks + target
            for low, high in _pieces(0, blocks[block]):
                columns = _columns(low + block * COLUMNS**2, high + block * COLUMNS**2)
                found[after + low : after + high] = self.table[origin, columns]
            after += blocks[block]
        return found


def _largest_exact(kind: np.dtype[Any]) -> int:
    if kind.kind == "f":
        return int(2 ** (np.finfo(kind).nmant + 1))
    return int(np.iinfo(kind).max)


def _values(
    random: np.random.Generator, shape: tuple[int, int], op: str, kind: np.dtype[Any], exact: int
) -> NDArray[Any]:
    """Integers of shape (ranks, COLUMNS) whose result is exact, whatever is combined first."""
    signed = kind.kind != "u"
    if op == "prod":
        return _factors(random, shape, kind)
    ranks = shape[0] if op == "sum" else 1
    most = max(1, min(LARGEST, exact // max(ranks, 1)))
    table = random.integers(-most if signed else 0, most, shape, endpoint=True)
    if ranks > exact:  # of so many ranks only some bring anything, in each column others
        sparse = -(-ranks // exact)
        table[(np.arange(shape[0])[:, None] + np.arange(COLUMNS)) % sparse != 0] = 0
    return table


def _factors(
    random: np.random.Generator, shape: tuple[int, int], kind: np.dtype[Any]
) -> NDArray[Any]:
    """Odd numbers for integers, which wrap around; signs, and some twos, for floats."""
    if kind.kind != "f":
        return random.integers(0, 4, shape) * 2 + 1
    table = random.choice([-1, 1], shape)
    for column in range(COLUMNS):
        table[random.permutation(shape[0])[:TWOS], column] *= 2
    return table


def _pieces(begin: int, end: int) -> Iterator[tuple[int, int]]:
    return pairwise([*range(begin, end, PIECE), end]) if begin < end else iter(())


def _columns(begin: int, end: int) -> NDArray[np.intp]:
    """The column of each element: its place mixed, as SplitMix64 does."""
    mixed = np.arange(begin, end, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(30)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    return (mixed % np.uint64(COLUMNS)).astype(np.intp)
