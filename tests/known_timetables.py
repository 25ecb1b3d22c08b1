"""Timetables that are known without any algorithm: on one-way rings and at one switch."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

from expansions.automorphisms import automorphisms_of
from expansions.collective import Collective
from generators.arrays import jump_graph
from generators.topology import Topology
from topofinder.model.chunk_times import LinkUnits
from topofinder.model.timetable import Timetable

UNITS = LinkUnits(latency=Fraction(1, 10**6), rate=Fraction(10**9))
STAR = Topology.from_arcs(
    4, [(0, 3), (1, 3), (2, 3), (3, 0), (3, 1), (3, 2)], switches=(3,), names=tuple("abcs"),
    latency=(1, 1, 2, 1, 1, 2),
)  # fmt: skip


def ring_timetable(n: int, collective: str = "allgather", **changes: Any) -> Timetable:
    """Every chunk goes once around the ring, all of them one arc at a time; 2 us a hop.

    Of a reduce-scatter or reduce the sum of chunk v ends at v.
    """
    what, root = Collective(collective), changes.get("root")
    owners = range(n) if root is None else [root]
    spread = [(v, (v + hop) % n, hop) for hop in range(n - 1) for v in owners]
    gather = [(v, (v + hop + 1) % n, hop) for hop in range(n - 1) for v in owners]
    sends, reducing = spread, 0
    if what in (Collective.REDUCE_SCATTER, Collective.REDUCE):
        sends, reducing = gather, len(gather)
    if what is Collective.ALLREDUCE:
        sends = gather + [(v, arc, hop + n - 1) for v, arc, hop in spread]
        reducing = len(gather)
    fields: dict[str, Any] = {
        "topology": jump_graph(n, [1]),
        "collective": what,
        "chunk": [owners.index(v) for v, _, _ in sends],
        "channel": [arc for _, arc, _ in sends],
        "begin": [2 * hop for _, _, hop in sends],
        "origin": list(owners),
        "chunk_bytes": Fraction(1000),
        "units": UNITS,
        "reducing": reducing,
        "recipe": f"UniRing(1,{n})",
        "method": "rounds",
        "seed": 7,
        "bound": Fraction(n - 1, 10**6),
    }
    return Timetable(**fields | changes)


def compact_ring(n: int, collective: str = "allgather") -> Timetable:
    """The same with the sends of node 0 and translations."""
    whole = ring_timetable(n, collective)
    own = whole.chunk == 0
    kept = {name: getattr(whole, name)[own] for name in ("chunk", "channel", "begin")}
    return replace(
        whole,
        **kept,
        origin=[0],
        amount=None,
        reducing=int(own[: whole.reducing].sum()),
        translations=automorphisms_of(whole.topology),
    )


def ring_exchange(n: int = 3) -> Timetable:
    """The all-to-all on a one-way ring, one chunk after the other."""
    pairs = [(v, w) for v in range(n) for w in range(n) if v != w]
    sends = [(x, (v + hop) % n) for x, (v, w) in enumerate(pairs) for hop in range((w - v) % n)]
    return ring_timetable(
        n,
        "all-to-all",
        chunk=[x for x, _ in sends],
        channel=[arc for _, arc in sends],
        begin=[2 * place for place in range(len(sends))],
        origin=[v for v, _ in pairs],
        target=[w for _, w in pairs],
    )


def star_timetable(**changes: Any) -> Timetable:
    """Three hosts at a switch: in each of two rounds each sends its chunk over a route.

    A route takes 3 us of latency, or 2 us between a and b.
    """
    pairs = [(v, (v + turn) % 3) for turn in (1, 2) for v in range(3)]
    fields: dict[str, Any] = {
        "topology": STAR,
        "collective": "allgather",
        "chunk": [v for v, _ in pairs],
        "channel": [6 + place for place in range(6)],
        "begin": [0, 0, 0, 1, 1, 1],
        "origin": [0, 1, 2],
        "chunk_bytes": Fraction(1000),
        "units": UNITS,
        "route_start": [2 * place for place in range(7)],
        "route_arc": [arc for v, w in pairs for arc in (v, 3 + w)],
    }
    return Timetable(**fields | changes)
