"""The exact BFB cost of circulants and of other Cayley digraphs, without a graph."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from expansions.recipe import Recipe
from generators.cayley.group import Group
from generators.errors import Unsupported
from generators.families.circulant import Jumps
from generators.topology import Int64Array
from topofinder.schedules.bfb.evaluation import (
    WORD_OF_LINKS,
    Evaluation,
    Pair,
    kernels_are_loaded,
)
from topofinder.schedules.bfb.evaluation_numpy import ALWAYS, NEVER, ONCE
from topofinder.schedules.bfb.translated_arcs import (
    TranslatedArcs,
    arcs_of_generators,
    translated_arcs,
)


def evaluate_circulants(graphs: Sequence[tuple[int, Jumps]]) -> list[Evaluation]:
    """What BFB costs on each C(n,jumps) of the pairs (n, jumps), its own transpose.

    The pairs are those of recipes: connected, jumps from 1 to n/2. A neighbour always leads back in
    one hop, so that theorem 10 holds with equality and the shortest closed walks have two arcs.
    Raises Unsupported beyond 63 in-neighbours (unless one step is enough).

    >>> [found] = evaluate_circulants([(16, (3, 4))])
    >>> found.cost
    Cost(steps=3, bandwidth=Fraction(15, 16))
    """
    from topofinder.schedules.bfb.circulant_kernels import profile_circulants

    senders = [_in_neighbours(n, jumps) for n, jumps in graphs]
    shifts, arcs = (
        np.array([number for one in senders for number in numbers(one)], np.int64)
        for numbers in (Counter.keys, Counter.values)
    )
    orders = np.array([n for n, _ in graphs], np.int64)
    begin = np.zeros(len(graphs) + 1, np.int64)
    shards, links = (np.empty(int(orders.sum()), np.int64) for _ in range(2))
    first = np.cumsum([0, *map(len, senders)])
    if graphs:
        profile_circulants(orders, first, shifts, arcs, begin, shards, links)
    return [
        Evaluation(
            n=n,
            d=senders[place].total(),
            shards=tuple(shards[begin[place] : begin[place + 1]].tolist()),
            links=tuple(links[begin[place] : begin[place + 1]].tolist()),
            line_exact=ALWAYS,
            cycle=2,
        )
        for place, (n, _) in enumerate(graphs)
    ]


def _in_neighbours(n: int, jumps: Jumps) -> Counter[int]:
    """The in-neighbours of node 0, with the parallel arcs from each."""
    found = Counter(turn for jump in jumps for turn in {jump, n - jump})
    if WORD_OF_LINKS < len(found) < n - 1:
        raise Unsupported(
            f"BFB costs need at most {WORD_OF_LINKS} in-neighbours a node, not {len(found)}"
        )
    return found


def evaluate_cayley(group: Group, generators: Sequence[int]) -> Evaluation:
    """What BFB costs on Cay(group; generators), elements by number, which generate the group.

    Left multiplications carry one receiver to all. The shard of a node that is v away from it, for
    an element v, may come over the arc of s when v s^-1 is one step nearer, so that one search from
    the identity tells all. Raises Unsupported beyond 63 different generators.

    >>> from generators.cayley.notation import parse_group
    >>> evaluate_cayley(parse_group("Z16"), [3, 4, 12, 13]).cost
    Cost(steps=3, bandwidth=Fraction(15, 16))
    """
    return evaluate_arcs(arcs_of_generators(group, generators))


def translated_pair(recipe: Recipe, symmetric: bool) -> Pair | None:
    """What BFB costs on a recipe and its transpose, if it is a Cayley digraph as it stands.

    `symmetric` as for `GraphEvaluations`, which takes the others. None too where kernels are not
    loaded: numpy is quicker then.

    >>> from expansions.parser import parse
    >>> translated_pair(parse("L(K(3))"), False) is None
    True
    """
    found = translated_arcs(recipe) if kernels_are_loaded() else None
    if found is None or len(found.proper) > WORD_OF_LINKS:
        return None
    forth = evaluate_arcs(found)
    return forth, forth if symmetric else evaluate_arcs(found.transpose())


def evaluate_arcs(found: TranslatedArcs) -> Evaluation:
    """The same by what generators make of the elements, each by one search."""
    from topofinder.schedules.bfb.circulant_kernels import profile_elements

    proper = found.proper
    if len(proper) > WORD_OF_LINKS:
        raise Unsupported(
            f"BFB costs need at most {WORD_OF_LINKS} in-neighbours a node, not {len(proper)}"
        )
    forth, back = (np.stack([arc[way] for arc in proper]) for way in range(2))
    weights = np.array([times for _, _, times in proper], np.int64)
    shards, links = np.empty((2, found.order), np.int64)
    steps, lengths = profile_elements(forth, back, weights, shards, links)
    near = 0 if found.has_loops else int(lengths.min())
    followers = len(found.arcs)
    return Evaluation(
        n=found.order,
        d=found.degree,
        shards=tuple(shards[:steps].tolist()),
        links=tuple(links[:steps].tolist()),
        line_exact=min(_line_level(t, near, lengths, followers) for t in range(1, steps + 1)),
        cycle=near + 1,
    )


def _line_level(step: int, near: int, lengths: Int64Array, followers: int) -> int:
    """How far theorem 10's equality holds at a step (`profile_kernels` tells why)."""
    if near < step or (step == 1 and followers > 1):
        return ALWAYS
    return ONCE if (lengths != step).any() else NEVER
