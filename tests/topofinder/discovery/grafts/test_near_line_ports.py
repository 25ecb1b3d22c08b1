"""Line digraphs that grow through their roots on several panels, against all ways on tiny ones."""

from itertools import combinations, product

import numpy as np
import pytest

from expansions.build import build
from expansions.graft import links_of
from expansions.graft_edits import MASK, SHIFT
from expansions.line_graph import line_graph
from expansions.parser import parse
from generators.connectivity import unreachable_pair
from generators.topology import Int64Array, IntArray, Topology
from topofinder.discovery.grafts.found import WorkLeft
from topofinder.discovery.grafts.near import find_near_graphs
from topofinder.discovery.grafts.near_edits import count_new_links
from topofinder.discovery.grafts.near_line_ports import fit_kinds
from topofinder.discovery.grafts.near_lines import lift_edit, line_root
from topofinder.discovery.grafts.near_ports import LinkPorts
from topofinder.discovery.grafts.near_roots import edit_root, edit_root_first
from topofinder.schedules.deferral.least_costs import least_costs

LOADS = 60_000


def ends_of(graph: Topology) -> tuple[Int64Array, Int64Array]:
    links = links_of(graph, duplex=False)
    return links >> SHIFT, links & MASK


def ports_used(graph: Topology, kind: IntArray, mate: IntArray) -> np.ndarray:
    """Ports of each kind in use at each node."""
    used = np.zeros((graph.n, len(mate)), dtype=np.int64)
    tail, head = ends_of(graph)
    np.add.at(used, (tail, kind), 1)
    np.add.at(used, (head, mate[kind]), 1)
    return used


def coloured(graph: Topology, panels: int, rows: list[list[int]], seed: int) -> LinkPorts:
    """Each link on a panel: hosts have what their links need, which is not the same for all."""
    mate = np.arange(2 * panels, dtype=np.int32) ^ 1
    kind = 2 * np.random.default_rng(seed).integers(panels, size=graph.arcs)
    return LinkPorts(kind=kind.astype(np.int32), mate=mate, ports=np.array(rows, dtype=np.int32))


