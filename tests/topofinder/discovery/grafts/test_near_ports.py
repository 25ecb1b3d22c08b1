"""Edits that keep to panels: every circuit of tiny fabrics against all ways to put a node in."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, permutations, product

import numpy as np
import pytest

from expansions.build import build
from expansions.graft import links_of
from expansions.graft_edits import MASK, SHIFT
from expansions.parser import parse
from generators.connectivity import unreachable_pair
from generators.topology import Topology
from topofinder.discovery.grafts.found import WorkLeft
from topofinder.discovery.grafts.near import NearGraph, find_near_graphs
from topofinder.discovery.grafts.near_edits import count_new_links, edit_links
from topofinder.discovery.grafts.near_ports import LinkPorts
from topofinder.schedules.deferral.least_costs import least_costs

LOADS = 60_000
Link = tuple[int, int]


def ends_of(graph: Topology, *, duplex: bool) -> list[Link]:
    links = links_of(graph, duplex=duplex)
    return list(zip((links >> SHIFT).tolist(), (links & MASK).tolist(), strict=True))


def two_panels(recipe: str, step: int, more: int, *, duplex: bool) -> tuple[Topology, LinkPorts]:
    """A circulant whose links to nodes so far away are on panel 0, the others on panel 1."""
    graph = build(parse(recipe))
    panel = [
        int((v - u) % graph.n not in ((step, graph.n - step) if duplex else (step,)))
        for u, v in ends_of(graph, duplex=duplex)
    ]
    each = graph.degree // 2
    mate = [0, 1, 2, 3] if duplex else [1, 0, 3, 2]
    row = [each, 0, each, 0] if duplex else [each] * 4
    ports = np.array([row] * more, dtype=np.int32)
    kind = 2 * np.array(panel, dtype=np.int32)
    return graph, LinkPorts(kind=kind, mate=np.array(mate, dtype=np.int32), ports=ports)


def fits(there: dict[Link, int], wanted: list[Link], each: int, *, duplex: bool) -> bool:
    """Whether panels can be chosen for the links that are not there, beside those that are."""
    new = [link for link in wanted if link not in there]
    kept = [(link, there[link]) for link in wanted if link in there]
    for panels in product(range(2), repeat=len(new)):
        used: Counter = Counter()
        for (u, v), panel in [*kept, *zip(new, panels, strict=True)]:
            used[u, 0, panel] += 1
            used[v, 0 if duplex else 1, panel] += 1
        if max(used.values()) <= each:
            return True
    return False


def grown_by_one(links: list[Link], n: int, d: int, *, duplex: bool) -> Iterator[list[Link]]:
    """The links of all simple graphs with node n on links that are cut."""
    for cut in combinations(links, d // 2 if duplex else d):
        joined = [(u, n) for u, _ in cut]
        joined += [(v, n) if duplex else (n, v) for _, v in cut]
        if len(set(joined)) == len(joined):
            yield [link for link in links if link not in cut] + joined


def topology_of(links: list[Link], n: int, *, duplex: bool) -> Topology:
    return Topology.from_arcs(n, links + ([(v, u) for u, v in links] if duplex else []))


def cost_of(graph: Topology) -> tuple:
    costs = least_costs(graph)
    return costs.forth.steps + costs.back.steps, costs.forth.bandwidth + costs.back.bandwidth


TINY = [
    ("Cay(Z5;1,2)", 1, False),
    ("Cay(Z5;1,3)", 1, False),
    ("Cay(Z6;1,2)", 2, False),
    ("Cay(Z6;1,4)", 1, False),
    ("C(6,{1,2})", 1, True),
    ("C(5,{1,2})", 2, True),
]


@pytest.mark.parametrize(("recipe", "step", "duplex"), TINY)
def test_no_way_to_put_a_node_in_has_fewer_new_links_or_costs_less(
    recipe: str, step: int, duplex: bool
) -> None:
    graph, ports = two_panels(recipe, step, 1, duplex=duplex)
    n, d = graph.n, graph.degree
    links = ends_of(graph, duplex=duplex)
    there = dict(zip(links, (ports.kind // 2).tolist(), strict=True))
    costs = []
    for wanted in grown_by_one(links, n, d, duplex=duplex):
        found = topology_of(wanted, n + 1, duplex=duplex)
        if fits(there, wanted, d // 2, duplex=duplex) and not unreachable_pair(found):
            costs.append(cost_of(found))
    found = find_near_graphs(graph, 1, duplex=duplex, most=None, loads=LOADS, ports=ports)
    fewest = d if duplex else 2 * d  # all circuits of the node
    assert min(one.new for one in found) == fewest
    assert min(cost_of(one.graph) for one in found if one.new == fewest) == min(costs)
    for one in found:
        require_panels(one, there, d // 2, duplex=duplex)


def require_panels(one: NearGraph, there: dict[Link, int], each: int, *, duplex: bool) -> None:
    """So many new links leave panels for all: those that stay are where they were."""
    wanted = ends_of(one.graph, duplex=duplex)
    again = [link for link in wanted if link in there]
    moved = one.new - (len(wanted) - len(again))  # links that are there, but on another panel
    assert any(
        fits({k: p for k, p in there.items() if k not in gone}, wanted, each, duplex=duplex)
        for gone in combinations(again, moved)
    )


def counts(graph: Topology, ports: LinkPorts, *, duplex: bool) -> np.ndarray:
    """Ports of each kind in use at each node."""
    used = np.zeros((graph.n, len(ports.mate)), dtype=np.int64)
    for (u, v), kind in zip(ends_of(graph, duplex=duplex), ports.kind.tolist(), strict=True):
        used[u, kind] += 1
        used[v, ports.mate[kind]] += 1
    return used


def sided(graph: Topology, rows: list[list[int]], mate: list[int], kinds: list[int]) -> LinkPorts:
    return LinkPorts(
        kind=np.array(kinds, dtype=np.int32)[: graph.arcs // 2],
        mate=np.array(mate, dtype=np.int32),
        ports=np.array(rows, dtype=np.int32),
    )


@pytest.mark.parametrize(
    ("rows", "mate"),
    [
        ([[1, 1, 1, 1]] * 4, [0, 1, 2, 3]),  # a port on each of four panels: two hosts at a time
        ([[3, 1], [1, 3]], [0, 1]),
        ([[2, 3], [3, 3], [5, 0]], [0, 1]),  # more ports than are used
        ([[4, 0], [0, 4]], [1, 0]),  # hosts on one side each
        ([[2, 2], [3, 1], [1, 3]], [1, 0]),
        ([[2, 0, 0, 2], [0, 2, 2, 0], [1, 1, 1, 1]], [1, 0, 3, 2]),
    ],
)
def test_nodes_use_the_ports_that_they_have_and_others_those_that_they_had(
    rows: list[list[int]], mate: list[int]
) -> None:
    graph = build(parse("Torus(5,6)"))
    kinds = np.random.default_rng(0).permutation(np.arange(60) % len(mate)).tolist()
    ports = sided(graph, rows, mate, kinds)
    alone = ports.make_pairs(4)
    order = np.argsort(~alone, kind="stable")
    ports = sided(graph, np.array(rows)[order].tolist(), mate, kinds)
    found = edit_links(graph, len(rows), WorkLeft(LOADS), LOADS, 0, duplex=True, ports=ports)
    assert found is not None
    used = counts(found.graph, found.ports, duplex=True)
    assert (used[:30] == counts(graph, ports, duplex=True)).all()
    assert (used[30:] <= ports.ports).all()
    assert (used.sum(axis=1) == 4).all()


def test_nodes_whose_ports_match_none_are_not_put_in() -> None:
    graph = build(parse("Torus(5,6)"))
    for rows, mate in (([[1, 1, 1, 1]], [0, 1, 2, 3]), ([[4, 0]], [1, 0]), ([[3, 1]], [0, 1])):
        ports = sided(graph, rows, mate, (np.arange(60) % len(mate)).tolist())
        assert not find_near_graphs(graph, 1, duplex=True, most=None, loads=LOADS, ports=ports)


@pytest.mark.parametrize("duplex", [True, False])
def test_slots_carry_the_kinds_of_links(duplex: bool) -> None:
    """Parallel links too, whose kinds are unlike."""
    graph = build(parse("Torus(3,3)||2"))
    links = links_of(graph, duplex=duplex)
    mate = np.array([1, 0, 3, 2], dtype=np.int32)
    kind = np.random.default_rng(0).integers(4, size=len(links)).astype(np.int32)
    kind -= 0 if duplex else kind % 2
    ports = LinkPorts(kind=kind, mate=mate, ports=np.zeros((0, 4), dtype=np.int32))
    kinds = ports.slot_kinds(links, duplex=duplex)
    order = np.lexsort((graph.head, graph.tail))
    slots = graph.head[order]
    if not duplex:
        slots = np.concatenate([graph.tail[np.lexsort((graph.tail, graph.head))], slots])
    again = ports.of_slots(slots, kinds, graph.n, duplex=duplex)
    pairs = [sorted(zip(links.tolist(), one.kind.tolist(), strict=True)) for one in (ports, again)]
    assert pairs[0] == pairs[1]


def shrunk(
    links: list[Link], n: int, gone: tuple[int, ...], d: int, *, duplex: bool
) -> Iterator[list[Link]]:
    """The links of all simple graphs without some nodes, their neighbours joined to one another."""
    kept = [link for link in links if not set(link) & set(gone)]
    cut = [link for link in links if len(set(link) & set(gone)) == 1]
    tails = [u for u, v in cut if v in gone]
    heads = [v for u, v in cut if u in gone]
    ways: Iterator[list[Link]]
    if duplex:
        ways = all_matchings(tails + heads)
    else:
        ways = (list(zip(tails, order, strict=True)) for order in permutations(heads))
    for joined in ways:
        wanted = kept + [(min(one), max(one)) if duplex else one for one in joined]
        if len(set(wanted)) == len(wanted) and all(u != v for u, v in wanted):
            yield wanted


def all_matchings(ends: list[int]) -> Iterator[list[Link]]:
    if not ends:
        yield []
    for i in range(1, len(ends)):
        for rest in all_matchings(ends[1:i] + ends[i + 1 :]):
            yield [(ends[0], ends[i]), *rest]


def random_panels(recipe: str, seed: int, *, duplex: bool) -> tuple[Topology, LinkPorts]:
    """A graph whose links are on either of two panels by chance."""
    graph = build(parse(recipe))
    random = np.random.default_rng(seed)
    panel = random.integers(2, size=graph.arcs // (2 if duplex else 1)).astype(np.int32)
    mate = np.array([0, 1, 2, 3] if duplex else [1, 0, 3, 2], dtype=np.int32)
    return graph, LinkPorts(kind=2 * panel, mate=mate, ports=np.zeros((0, 4), dtype=np.int32))


SHRINKING = [
    *(("BiRing(2,6)", fewer, True, seed) for seed in range(4) for fewer in (1, 2)),
    *(("BiRing(2,5)", 1, True, seed) for seed in range(4)),
    *(("Cay(Z5;1,2)", 1, False, seed) for seed in range(6)),
    *(("Cay(Z6;1,2)", fewer, False, seed) for seed in range(6) for fewer in (1, 2)),
    *(("Torus(3,3)", fewer, True, seed) for seed in range(3) for fewer in (1, 2)),
    *(("K(3,3)", 2, True, seed) for seed in range(3)),
]


@pytest.mark.parametrize(("recipe", "fewer", "duplex", "seed"), SHRINKING)
def test_no_way_to_take_nodes_out_has_fewer_new_links_or_costs_less(
    recipe: str, fewer: int, duplex: bool, seed: int
) -> None:
    """All hosts that may leave, all ways to join their neighbours, all panels of new circuits."""
    graph, ports = random_panels(recipe, seed, duplex=duplex)
    n, d = graph.n, graph.degree
    links = ends_of(graph, duplex=duplex)
    panel = dict(zip(links, (ports.kind // 2).tolist(), strict=True))
    costs: dict[int, list[tuple]] = {}
    for gone in combinations(range(n), fewer):
        stay = [node for node in range(n) if node not in gone]
        number = {node: i for i, node in enumerate(stay)}
        for wanted in shrunk(links, n, gone, d, duplex=duplex):
            made = topology_of(
                [(number[u], number[v]) for u, v in wanted], n - fewer, duplex=duplex
            )
            if own_ports(panel, wanted, duplex=duplex) and not unreachable_pair(made):
                new = sum(link not in panel for link in wanted)
                costs.setdefault(new, []).append(cost_of(made))
    found = find_near_graphs(graph, -fewer, duplex=duplex, most=None, loads=LOADS, ports=ports)
    if n - fewer <= d + 1:
        assert not found
        return
    assert bool(found) == bool(costs)
    if found:
        fewest = min(costs)
        assert min(one.new for one in found) == fewest
        best = min(cost for new, each in costs.items() for cost in each if new <= found[0].new)
        assert min(cost_of(one.graph) for one in found if one.new <= found[0].new) == best


def own_ports(there: dict[Link, int], wanted: list[Link], *, duplex: bool) -> bool:
    """Whether panels can be chosen for the new links so that no host uses others than it did."""
    most: Counter = Counter()
    for (u, v), panel in there.items():
        most[u, 0, panel] += 1
        most[v, 0 if duplex else 1, panel] += 1
    new = [link for link in wanted if link not in there]
    kept = [(link, there[link]) for link in wanted if link in there]
    for panels in product(range(2), repeat=len(new)):
        used: Counter = Counter()
        for (u, v), panel in [*kept, *zip(new, panels, strict=True)]:
            used[u, 0, panel] += 1
            used[v, 0 if duplex else 1, panel] += 1
        if all(used[end] <= most[end] for end in used):
            return True
    return False


def test_hosts_with_a_port_on_each_of_four_panels_leave_in_twos() -> None:
    graph = build(parse("Torus(4,4)"))
    mate = [0, 1, 2, 3]
    kinds = colours_of(graph, 4)
    ports = sided(graph, [], mate, kinds)
    ports = LinkPorts(kind=ports.kind, mate=ports.mate, ports=np.zeros((0, 4), dtype=np.int32))
    assert not find_near_graphs(graph, -1, duplex=True, most=None, loads=LOADS, ports=ports)
    found = edit_links(graph, -2, WorkLeft(LOADS), LOADS, 0, duplex=True, ports=ports)
    assert found is not None
    assert (counts(found.graph, found.ports, duplex=True) == 1).all()
    assert count_new_links(graph, ports, found, duplex=True) <= 4


def colours_of(graph: Topology, d: int) -> list[int]:
    """Each circuit of a torus with even sides by its direction and parity."""
    found = []
    for u, v in ends_of(graph, duplex=True):
        row = u // 4 == v // 4
        place, other = (u % 4, v % 4) if row else (u // 4, v // 4)
        found.append(2 * row + (min(place, other) % 2 if abs(place - other) == 1 else 1))
    return found
