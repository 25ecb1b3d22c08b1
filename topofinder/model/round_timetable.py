"""The noun RoundTimetable: a timetable in rounds with too many sends to be kept whole.

What makes it anew stands for the sends, which come in blocks of some rounds each: as they are made,
or as they are read from a file.
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from expansions.collective import Collective
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.topology import Int64Array, IntArray
from topofinder.model.timetable import COLUMNS, LAST_TICK, Timetable
from topofinder.model.timetable_digest import SENDS, timetable_digest

LONGEST_ORDER = 32


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RoundSends:
    """Some sends in the order of their rounds; chunk and channel int32, round int64, (sends,)."""

    chunk: IntArray
    channel: IntArray
    round: Int64Array


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundSpan:
    """Rounds of equal links in ticks: a round takes `length`.

    A chunk that is sent in a round is there `arrival` ticks after the round began, and can be
    passed on `delay` rounds later.
    """

    length: int
    arrival: int
    delay: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RoundTimetable:
    """An allgather in rounds: `asked` is its timetable without sends, with all labels and claims.

    Its `sends`, the tick of the last arrival `makespan`, and `content`, the hash that the whole
    timetable would have, belong to the sends that the maker of rounds gives for the seed of `asked`
    and an `order` of chunks. Raises InvalidInput for other collectives, and without a seed.
    """

    asked: Timetable
    order: str
    sends: int
    rounds: int
    makespan: int
    content: str

    def __post_init__(self) -> None:
        if self.asked.collective is not Collective.ALLGATHER:
            raise InvalidInput(f"collective: an allgather, not {self.asked.collective}")
        if self.asked.sends or self.asked.seed is None:
            raise InvalidInput("seed: timetables in rounds have one, and no sends of their own")

    @property
    def seconds(self) -> Fraction:
        """The time of the collective."""
        return self.makespan * self.asked.tick


class RoundTally:
    """What there is to say of the sends of a timetable in rounds, block after block.

    Blocks have whole rounds, sorted by round and channel.

    >>> from generators.topology import Topology
    >>> from topofinder.model.chunk_times import LinkUnits
    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> units = LinkUnits(latency=Fraction(0), rate=Fraction(1))
    >>> asked = Timetable(topology=pair, collective="allgather", chunk=[], channel=[], begin=[],
    ...     origin=[0, 1], chunk_bytes=Fraction(2), units=units, seed=1)
    >>> tally = RoundTally(RoundSpan(length=1, arrival=1, delay=1))
    >>> tally.add(RoundSends(chunk=np.array([0, 1]), channel=np.array([0, 1]),
    ...     round=np.array([0, 0])))
    >>> found = tally.timetable(asked, "levels")
    >>> found.sends, found.rounds, str(found.seconds)
    (2, 1, '2')
    """

    def __init__(self, span: RoundSpan) -> None:
        self.span = span
        self.sends, self.rounds = 0, 0
        self._columns = {name: hashlib.sha256() for name in SENDS}
        self._round: list[Int64Array] = []
        self._count: list[Int64Array] = []

    def watch(self, blocks: Iterable[RoundSends]) -> Iterator[RoundSends]:
        """The blocks, each once it is added."""
        for block in blocks:
            self.add(block)
            yield block

    def add(self, block: RoundSends) -> None:
        """Add a block. Raises InvalidInput where its ticks do not fit 64 bits."""
        if not len(block.chunk):
            return
        if int(block.round[-1]) * self.span.length > LAST_TICK:
            raise InvalidInput("rounds: their ticks do not fit 64 bits")
        columns: tuple[Any, ...]
        columns = (block.chunk, block.channel, block.round * self.span.length)
        for (name, digest), column in zip(self._columns.items(), columns, strict=True):
            little = np.asarray(column, dtype=COLUMNS[name].newbyteorder("<"))
            digest.update(np.ascontiguousarray(little).data)
        first = np.flatnonzero(np.diff(block.round, prepend=-1))
        self._round.append(block.round[first])
        self._count.append(np.diff(first, append=len(block.round)))
        self.sends += len(block.chunk)
        self.rounds = int(block.round[-1]) + 1

    def counts(self) -> tuple[Int64Array, Int64Array]:
        """The rounds in which anything is sent, and how many sends each has."""
        none = np.zeros(0, dtype=np.int64)
        return np.concatenate([none, *self._round]), np.concatenate([none, *self._count])

    def timetable(self, asked: Timetable, order: str) -> RoundTimetable:
        """The timetable whose sends all were added."""
        last = (self.rounds - 1) * self.span.length + self.span.arrival
        columns = {name: digest.hexdigest() for name, digest in self._columns.items()}
        return RoundTimetable(
            asked=asked,
            order=order,
            sends=self.sends,
            rounds=self.rounds,
            makespan=last if self.sends else 0,
            content=timetable_digest(asked, columns),
        )


def require_order(order: object) -> str:
    """The name of an order of chunks in a file. Raises InvalidInput for anything else."""
    if not isinstance(order, str) or not 0 < len(order) <= LONGEST_ORDER:
        raise InvalidInput(f"order: the name of an order of chunks, not {excerpt(order)}")
    return order
