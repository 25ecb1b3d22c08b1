"""What a damaged fabric can still be wired to, and what each choice costs against the intact one.

Either what is left of the wiring in place, or the target with some circuits left out, or another
recipe from the stored frontiers: for as many hosts with fewer ports each, or for fewer hosts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from db.store import Store
from expansions.build import build
from expansions.cost import Cost
from expansions.parser import parse
from generators.errors import InvalidInput, TopofinderError
from generators.formats.quantities import shown
from generators.topology import Topology
from topofinder.inventory.fabric import Fabric
from topofinder.inventory.wiring import Wiring
from topofinder.patching.fewer_links import costs, fewer_links
from topofinder.patching.making import Asked, Target, playing
from topofinder.patching.present import IN_PLACE, present
from topofinder.patching.standing import standing
from topofinder.throughput_request import throughput

MOST = 4
"""Members of one frontier that are looked at."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Choice:
    """A graph that can be wired: T_B is in M/B with B that of an intact host.

    `kind` is intact, or moves, links, ports or hosts: what there are fewer of. `links` are its
    arcs without loops, `rate` the certified interval of its all-to-all throughput in link units,
    None where it was not bounded.
    """

    kind: str
    target: Target
    allgather: Cost
    reduce_scatter: Cost
    links: int
    rate: tuple[Fraction, Fraction] | None

    @property
    def allreduce(self) -> Cost:
        """Reduce-scatter and allgather."""
        return self.reduce_scatter + self.allgather

    @property
    def rank(self) -> tuple[object, ...]:
        """All hosts first, then least T_B and T_L."""
        return self.kind == "hosts", self.allreduce.bandwidth, self.allreduce.steps


def choices(
    fabric: Fabric, wiring: Wiring, target: Target, asked: Asked, store: Store | None, time: float
) -> list[Choice]:
    """The intact target first, then what can be wired, the best first.

    Raises InvalidInput when nothing can: then no frontier of a size that fits is stored either.
    """
    allowed = playing(fabric, asked.hosts)
    place = standing(fabric, wiring, duplex=target.duplex, allowed=allowed)
    rooms = [r for r in place.room(()).sum(axis=1)[allowed].tolist() if r > 0]
    d = target.topology.degree
    intact = _choice("intact", target, d, time)
    now = present(fabric, wiring, duplex=target.duplex, allowed=allowed)
    others = [*_kept(now, target), *_targets(target, rooms, store)]
    found = [_choice(kind, other, d, time) for kind, other in others]
    known = sorted((choice for choice in found if choice), key=lambda choice: choice.rank)
    if not known or intact is None:
        sizes = f"--n {min(len(rooms), target.topology.n)} --d {min([d, *rooms])}"
        raise InvalidInput(
            f"--degraded: {target.subject} cannot be wired with fewer links, and no frontier that "
            f"fits is stored; run topofinder search {sizes} with --links of the mode"
        )
    return [intact, *known]


def _kept(now: Topology | None, target: Target) -> Iterator[tuple[str, Target]]:
    """What is in place, if it joins as many hosts; of equals it is the first, and so preferred."""
    if now is not None and now.n == target.topology.n:
        whole = Target(subject=IN_PLACE, recipe=None, topology=now, duplex=target.duplex)
        yield "moves", whole


def _targets(target: Target, rooms: list[int], store: Store | None) -> Iterator[tuple[str, Target]]:
    graph = target.topology
    left = fewer_links(graph, rooms, duplex=target.duplex)
    if left is not None:
        gone = (_links(graph) - _links(left)) // (2 if target.duplex else 1)
        name = f"{target.subject} without {gone} circuit{'s' * (gone != 1)}"
        yield "links", Target(subject=name, recipe=None, topology=left, duplex=target.duplex)
    if store is None:
        return
    d = graph.degree
    if len(rooms) >= graph.n:
        ports = sorted(rooms, reverse=True)[graph.n - 1]
        for fewer in range(min(ports, d - 1), 0, -1):
            members = list(_members(store, (graph.n, graph.n), (fewer, fewer), target.duplex))
            yield from (("ports", member) for member in members)
            if members:
                break
    whole = sum(room >= d for room in rooms)
    if 2 <= whole < graph.n:
        yield from (("hosts", m) for m in _members(store, (2, whole), (d, d), target.duplex))


def _members(
    store: Store, n: tuple[int, int], d: tuple[int, int], duplex: bool
) -> Iterator[Target]:
    """Members of the stored frontier of the largest size in the range."""
    mode = "duplex" if duplex else "simplex"
    stored = [row for row in store.frontiers(n=n, d=d, links=mode) if row.members]
    for row in stored[-1].members[:MOST] if stored else ():
        topology = build(parse(row.recipe))
        yield Target(subject=row.recipe, recipe=row.recipe, topology=topology, duplex=duplex)


def _choice(kind: str, target: Target, d: int, time: float) -> Choice | None:
    cost = costs(target.topology, d)
    if cost is None:
        return None
    return Choice(
        kind=kind,
        target=target,
        allgather=cost[0],
        reduce_scatter=cost[1],
        links=_links(target.topology),
        rate=_rate(target, time),
    )


def _rate(target: Target, time: float) -> tuple[Fraction, Fraction] | None:
    try:
        found = throughput(target.recipe or target.topology, time=time)
    except TopofinderError:
        return None
    return found.lower, found.upper


def _links(topology: Topology) -> int:
    return int(np.count_nonzero(topology.tail != topology.head))


def slower(intact: Choice, other: Choice) -> tuple[Fraction, Fraction] | None:
    """How many times longer an all-to-all of as much data a host takes: least and most."""
    if intact.rate is None or other.rate is None:
        return None
    size = Fraction(intact.target.topology.n, other.target.topology.n)
    return size * intact.rate[0] / other.rate[1], size * intact.rate[1] / other.rate[0]


def best(found: Sequence[Choice], fewer: str | None = None) -> Choice:
    """The first choice that is not the intact target, or the first with fewer of something.

    Raises InvalidInput where there is none of these.
    """
    kinds = list(dict.fromkeys(choice.kind for choice in found[1:]))
    if fewer is not None and fewer not in kinds:
        raise InvalidInput(f"--fewer: one of {', '.join(kinds)}, not {shown(fewer)}")
    return next(choice for choice in found[1:] if fewer in (None, choice.kind))
