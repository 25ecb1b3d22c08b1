"""Allgathers on complete multigraphs in two steps, which take the least bandwidth time.

In MultiK(n,d) every ordered pair of nodes has q or q + 1 links, q = floor(d / (n - 1)). In one step
a shard comes over q links only, and those of the other pairs are idle for part of the time. Here
links carry one piece of a shard each in the first step, of q + 1 that there are: a node then has
the shards that reach it over q + 1 links, and lacks a piece of each other one. Nodes that hold
these pieces send them in the second step, and all links carry as much: so T_B = (n - 1)/n. Who
sends what is a flow from the jumps of q links to all jumps, the same at every node.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from expansions.cost import Cost
from expansions.schedule import Schedule
from generators.errors import Unsupported
from generators.families.complete_multigraph import listed_jumps

LARGEST = 256
"""Nodes of the largest multigraph that is looked at."""

PROVED_NODES, PROVED_DEGREE = 20, 64
"""Up to these all multigraphs with jumps of unlike links have flows: tests go through them."""


@dataclass(frozen=True, slots=True)
class Relays:
    """How the second step goes: the same at every node.

    `missing[j]` is the piece of its shard that a node does not send over the q links of jump j;
    `flows[j, k]`, of d units a piece, what of it comes to the receiver by a link of jump k instead.
    """

    missing: dict[int, int]
    flows: dict[tuple[int, int], int]


def relayed_cost(n: int, d: int) -> Cost | None:
    """What the two steps cost; None where all jumps have as many links, or no flow is found.

    >>> relayed_cost(4, 5), relayed_cost(4, 6)
    (Cost(steps=2, bandwidth=Fraction(3, 4)), None)
    """
    if 2 < n <= PROVED_NODES and n <= d <= PROVED_DEGREE:
        has_relays = d % (n - 1) > 0
    else:
        has_relays = _relays(n, d) is not None
    return Cost(2, Fraction(n - 1, n)) if has_relays else None


def relayed_allgather(n: int, d: int) -> Schedule:
    """The rows of the two steps over the arcs of MultiK(n,d).

    Raises Unsupported where `relayed_cost` is None.

    >>> from generators.families.complete_multigraph import complete_multigraph
    >>> relayed_allgather(4, 5).loads(complete_multigraph(4, 5))
    (Fraction(1, 2), Fraction(1, 10))
    """
    relays = _relays(n, d)
    if relays is None:
        raise Unsupported(f"MultiK({n},{d}): no allgather in two steps is known")
    pieces = d // (n - 1) + 1
    unit = d * (pieces - 1) * pieces
    moves = np.array([*_first_moves(n, d, relays, unit), *_relay_moves(n, d, relays, unit)])
    link, step, offset, begin, end = (np.tile(column, n) for column in moves.T)
    sender = np.repeat(np.arange(n), len(moves))
    return Schedule(
        source=(sender + offset) % n,
        arc=sender * d + link,
        step=step,
        begin=begin,
        end=end,
        denominator=pieces * unit,
    )


Move = tuple[int, int, int, int, int]
"""A link of the sender, the step, the source less the sender, and the ends of the piece."""


def _first_moves(n: int, d: int, relays: Relays, unit: int) -> Iterator[Move]:
    for jump, links in _links(n, d).items():
        sent = [piece for piece in range(d // (n - 1) + 1) if piece != relays.missing.get(jump)]
        for link, piece in zip(links, sent, strict=True):
            yield link, 1, 0, piece * unit, (piece + 1) * unit


def _relay_moves(n: int, d: int, relays: Relays, unit: int) -> Iterator[Move]:
    """Every flow, in equal parts over the links of the jump that carries it."""
    links = _links(n, d)
    done = dict.fromkeys(relays.missing, 0)
    for (lacking, jump), flow in relays.flows.items():
        begin = relays.missing[lacking] * unit + done[lacking]
        part = flow * (unit // d) // len(links[jump])
        for place, link in enumerate(links[jump]):
            yield link, 2, jump - lacking, begin + place * part, begin + (place + 1) * part
        done[lacking] += part * len(links[jump])


def _links(n: int, d: int) -> dict[int, list[int]]:
    """The links of a node, as they are listed, by their jumps."""
    found: dict[int, list[int]] = {jump: [] for jump in range(1, n)}
    for link, jump in enumerate(listed_jumps(n, d)):
        found[jump % n].append(link)
    return found


@lru_cache(maxsize=1 << 10)
def _relays(n: int, d: int) -> Relays | None:
    """Flows that fill all links evenly, by the first of few choices of pieces that has them."""
    times = Counter(jump % n for jump in listed_jumps(n, d))
    pieces = d // (n - 1) + 1
    lacking = [jump for jump in range(1, n) if times[jump] < pieces]
    if n > LARGEST or len(lacking) == n - 1:
        return None
    for missing in (
        {jump: place % pieces for place, jump in enumerate(lacking)},
        {jump: place * pieces // len(lacking) for place, jump in enumerate(lacking)},
    ):
        flows = _full_flows(n, d, times, missing)
        if flows is not None:
            return Relays(missing=missing, flows=flows)
    return None


def _full_flows(
    n: int, d: int, times: Counter[int], missing: dict[int, int]
) -> dict[tuple[int, int], int] | None:
    """Flows of d units from each jump that lacks a piece; None where some unit has no way.

    The sender by jump k of what lacks by jump j is j - k from the source: it holds the piece if it
    is the source, or lacks none, or another one.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    first, second = {j: 1 + place for place, j in enumerate(missing)}, len(missing)
    sink, ways = second + n, []
    for j, piece in missing.items():
        ways.append((0, first[j], d))
        holders = (k for k in times if j == k or missing.get((j - k) % n) != piece)
        ways += [(first[j], second + k, d) for k in holders]
    ways += [(second + k, sink, links * len(missing)) for k, links in times.items()]
    tail, head, room = np.array(ways, dtype=np.int32).T
    graph = csr_array((room, (tail, head)), shape=(sink + 1, sink + 1))
    found = maximum_flow(graph, 0, sink)
    if found.flow_value < d * len(missing):
        return None
    flow = found.flow.todok()
    sent = {(j, k): int(flow.get((first[j], second + k), 0)) for j in missing for k in times}
    return {way: units for way, units in sent.items() if units > 0}
