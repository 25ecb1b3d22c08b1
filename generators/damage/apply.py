"""What is left of a topology after failures."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from generators.damage.links import Names, arcs_of, random_arcs
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.formats.quantities import exact
from generators.topology import BoolArray, IntArray, Topology

_SHARE = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,9})?)%")
FAIL_LINKS, FAIL_NODES, DEGRADE = "--fail-links", "--fail-nodes", "--degrade"


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """What has failed, as a user writes it; a text may list several, with commas.

    A link is `A-B` (both directions), `A>B` (one), or `A-B*2` (two of several parallel links),
    A and B being names or numbers of nodes; `5%` means so many links, chosen by `seed`.
    `degrade` holds texts LINK=FRACTION: what is left of a link's capacity.
    """

    fail_links: Sequence[str] = ()
    fail_nodes: Sequence[str] = ()
    degrade: Sequence[str] = ()
    seed: int = 0

    def __bool__(self) -> bool:
        return bool(self.fail_links or self.fail_nodes or self.degrade)


def apply_damage(topology: Topology, damage: Damage) -> Topology:
    """The topology without what failed; without damage, the same object.

    Where a node failed, the others are renumbered and keep their names, or their numbers as
    names. Raises InvalidInput for nodes and links that are not there.

    >>> ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0), (1, 0), (2, 1), (0, 2)])
    >>> apply_damage(ring, Damage(fail_links=["0-1"])).arcs
    4
    >>> apply_damage(ring, Damage(fail_nodes=["1"], degrade=["0>2=1/2"])).names
    ('0', '2')
    """
    if not damage:
        return topology
    names = Names(topology)
    kept = np.ones(topology.arcs, dtype=np.bool_)
    for text in damage.fail_links:
        kept[_failed_arcs(topology, names, text, damage.seed)] = False
    capacity = _degraded_capacities(topology, names, damage.degrade)
    slower = replace(topology, capacity=capacity, translation=None, orbits=None)
    failed = [
        names.node(part, FAIL_NODES)
        for text in damage.fail_nodes
        for part in _split_names(text, names)
    ]
    return _remaining_topology(slower, kept, failed)


def _failed_arcs(topology: Topology, names: Names, text: str, seed: int) -> IntArray:
    if share := _SHARE.fullmatch(text):
        part = Fraction(share[1]) / 100
        if part > 1:
            raise InvalidInput(f"{FAIL_LINKS}: at most 100%, not {text}")
        return random_arcs(topology, part, seed)
    parts = _split_names(text, names)
    return np.concatenate(
        [arcs_of(topology, names.link(part, FAIL_LINKS), part, FAIL_LINKS) for part in parts]
    )


def _degraded_capacities(
    topology: Topology, names: Names, texts: Sequence[str]
) -> tuple[Fraction, ...] | None:
    if not texts:
        return topology.capacity
    values = list(topology.capacity or (Fraction(1),) * topology.arcs)
    for part in (part for text in texts for part in _split_names(text, names)):
        link, sign, left = part.rpartition("=")
        if not sign:
            raise InvalidInput(f"{DEGRADE}: LINK=FRACTION is needed, not {excerpt(part)}")
        share = _fraction(left, part)
        for arc in arcs_of(topology, names.link(link, DEGRADE), link, DEGRADE).tolist():
            values[arc] *= share
    return tuple(values)


def _fraction(text: str, part: str) -> Fraction:
    percent = _SHARE.fullmatch(text)
    value = Fraction(percent[1]) / 100 if percent else exact(f"{DEGRADE} {excerpt(part)}", text)
    if not 0 < value <= 1:
        raise InvalidInput(
            f"{DEGRADE}: {excerpt(part)}: a fraction above 0 and at most 1 is needed"
        )
    return value


def _split_names(text: str, names: Names) -> list[str]:
    """The parts between commas; a name may hold a comma only where it stands alone."""
    return [text] if names.has(text) else [part.strip() for part in text.split(",")]


def _remaining_topology(topology: Topology, kept: BoolArray, failed: list[int]) -> Topology:
    """The arcs that are kept, between the nodes that have not failed."""
    alive = np.ones(topology.n, dtype=np.bool_)
    alive[failed] = False
    if not alive.any():
        raise InvalidInput(f"{FAIL_NODES}: no node is left")
    kept = kept & alive[topology.tail] & alive[topology.head]
    arcs, number = np.flatnonzero(kept).tolist(), np.cumsum(alive) - 1
    names = topology.names or (tuple(map(str, range(topology.n))) if failed else None)

    def nodes(listed: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(int(number[node]) for node in listed if alive[node])

    return replace(
        topology,
        n=int(alive.sum()),
        tail=number[topology.tail[arcs]],
        head=number[topology.head[arcs]],
        capacity=topology.capacity and tuple(topology.capacity[arc] for arc in arcs),
        latency=topology.latency and tuple(topology.latency[arc] for arc in arcs),
        switches=nodes(topology.switches),
        multicast=nodes(topology.multicast),
        reduce=nodes(topology.reduce),
        tiers=topology.tiers
        and tuple(tier for node, tier in enumerate(topology.tiers) if alive[node]),
        names=names and tuple(name for node, name in enumerate(names) if alive[node]),
    )
