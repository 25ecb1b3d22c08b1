"""A check of certificates on plain lists and Fractions: slow, obvious, and nothing can wrap."""

from collections import defaultdict
from fractions import Fraction

from topofinder.model.certificate import Certificate


def judge_certificate(saved: Certificate) -> tuple[Fraction, Fraction] | None:
    """The bounds (lower, upper) that are proved; None where these are less than is said."""
    graph = saved.topology
    arcs = list(zip(graph.tail.tolist(), graph.head.tolist(), strict=True))
    capacity = graph.capacity or (Fraction(1),) * graph.arcs
    low, high, unit = _demand(saved)
    upper = _upper(graph.n, arcs, capacity, saved.lengths.tolist(), low)
    flows = _flows(saved, arcs, capacity)
    if upper is None or flows is None:
        return None
    load: dict[int, Fraction] = defaultdict(Fraction)
    for source in range(graph.n):
        net: dict[int, Fraction] = defaultdict(Fraction)
        for arc, amount in enumerate(flows.get(source, [])):
            net[arcs[arc][0]] -= amount * saved.quantum
            net[arcs[arc][1]] += amount * saved.quantum
            load[arc] += amount * saved.quantum
        for node in range(graph.n):
            if node != source and net[node] < high[source][node] * unit:
                return None
    lower = min((capacity[arc] / amount for arc, amount in load.items() if amount), default=None)
    if lower is None or lower < saved.lower or upper / unit > saved.upper:
        return None
    return lower, upper / unit


def _demand(saved: Certificate) -> tuple[list, list, Fraction]:
    """The least and the most of every pair, nothing from a node to itself, and the unit."""
    n, hosts = saved.topology.n, set(range(saved.topology.n)) - set(saved.topology.switches)
    if saved.demand is None:
        found = [[int({u, v} <= hosts and u != v) for v in range(n)] for u in range(n)]
        return found, found, Fraction(1)
    both = []
    for matrix in (saved.demand.low.tolist(), saved.demand.high.tolist()):
        both.append([[x * (u != v) for v, x in enumerate(row)] for u, row in enumerate(matrix)])
    return *both, saved.demand.unit


def _upper(n, arcs, capacity, lengths, low) -> Fraction | None:
    """Capacity times length over demand times distance, by Bellman and Ford on integers."""
    needed = 0
    for source in range(n):
        distance: list[int | None] = [None] * n
        distance[source] = 0
        for _ in range(n):
            for (u, v), length in zip(arcs, lengths, strict=True):
                known, beyond = distance[u], distance[v]
                if known is not None and (beyond is None or known + length < beyond):
                    distance[v] = known + length
        if None in distance:
            return None
        needed += sum(amount * far for amount, far in zip(low[source], distance, strict=True))
    room = sum((c * x for c, x in zip(capacity, lengths, strict=True)), Fraction())
    return room / needed if needed else None


def _flows(saved: Certificate, arcs, capacity) -> dict[int, list[int]] | None:
    """The flow of every source, carried over by the motions where there are any."""
    rows, n = saved.rows.tolist(), saved.topology.n
    if saved.lifted is None:
        sources = saved.sources.tolist()
        ordered = sources == sorted(set(sources)) and all(source < n for source in sources)
        return dict(zip(sources, rows, strict=True)) if ordered else None
    if saved.demand is not None or saved.topology.switches or saved.sources.tolist() != [0]:
        return None
    motions, m = saved.lifted.motions.tolist(), len(arcs)
    places = [_place(motion, arcs, capacity, n) for motion in motions]
    if None in places:
        return None
    found, image, where = {}, {0: list(range(m))}, {0: list(range(n))}
    waiting = list(range(1, n))
    while waiting:
        ready = [u for u in waiting if saved.lifted.parent[u] in image]
        if not ready:
            return None
        for u in ready:
            parent, motion = int(saved.lifted.parent[u]), int(saved.lifted.motion[u])
            if motion >= len(motions):
                return None
            image[u] = [motions[motion][arc] for arc in image[parent]]
            where[u] = [places[motion][node] for node in where[parent]]
            if where[u][0] != u:
                return None
        waiting = [u for u in waiting if u not in image]
    for u, moved in image.items():
        found[u] = [0] * m
        for arc, to in enumerate(moved):
            found[u][to] = rows[0][arc]
    return found


def _place(motion, arcs, capacity, n) -> list[int] | None:
    """Where a permutation of the arcs carries the nodes; None for what is no automorphism."""
    if sorted(motion) != list(range(len(arcs))):
        return None
    found: dict[int, int] = {}
    for arc, to in enumerate(motion):
        if capacity[arc] != capacity[to]:
            return None
        for node, image in zip(arcs[arc], arcs[to], strict=True):
            if found.setdefault(node, image) != image:
                return None
    return [found[v] for v in range(n)] if sorted(found.values()) == list(range(n)) else None
