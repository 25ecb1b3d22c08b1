"""Grafts of line graphs whose roots were thinned: few steps at sizes that d does not divide.

The nodes of L(G) are the arcs of G, and two of them are a step farther apart than the head of the
one and the tail of the other. So k nodes are removed from L(G), and no pair gets farther apart than
G's diameter and one, where G has k arcs of which it has no need. A regular digraph of few nodes can
be made such by exchanging heads of a few arcs, which is tried thousands of times in a tenth of a
second; L(G) itself would be thousands of times as long to repair. Removed nodes join those before
them to those behind by some permutation, which no distance needs: it is drawn by what loads remain.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice

import numpy as np

from expansions import canonical
from expansions.build import build
from expansions.graft import ONE_WAY, graft, graft_of_arcs, links_of
from expansions.graft_edits import heads, tails
from expansions.graft_ranks import permutation_count
from expansions.recipe import Line, Recipe
from expansions.size import size
from expansions.tokens import LONGEST_TEXT
from generators.errors import InvalidInput
from generators.topology import Topology
from topofinder.discovery.grafts.found import FoundGraft, best_grafts, random_state
from topofinder.discovery.grafts.root_kernels import thin_digraph
from topofinder.discovery.grafts.trials import LARGEST_RANK
from topofinder.schedules.bfb.evaluation import evaluate

MOST_DROPPED = 8
"""Times d: so many nodes of a line graph are removed at most."""
MOST_ROOTS = 6
MOST_NODES = 1 << 11
"""Nodes of the largest roots."""
THIN_WORK = 1 << 26
"""Words that are joined to thin a root, to find arcs it can do without and by exchanges: about
50 ms."""
DRAWN, EXCHANGES = 64, 8000
"""Of so many arcs one is dropped, and so many exchanges are tried, where there is time for it."""
FAILURES = 2
"""A root is given up after so many more failures than successes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThinnedRoot:
    """A line graph, and nodes of it that can be removed, the greatest first."""

    line: Recipe
    nodes: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedRemoval:
    """Nodes of a line graph removed, joined by permutations of these numbers."""

    root: ThinnedRoot
    ranks: tuple[int, ...]
    graft: FoundGraft


def find_line_grafts(
    n: int, d: int, *, bases: Iterable[Recipe], tries: int, seed: int = 0, most: int = 4
) -> list[FoundGraft]:
    """The best few one-way grafts of n nodes of the line graphs among the `bases`.

    At most so many `tries` are evaluated: half by thinned roots, the others by permutations at the
    best of these. The same arguments give the same finds. Bases that are no line graphs, of other
    degrees, or not a few nodes larger than n are left out.

    >>> from expansions.parser import parse
    >>> found = find_line_grafts(30, 4, bases=[parse("L(C(8,{1,3}))")], tries=4)
    >>> [(one.forth.steps, one.back.steps) for one in found]
    [(3, 3)]
    """
    random = np.random.default_rng([seed, n, d])
    tried: list[TriedRemoval] = []
    for root in islice(_thinned_roots(n, d, bases, seed), max(1, tries // 2)):
        tried += remove_nodes(root, [_draw_rank(d, random) for _ in root.nodes])
    for _ in range(tries - len(tried) if tried else 0):
        best = min(tried, key=lambda one: (one.graft.time, str(one.graft.recipe)))
        ranks = list(best.ranks)
        ranks[random.integers(len(ranks))] = _draw_rank(d, random)
        tried += remove_nodes(best.root, ranks)
    return best_grafts((one.graft for one in tried), most)


def _draw_rank(d: int, random: np.random.Generator) -> int:
    return int(random.integers(min(permutation_count(d), LARGEST_RANK)))


def remove_nodes(root: ThinnedRoot, ranks: Sequence[int]) -> list[TriedRemoval]:
    """The line graph without its nodes, joined by permutations of these numbers, evaluated.

    Nothing where a node would be joined to itself, or the recipe is too long to be read.
    """
    try:
        recipe = graft(ONE_WAY, root.line, tuple(zip(root.nodes, ranks, strict=True)), (), ())
    except InvalidInput:
        return []
    if len(str(recipe)) > LONGEST_TEXT:
        return []
    graph = build(recipe)
    costs = evaluate(graph).cost, evaluate(graph.transpose()).cost
    found = FoundGraft(recipe=recipe, forth=costs[0], back=costs[1])
    return [TriedRemoval(root=root, ranks=tuple(ranks), graft=found)]


def _thinned_roots(n: int, d: int, bases: Iterable[Recipe], seed: int) -> Iterator[ThinnedRoot]:
    """Thinned roots of the bases by turns, by other draws each time, until none can be thinned."""
    lines = (one for one in dict.fromkeys(bases) if isinstance(one, Line))
    usable = list(islice((one for one in lines if _can_lose(one, n, d)), MOST_ROOTS))
    failures = dict.fromkeys(usable, 0)
    for turn in count():
        for line in list(usable):
            found = _thin_root(line, size(line).n - n, random_state(seed, turn, n, d))
            failures[line] += 1 if found is None else -1
            if found is not None:
                yield found
            elif failures[line] >= FAILURES:
                usable.remove(line)
        if not usable:
            return


def _can_lose(line: Line, n: int, d: int) -> bool:
    """Whether a line graph has a few nodes too many, and a root that can be edited."""
    have, inner = size(line), canonical.line_root(line)
    root = size(inner)
    small = root.n <= MOST_NODES and d + 2 < root.n
    if have.d != d or not 0 < have.n - n <= MOST_DROPPED * d or not small:
        return False
    graph = build(inner)
    return graph.is_regular and graph.is_simple and not graph.has_loops


def _thin_root(line: Line, surplus: int, random: np.ndarray) -> ThinnedRoot | None:
    """The line graph of its root, thinned to do without so many arcs; None where that fails."""
    inner = canonical.line_root(line)
    root = build(inner)
    arcs = links_of(root, duplex=False)
    tail, head = tails(arcs), heads(arcs)
    joined = np.zeros((root.n, root.n), np.bool_)
    joined[tail, head] = True
    start, dropped = np.searchsorted(tail, np.arange(root.n + 1)), np.zeros(surplus, np.int64)
    steps = int(evaluate(root).cost.steps)
    unit = root.arcs * -(-root.n // 64) * steps
    drawn = max(1, min(DRAWN, THIN_WORK // (4 * unit * surplus)))
    most = min(EXCHANGES, THIN_WORK // unit)
    if thin_digraph(start, tail, head, joined, steps, dropped, drawn, most, random):
        return None
    thinned = Topology.from_arcs(root.n, np.stack([tail, head], axis=1))
    edited = graft_of_arcs(ONE_WAY, inner, (), (), thinned)
    graph = build(edited)
    place = {
        arc: e for e, arc in enumerate(zip(graph.tail.tolist(), graph.head.tolist(), strict=True))
    }
    nodes = sorted((place[int(tail[a]), int(head[a])] for a in dropped), reverse=True)
    return ThinnedRoot(line=canonical.line(edited), nodes=tuple(nodes))
