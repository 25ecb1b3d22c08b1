"""How much of what joins each host, and the sides of each cut, is out in the middle of a stage.

Links are fibres between two hosts of the plan over good ports. They are counted from the wiring
alone, all anew for each stage: of the lesser of those before the plan and those after it, the share
that is not up once all that goes is out and nothing is made.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from generators.excerpts import excerpt
from generators.topology import Int64Array, IntArray
from topofinder.model.inventory.document import State
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Stage, Wiring
from topofinder.model.plan import apply_stage
from topofinder.verification.plan_reader import SavedPlan
from topofinder.verification.plan_wirings import false_value


def stage_shares_out(
    fabric: PortMap,
    host: Sequence[int],
    before: IntArray,
    stages: Sequence[Stage],
    cuts: Sequence[Sequence[int]] = (),
    since: IntArray | None = None,
) -> tuple[Fraction, ...]:
    """The greatest share that is out in each stage; `host` are those of the plan.

    `cuts` are the hosts on one side of each. Where the stages go on with an earlier plan, `since`
    is what was up before that, and counts too.

    >>> from topofinder.model.inventory.document import inventory_for
    >>> from topofinder.model.inventory.ports import port_map
    >>> from topofinder.model.inventory.wiring import Circuit
    >>> fabric = port_map(inventory_for(hosts=2, ports=3))
    >>> move = Stage(frees=(Circuit(0, 3, True),), connects=(Circuit(0, 5, True),), seconds=120,
    ...     parts=1)
    >>> stage_shares_out(fabric, (0, 1), np.array([3, 4, -1, 0, 1, -1]), [move])
    (Fraction(1, 2),)
    """
    count = _LinkCounter(fabric, host, cuts)
    to, middles = before.copy(), list[Int64Array]()
    first = count.of(to) if since is None else np.maximum(count.of(to), count.of(since))
    for stage in stages:
        for a, b, duplex in stage.frees:
            to[[a, b] if duplex else [a]] = -1
        middles.append(count.of(to))
        apply_stage(to, stage)
    whole = np.minimum(first, count.of(to))
    return tuple(_most_out(middle, whole) for middle in middles)


def false_drain(plan: SavedPlan, before: Wiring) -> str | None:
    """A line on what a plan says wrongly of what is out in its stages; None if nothing is."""
    told = plan.fields.drain
    if told is None:
        return None
    number = {name: place for place, name in enumerate(plan.fabric.hosts)}
    for name in (name for cut in told.cuts for name in cut):
        if name not in number:
            return f"drain: cuts: the inventory has no host {excerpt(name)}"
    cuts = [[number[name] for name in cut] for cut in told.cuts]
    shares = stage_shares_out(plan.fabric, plan.claim.host, before.to, plan.stages, cuts)
    true = list(map(str, shares))
    if told.most_out != true:
        return false_value("drain: most_out", told.most_out, true)
    asked = None if told.keep_throughput is None else len(plan.stages)
    if len(told.throughputs) != (asked or 0):
        return false_value("drain: throughputs", len(told.throughputs), asked or 0)
    return None


def claimed_rates(plan: SavedPlan) -> str | None:
    """What a plan says of throughputs in the middle of its stages, which is not computed anew."""
    told = plan.fields.drain
    if told is None or told.keep_throughput is None:
        return None
    return "what is carried in the middle of stages"


def _most_out(up: Int64Array, whole: Int64Array) -> Fraction:
    pairs = np.unique(np.stack([up, whole])[:, whole > 0], axis=1).T.tolist()
    return max((1 - Fraction(there, all_of) for there, all_of in pairs if there < all_of),
               default=Fraction())  # fmt: skip


class _LinkCounter:
    """Fibres out of and into each host of a plan, and across cuts both ways."""

    def __init__(self, fabric: PortMap, host: Sequence[int], cuts: Sequence[Sequence[int]]) -> None:
        self._fabric = fabric
        plays = np.zeros(len(fabric.hosts), dtype=np.bool_)
        plays[list(host)] = True
        good = np.isin(np.array(fabric.states), (State.LIVE, State.PINNED))
        self._counts = good & plays[fabric.host]
        self._sides = np.zeros((len(cuts), len(fabric.hosts)), dtype=np.bool_)
        for row, cut in zip(self._sides, cuts, strict=True):
            row[list(cut)] = True

    def of(self, to: IntArray) -> Int64Array:
        """The counts in a wiring: out of hosts, into hosts, out of cuts, into cuts."""
        sender = np.flatnonzero((to >= 0) & self._counts)
        sender = sender[self._counts[to[sender]]]
        tail, head = self._fabric.host[sender], self._fabric.host[to[sender]]
        tail, head = tail[tail != head], head[tail != head]
        hosts = len(self._fabric.hosts)
        found = [np.bincount(ends, minlength=hosts) for ends in (tail, head)]
        inside, outside = self._sides[:, tail], self._sides[:, head]
        found += [(inside & ~outside).sum(axis=1), (outside & ~inside).sum(axis=1)]
        return np.concatenate(found).astype(np.int64)
