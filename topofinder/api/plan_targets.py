"""What a damaged fabric may be wired to besides its target: frontiers that are stored, rated."""

from collections.abc import Iterator
from fractions import Fraction
from functools import partial

from db.rows import CandidateRow
from db.store import Store
from expansions.build import build
from expansions.parser import parse
from generators.errors import TopofinderError
from topofinder.api.shared.stored_frontiers import StoredSizes
from topofinder.api.throughput import throughput
from topofinder.model.candidate import LinkMode
from topofinder.patching.degraded import LeastAndMost, Members, Rate
from topofinder.patching.planner import Target

MOST = 4
"""Members of one frontier that are looked at."""


def stored_members(store: Store) -> Members:
    """The frontier of the largest stored size in a range of hosts and ports."""

    def members(hosts: LeastAndMost, ports: LeastAndMost, duplex: bool) -> Iterator[Target]:
        links = LinkMode.DUPLEX if duplex else LinkMode.SIMPLEX
        sizes = StoredSizes(store)
        for n, d in sorted(store.finished_sizes(links.value), reverse=True):
            if hosts[0] <= n <= hosts[1] and ports[0] <= d <= ports[1]:
                found = sizes.answer(n, d, links, least=0)
                if found and found.frontier.members:
                    yield from map(partial(_target, duplex), found.frontier.members[:MOST])
                    return

    return members


def rate_within(seconds: float) -> Rate:
    """Bounds on the all-to-all throughput of a graph, as good as `seconds` allow."""

    def rate(target: Target) -> tuple[Fraction, Fraction] | None:
        try:
            found = throughput(target.recipe or target.topology, time=seconds)
        except TopofinderError:
            return None
        return found.lower, found.upper

    return rate


def _target(duplex: bool, row: CandidateRow) -> Target:
    topology = build(parse(row.recipe))
    return Target(subject=row.recipe, recipe=row.recipe, topology=topology, duplex=duplex)
