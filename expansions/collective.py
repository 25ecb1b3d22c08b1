"""The collectives that a schedule can carry out."""

from enum import StrEnum
from fractions import Fraction


class Collective(StrEnum):
    """What a schedule does with the shards.

    In an allgather every node ends with the shard of every node; in a reduce-scatter node v ends
    with the sum of all nodes' contributions to shard v; an allreduce is a reduce-scatter followed
    by an allgather. A broadcast brings the root's shard to every node; a reduce brings every
    contribution to the root's shard to the root. In an all-to-all every node has data of its own
    for every other: timetables carry it out, schedules and forests do not.

    >>> Collective("reduce-scatter").is_rooted, Collective.REDUCE.is_rooted
    (False, True)
    """

    ALLGATHER = "allgather"
    REDUCE_SCATTER = "reduce-scatter"
    ALLREDUCE = "allreduce"
    BROADCAST = "broadcast"
    REDUCE = "reduce"
    ALLTOALL = "all-to-all"

    @property
    def is_rooted(self) -> bool:
        """Whether it is about the shard of one node only."""
        return self in (Collective.BROADCAST, Collective.REDUCE)

    @property
    def reversed(self) -> "Collective":
        """What a schedule of it becomes when run backwards on the transpose (theorem 1).

        >>> Collective.ALLGATHER.reversed
        <Collective.REDUCE_SCATTER: 'reduce-scatter'>
        """
        pairs = {
            Collective.ALLGATHER: Collective.REDUCE_SCATTER,
            Collective.BROADCAST: Collective.REDUCE,
            Collective.ALLREDUCE: Collective.ALLREDUCE,
            Collective.ALLTOALL: Collective.ALLTOALL,
        }
        return pairs.get(self) or {there: here for here, there in pairs.items()}[self]


def total_size(collective: Collective, size: Fraction, hosts: int) -> Fraction:
    """The bytes of one shard of every host, where `size` is what is asked for.

    A broadcast or reduce is about the one shard of its root, so that `size` bytes are one shard.

    >>> total_size(Collective.BROADCAST, Fraction(8), 4)
    Fraction(32, 1)
    """
    return size * hosts if collective.is_rooted else size
