"""Logical messages of an allreduce: who sends whom what, and what must have arrived before.

Baselines of TACOS (Won et al., MICRO 2024, section V.A) are made for a pattern of their own, a ring
say, and say nothing of links: a message goes from host to host, wherever those are in a topology;
see `message_routes` for the links that it takes.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from generators.errors import InvalidInput, Unsupported
from generators.excerpts import excerpt
from generators.topology import AnyIntArray, BoolArray, Int64Array

MAX_WAITS = 1 << 24
"""Pairs of messages of which one waits for the other, at most."""

COLUMNS = {"origin": np.int32, "target": np.int32, "reducing": np.bool_}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LogicalMessages:
    """The messages of one allreduce over `hosts` hosts, numbered 0 to hosts - 1.

    Message m takes units `begin[m]` to `end[m] - 1` of the data, which has `total`, from host
    `origin[m]` to `target[m]`. A `reducing` one brings a partial sum, which the target adds to its
    own; another brings what is summed up, which replaces it. Message `after[i]` may be sent when
    `before[i]` has arrived. Where several messages are ready for a link, the first one to come goes
    first, those of one instant in the order of their numbers; with `priority`, one a message, that
    of the least, then of the least number.

    Shapes: all of (messages,) but `before` and `after`, of (waits,); int64, hosts int32, `reducing`
    bool.

    >>> pair = LogicalMessages(hosts=2, total=1, origin=[0, 1], target=[1, 0], begin=[0, 0],
    ...     end=[1, 1], reducing=[True, False], before=[0], after=[1])
    >>> pair.messages, pair.amount.tolist()
    (2, [1, 1])
    """

    hosts: int
    total: int
    origin: AnyIntArray
    target: AnyIntArray
    begin: AnyIntArray
    end: AnyIntArray
    reducing: BoolArray
    before: AnyIntArray
    after: AnyIntArray
    priority: AnyIntArray | None = None

    def __post_init__(self) -> None:
        for name in ("origin", "target", "begin", "end", "reducing", "before", "after"):
            kind = {"origin": np.int32, "target": np.int32, "reducing": np.bool_}.get(
                name, np.int64
            )
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=kind))
        require_room(len(self.before))
        sizes = {len(self.origin), len(self.target), len(self.begin), len(self.end)}
        if len(sizes | {len(self.reducing)}) > 1 or len(self.before) != len(self.after):
            raise InvalidInput("messages: columns are of unequal lengths")

    @property
    def messages(self) -> int:
        """Number of messages."""
        return len(self.origin)

    @property
    def amount(self) -> Int64Array:
        """Units of every message."""
        amount: Int64Array = self.end - self.begin
        return amount


def require_room(waits: int) -> None:
    """Raises Unsupported for more than MAX_WAITS pairs of which one waits for the other."""
    if waits > MAX_WAITS:
        raise Unsupported(f"messages: at most {MAX_WAITS} waits for another, not {waits}")


def split_messages(messages: LogicalMessages, parts: int) -> LogicalMessages:
    """The same done with each of `parts` equal parts of the data, all at once.

    Part after part in the order of the numbers. Raises InvalidInput for fewer than one part.

    >>> one = LogicalMessages(hosts=2, total=1, origin=[0], target=[1], begin=[0], end=[1],
    ...     reducing=[True], before=[], after=[])
    >>> two = split_messages(one, 2)
    >>> two.total, two.begin.tolist(), two.end.tolist()
    (2, [0, 1], [1, 2])
    """
    if type(parts) is not int or parts < 1:
        raise InvalidInput(f"parts: at least 1, not {excerpt(parts)}")
    return join_messages([messages] * parts)


def join_messages(parts: Sequence[LogicalMessages]) -> LogicalMessages:
    """All done at once, each with an equal part of the data, in the order given.

    Raises InvalidInput for parts of unlike numbers of hosts.
    """
    first = parts[0]
    if any(part.hosts != first.hosts for part in parts):
        raise InvalidInput("parts: all need the same hosts")
    require_room(sum(len(part.before) for part in parts))
    total = int(np.lcm.reduce([part.total for part in parts]))
    earlier = np.cumsum([0] + [part.messages for part in parts])
    place = range(len(parts))

    def column(name: str) -> Any:
        return np.concatenate([getattr(part, name) for part in parts])

    def units(name: str) -> Int64Array:
        ends = [getattr(part, name) * (total // part.total) for part in parts]
        return np.concatenate([ends[i] + i * total for i in place])

    def numbers(name: str) -> Int64Array:
        return np.concatenate([getattr(parts[i], name) + earlier[i] for i in place])

    return replace(
        first,
        total=total * len(parts),
        origin=column("origin"),
        target=column("target"),
        begin=units("begin"),
        end=units("end"),
        reducing=column("reducing"),
        before=numbers("before"),
        after=numbers("after"),
        priority=None if first.priority is None else column("priority"),
    )
