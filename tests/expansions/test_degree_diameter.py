"""The least diameter: sharper than the Moore bound, and never above what some graph has."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import pytest

from expansions.degree_diameter import (
    DIGRAPHS,
    GRAPHS,
    MOORE,
    bandwidth_source,
    least_diameter,
    moore_nodes,
)
from expansions.lower_bounds import (
    least_bandwidth,
    moore_steps,
    one_step_bandwidth,
    two_way_moore_steps,
)

Neighbours = tuple[tuple[int, ...], ...]


def reached(out: list[set[int]], start: int, steps: int) -> set[int]:
    seen = {start}
    for _ in range(steps):
        seen |= {v for u in seen for v in out[u]}
    return seen


def some_digraph(n: int, d: int, k: int) -> bool:
    """Whether some digraph of out-degree d at most has n nodes and diameter k at most.

    Nodes get their successors in turn; a node that was given some must still be able to reach all:
    those that have none yet are taken to reach M(d, left) nodes, whichever.
    """
    out: list[set[int]] = [set() for _ in range(n)]

    def hopeful(upto: int) -> bool:
        for start in range(upto):
            seen, edge, free = {start}, {start}, 0
            for step in range(k):
                free += sum(moore_nodes(d, k - step) - 1 for u in edge if u >= upto)
                edge = {v for u in edge if u < upto for v in out[u]} - seen
                seen |= edge
            if len(seen) + free < n:
                return False
        return True

    def fill(u: int, most: int) -> bool:
        if u == n:
            return all(len(reached(out, v, k)) == n for v in range(n))
        for chosen in _choices(n, d, u, most):
            out[u] = set(chosen)
            if hopeful(u + 1) and fill(u + 1, max(most, *chosen)):
                return True
        out[u] = set()
        return False

    return fill(0, 0)


def _choices(n: int, d: int, u: int, most: int) -> Iterator[tuple[int, ...]]:
    """Sets of d successors; of nodes that nobody named yet, the next ones only."""

    def grow(chosen: tuple[int, ...], known: int) -> Iterator[tuple[int, ...]]:
        if len(chosen) == d:
            yield chosen
            return
        first = chosen[-1] + 1 if chosen else 0
        for v in range(first, min(n, known + 2)):
            if v != u:
                yield from grow((*chosen, v), max(known, v))

    yield from grow((), max(most, u))


def some_graph(n: int, d: int, k: int) -> bool:
    """Whether some graph of degree d at most has n nodes and diameter k at most.

    The first node with ports left is joined to each later one in turn, and to none; of nodes that
    nobody is joined to, only the first is tried.
    """
    near: list[set[int]] = [set() for _ in range(n)]

    def fill(u: int) -> bool:
        while u < n and len(near[u]) == d:
            u += 1
        if u == n:
            return all(len(reached(near, v, k)) == n for v in range(n))
        fresh = next((v for v in range(n) if not near[v] and v > u), n)
        for v in [*range(u + 1, min(fresh + 1, n))]:
            if v not in near[u] and len(near[v]) < d:
                near[u].add(v)
                near[v].add(u)
                if all(_reach_at_most(near, w, d, k) >= n for w in range(u + 1)) and fill(u):
                    return True
                near[u].discard(v)
                near[v].discard(u)
        return fill(u + 1)  # with ports left, as parallel circuits leave them

    return fill(0)


def _reach_at_most(near: list[set[int]], start: int, d: int, k: int) -> int:
    """Nodes within k steps if every port that is left led to new nodes."""
    seen, edge, free = {start}, {start}, 0
    for step in range(k):
        ports = sum(d - len(near[u]) for u in edge)
        free += ports * sum((d - 1) ** i for i in range(k - step))
        edge = {v for u in edge for v in near[u]} - seen
        seen |= edge
    return len(seen) + free


@pytest.mark.parametrize(("n", "d"), [(n, 2) for n in range(3, 8)] + [(n, 3) for n in range(4, 10)])
def test_small_digraphs_by_trying_all(n: int, d: int) -> None:
    least = least_diameter(n, d).steps
    assert some_digraph(n, d, least)
    assert not some_digraph(n, d, least - 1)


@pytest.mark.parametrize(
    ("n", "d"), [(n, 3) for n in range(4, 11)] + [(n, 4) for n in (5, 6, 7, 8, 9)]
)
def test_small_graphs_by_trying_all(n: int, d: int) -> None:
    bound = least_diameter(n, d, two_way=True)
    assert not some_graph(n, d, bound.steps - 1)
    assert some_graph(n, d, bound.steps)


@pytest.mark.parametrize(
    ("n", "d", "two_way", "steps", "source"),
    [
        (7, 2, False, 3, "no Moore digraph: Bridges and Toueg 1980"),
        (6, 2, False, 2, MOORE),
        (14, 2, False, 4, "no almost Moore digraph: Miller and Fris 1992"),
        (13, 2, False, 4, "no digraph of defect 2: Miller and Siran 2001"),
        (12, 2, False, 3, MOORE),
        (12, 3, False, 2, MOORE),
        (39, 3, False, 4, "no almost Moore digraph: Baskoro et al. 2005"),
        (84, 4, False, 4, "no almost Moore digraph: Conde et al. 2008"),
        (340, 4, False, 5, "no almost Moore digraph: Conde et al. 2013"),
        (1364, 4, False, 5, MOORE),
        (5, 4, False, 1, MOORE),
        (9, 1, False, 8, MOORE),
        (10, 3, True, 2, MOORE),
        (9, 3, True, 3, "no graph of defect 1: Erdos et al. 1980"),
        (21, 3, True, 4, "no graph of defect 1: Bannai and Ito 1981"),
        (50, 7, True, 2, MOORE),
        (17, 4, True, 3, "no Moore graph: Bannai and Ito 1973"),
        (15, 4, True, 2, MOORE),
        (20, 3, True, 3, MOORE),
        (38, 3, True, 4, MOORE),
        (40, 3, True, 5, "at most 38 nodes: Buset 2000"),
        (88, 3, True, 5, MOORE),
        (90, 3, True, 6, "no graph of defect below 6: Miller and Pineda-Villavicencio 2009"),
        (92, 3, True, 6, "no graph of defect below 6: Miller and Pineda-Villavicencio 2009"),
        (33, 6, True, 3, "at most 32 nodes: Molodtsov 2006"),
        (32, 6, True, 2, MOORE),
        (51, 4, True, 4, "no graph of defect 2: Feria-Puron et al. 2011"),
        (1704, 5, True, 6, "no graph of defect 2: Feria-Puron et al. 2011"),
        (10884, 7, True, 6, "no graph of defect 2: Feria-Puron et al. 2011"),
        (6824, 5, True, 6, "Moore bound"),
        (7, 2, True, 3, MOORE),
    ],
)
def test_what_is_proved(n: int, d: int, two_way: bool, steps: int, source: str) -> None:
    assert least_diameter(n, d, two_way=two_way) == (steps, source)


def test_no_bound_is_above_a_graph_that_is_known() -> None:
    """Kautz digraphs and the largest graphs known of small degree and diameter."""
    for d in range(2, 8):
        for k in range(2, 6):
            assert least_diameter(d**k + d ** (k - 1), d).steps == k
    largest = {(3, 2): 10, (3, 3): 20, (3, 4): 38, (3, 5): 70, (4, 2): 15, (4, 3): 41, (4, 4): 98}
    largest |= {(5, 2): 24, (5, 3): 72, (6, 2): 32, (6, 3): 111, (7, 2): 50, (3, 6): 132}
    for (d, k), n in largest.items():
        assert least_diameter(n, d, two_way=True).steps == k


@pytest.mark.parametrize("two_way", [False, True])
def test_it_is_the_moore_bound_or_one_more(two_way: bool) -> None:
    for d in range(1, 12):
        for n in range(2, 700):
            moore = two_way_moore_steps(n, d) if two_way else moore_steps(n, d)
            found = least_diameter(n, d, two_way=two_way)
            assert found.steps - moore == (found.source != MOORE)
    assert all(one.source.split()[-1].isdigit() for one in (*DIGRAPHS, *GRAPHS))


def test_the_bandwidth_bound_names_its_source() -> None:
    assert bandwidth_source(9, 3) == bandwidth_source(10, 3, two_way=True) == "theorem 4"
    assert bandwidth_source(9, 3, two_way=True) == "theorem 4, one port free"


@pytest.mark.parametrize("n", range(2, 6))
@pytest.mark.parametrize("d", range(1, 9))
def test_one_step_takes_as_long_as_the_fewest_links_to_some_host(n: int, d: int) -> None:
    """A shard a host over d links in all, however they are shared among the n - 1 others."""
    shares = [share for share in product(range(1, d + 1), repeat=n - 1) if sum(share) == d]
    if not shares:
        assert moore_steps(n, d) > 1
        return
    assert one_step_bandwidth(n, d) == min(Fraction(d, n * min(share)) for share in shares)
    assert one_step_bandwidth(n, d) >= least_bandwidth(n)
    assert (one_step_bandwidth(n, d) == least_bandwidth(n)) == (d % (n - 1) == 0)