def matched(graph: Topology, panels: int, more: int) -> LinkPorts:
    """As many ports of each panel at each host: links are put on panels in turn, and exchanged."""
    d, mate = graph.degree, np.arange(2 * panels, dtype=np.int32) ^ 1
    tail, head = ends_of(graph)
    left, kind = np.ones(graph.arcs, dtype=bool), np.zeros(graph.arcs, dtype=np.int32)
    for port in range(d):
        chosen = _matching(graph.n, tail, head, left)
        kind[chosen], left[chosen] = 2 * (port % panels), False
    each = [port % panels for port in range(d)]
    row = [each.count(k // 2) for k in range(2 * panels)]
    return LinkPorts(kind=kind, mate=mate, ports=np.array([row] * more, dtype=np.int32))


def _matching(n: int, tail: Int64Array, head: Int64Array, left: np.ndarray) -> list[int]:
    """Links that leave and reach each node once, by augmenting paths."""
    of_head = np.full(n, -1)

    def augment(node: int, seen: set[int]) -> bool:
        for link in np.flatnonzero(left & (tail == node)).tolist():
            other = int(head[link])
            if other not in seen:
                seen.add(other)
                if of_head[other] < 0 or augment(int(tail[of_head[other]]), seen):
                    of_head[other] = link
                    return True
        return False

    assert all(augment(node, set()) for node in range(n))
    return of_head.tolist()


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("panels", [2, 3])
def test_kinds_are_found_where_there_are_any(panels: int, seed: int) -> None:
    """Against all ways to give the new links panels: hosts, new ones too, have unlike ports."""
    root = build(parse("Kautz(2,0)"))
    graph, random = line_graph(root), np.random.default_rng([seed, panels])
    tail, head = np.append(root.tail, [3, 3]), np.append(root.head, [0, 1])
    head[[0, 3]], old = 3, np.array([0, 1, 2, -1], dtype=np.int32)
    head[[6, 7]] = root.head[[0, 3]]
    grown = Topology(n=4, tail=tail.astype(np.int32), head=head.astype(np.int32))
    if (grown.tail == grown.head).any():
        return
    after, origin = lift_edit(graph, root, grown, old)
    rows = np.zeros((2, 2 * panels), dtype=np.int64)
    for row, side, _ in product(range(2), range(2), range(2)):
        rows[row, 2 * random.integers(panels) + side] += 1
    ports = coloured(graph, panels, rows.tolist(), seed)
    found = fit_kinds(graph, ports, after, origin)
    assert (found is not None) == any_way_fits(graph, ports, after, origin)
    if found is not None:
        used = ports_used(after, found, ports.mate)
        before = ports_used(graph, ports.kind, ports.mate)
        assert (used[origin >= 0] <= before[origin[origin >= 0]]).all()
        assert (used[origin < 0] <= ports.ports).all()


def any_way_fits(graph: Topology, ports: LinkPorts, after: Topology, origin: IntArray) -> bool:
    there = dict(zip(zip(*map(np.ndarray.tolist, ends_of(graph)), strict=True), ports.kind.tolist(),
                     strict=True))  # fmt: skip
    before = ports_used(graph, ports.kind, ports.mate)
    room, waiting = np.zeros((after.n, len(ports.mate)), dtype=np.int64), []
    room[origin >= 0] = before[origin[origin >= 0]]
    room[origin < 0] = ports.ports
    for u, v in zip(*map(np.ndarray.tolist, ends_of(after)), strict=True):
        kind = there.get((int(origin[u]), int(origin[v])))
        if kind is None:
            waiting.append((u, v))
        else:
            room[u, kind] -= 1
            room[v, kind ^ 1] -= 1
    return can_colour(waiting, room)


def can_colour(waiting: list[tuple[int, int]], room: np.ndarray) -> bool:
    if not waiting:
        return True
    (u, v), *rest = waiting
    for kind in range(0, room.shape[1], 2):
        if room[u, kind] and room[v, kind + 1]:
            left = room.copy()
            left[u, kind] -= 1
            left[v, kind + 1] -= 1
            if can_colour(rest, left):
                return True
    return False


def roots_with_a_node_more(root: Topology) -> list[Topology]:
    """All digraphs with a node on d arcs of the root that are cut, without loops."""
    d, found = root.degree, []
    for cut in combinations(range(root.arcs), d):
        tail, head = root.tail.copy(), root.head.copy()
        head[list(cut)] = root.n
        tail = np.append(tail, [root.n] * d).astype(np.int32)
        head = np.append(head, root.head[list(cut)]).astype(np.int32)
        found.append(Topology(n=root.n + 1, tail=tail, head=head))
    return found


def time_of(graph: Topology) -> float:
    costs = least_costs(graph)
    steps = costs.forth.steps + costs.back.steps
    return 10 * steps + 83.886 * float(costs.forth.bandwidth + costs.back.bandwidth)


@pytest.mark.parametrize("recipe", ["Kautz(2,1)", "L(Cay(Z5;1,2))", "L(Cay(Z6;1,4))"])
def test_a_root_grows_to_the_best_that_it_can_on_two_panels(recipe: str) -> None:
    graph = build(parse(recipe))
    root, ports = line_root(graph), matched(graph, 2, 2)
    assert root is not None
    grown = [line_graph(one) for one in roots_with_a_node_more(root)]
    least = min(time_of(one) for one in grown if not unreachable_pair(one))
    found = find_near_graphs(graph, 2, duplex=False, most=None, loads=LOADS, ports=ports)
    lines = [one for one in found if line_root(one.graph) is not None]
    assert min(time_of(one.graph) for one in lines) == pytest.approx(least)
    assert min(one.new for one in lines) <= 2 * graph.degree**2
    before = ports_used(graph, ports.kind, ports.mate)
    edited = edit_root(graph, 2, WorkLeft(LOADS), LOADS, 0, ports)
    assert edited is not None
    used = ports_used(edited.graph, edited.ports.kind, ports.mate)
    assert (used[edited.origin >= 0] == before[edited.origin[edited.origin >= 0]]).all()
    assert (used[edited.origin < 0] == ports.ports).all()


def test_what_does_not_go_through_the_root_is_put_on_links() -> None:
    """A host more than the root takes: fewer circuits are new than all those of the hosts."""
    graph = build(parse("Kautz(3,1)"))
    ports = matched(graph, 3, 4)
    found = edit_root_first(graph, 4, WorkLeft(LOADS), LOADS, 0, ports)
    assert found is not None
    assert found.graph.n == graph.n + 4
    assert sorted(found.origin.tolist()) == [-1] * 4 + list(range(graph.n))
    assert count_new_links(graph, ports, found, duplex=False) <= 4 * 2 * graph.degree
    used = ports_used(found.graph, found.ports.kind, ports.mate)
    assert (used == np.ones_like(used)).all()


def test_nodes_without_ports_for_the_links_of_the_root_are_not_put_in() -> None:
    graph = build(parse("Kautz(2,1)"))
    ports = matched(graph, 2, 2)
    one_way = np.array([[2, 0, 0, 2], [0, 2, 2, 0]], dtype=np.int32)  # sends on one panel alone
    unlike = LinkPorts(kind=ports.kind, mate=ports.mate, ports=one_way)
    assert edit_root(graph, 2, WorkLeft(LOADS), LOADS, 0, unlike) is None


@pytest.mark.parametrize(("recipe", "fewer"), [("Kautz(2,2)", 2), ("Kautz(3,2)", 3)])
def test_line_digraphs_shrink_on_their_panels(recipe: str, fewer: int) -> None:
    """Hosts that stay use the ports that they used, and fewer circuits are new than all theirs."""
    graph = build(parse(recipe))
    ports = matched(graph, 2, 0)
    ports = LinkPorts(kind=ports.kind, mate=ports.mate, ports=np.zeros((0, 4), dtype=np.int32))
    found = edit_root(graph, -fewer, WorkLeft(LOADS), LOADS, 0, ports)
    assert found is not None
    assert found.graph.n == graph.n - fewer
    assert line_root(found.graph) is not None
    before = ports_used(graph, ports.kind, ports.mate)
    assert (ports_used(found.graph, found.ports.kind, ports.mate) == before[found.origin]).all()
    assert count_new_links(graph, ports, found, duplex=False) <= 2 * fewer * graph.degree
    near = find_near_graphs(graph, -fewer, duplex=False, most=None, loads=LOADS, ports=ports)
    assert any(line_root(one.graph) is not None for one in near)
