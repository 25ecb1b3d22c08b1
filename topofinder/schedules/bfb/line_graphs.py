"""The exact BFB cost of a line graph, from the graph that it is made of.

A line graph of N nodes takes N^2 d / 64 operations of a machine word; the graph itself, d times as
small, a d-th of their square.
"""

from fractions import Fraction

from expansions.plain_twin import plain_twin, read_one_way_ring
from expansions.recipe import Line, Recipe
from generators.connectivity import refuse_disconnected
from generators.topology import Topology
from topofinder.schedules.bfb.evaluation import WORD_OF_LINKS, Evaluation, Pair
from topofinder.schedules.bfb.evaluation_numpy import NEVER
from topofinder.schedules.bfb.grouped_arcs import GroupedArcs, group_arcs


def evaluate_ring_lines(d: int, m: int, times: int) -> Evaluation:
    """What BFB costs on L^times(UniRing(d,m)), its own transpose, for m >= 3 and 1 <= times < m.

    A node is a place on the ring and a word of `times` letters, of which each hop drops the oldest.
    Nodes t hops away share all but t letters with the receiver while t < times; farther away are
    whole places, and after a round those of the receiver's own place and the next that were not
    met yet. All in-neighbours may send a shard that comes from beyond `times` hops, and of the
    nearer ones each brings as many: links are equally busy at every step.

    >>> evaluate_ring_lines(2, 3, 2).cost
    Cost(steps=4, bandwidth=Fraction(11, 12))
    """
    words = d**times
    met = [*(d**t for t in range(1, times)), *[words] * (m - times)]
    met += [words - d**t for t in range(times)]
    loads = [Fraction(shards, d) for shards in met]
    return Evaluation(
        n=m * words,
        d=d,
        shards=tuple(load.numerator for load in loads),
        links=tuple(load.denominator for load in loads),
        line_exact=NEVER,
        cycle=m,
    )


def read_ring_lines(recipe: Recipe) -> tuple[int, int, int] | None:
    """d, m and times of an L^times(UniRing(d,m)) that `evaluate_ring_lines` takes; else None.

    Other names of these are read, too (`plain_twin`).

    >>> from expansions.parser import parse
    >>> [read_ring_lines(parse(text)) for text in ("L(UniRing(1,5)*2)", "L(K(3))")]
    [(2, 5, 2), None]
    """
    twin = plain_twin(recipe)
    ring = read_one_way_ring(twin.inner) if isinstance(twin, Line) else None
    if not isinstance(twin, Line) or ring is None:
        return None
    d, m = ring
    return (d, m, twin.times) if d > 1 and m > 2 and twin.times < m else None


def evaluate_line_graph(topology: Topology, symmetric: bool = False) -> Pair:
    """What BFB costs on L(G) and on its transpose, for a regular G of degree 2 to 63.

    `symmetric` says that L(G) is isomorphic to its transpose, which then costs the same. Raises
    InvalidInput when some node of G cannot reach another.

    >>> from generators.families.complete import complete
    >>> [one.cost for one in evaluate_line_graph(complete(4, 4))][0]
    Cost(steps=3, bandwidth=Fraction(1, 1))
    """
    arcs = group_arcs(topology)
    found = _evaluate(arcs)
    return found, found if symmetric else _evaluate(arcs.transpose())


def has_quick_line_graph(topology: Topology) -> bool:
    """Whether `evaluate_line_graph` takes it: regular, and of a degree from 2 to 63."""
    return topology.is_regular and 2 <= topology.degree <= WORD_OF_LINKS


def _evaluate(arcs: GroupedArcs) -> Evaluation:
    from topofinder.schedules.bfb.line_kernels import profile_line_graph

    found = profile_line_graph(*arcs.kernel_input, arcs.receivers, arcs.degree)
    steps, shards, links, levels, near = found
    if steps < 0:
        refuse_disconnected(arcs.topology.transpose() if arcs.turned else arcs.topology)
    return Evaluation(
        n=arcs.topology.n * arcs.degree,
        d=arcs.degree,
        shards=tuple(shards[1 : steps + 1].tolist()),
        links=tuple(links[1 : steps + 1].tolist()),
        line_exact=int(levels[1 : steps + 1].min()),
        cycle=near + 1,
    )
