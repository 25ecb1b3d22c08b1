"""All-to-alls along paths: valid by the independent replay, as quick as what is busiest allows."""

from fractions import Fraction

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.errors import InvalidInput
from generators.families.torus import torus
from generators.topology import Topology
from topofinder.api.exchange_routes import exchange_by_flow
from topofinder.model.chunk_times import LinkUnits
from topofinder.model.time_model import TimeModel
from topofinder.timetables.exchange import (
    Exchange,
    balance_shares,
    drop_empty,
    round_shares,
    schedule_exchange,
)
from topofinder.verification.timetables import verify_timetable

UNITS = LinkUnits(latency=Fraction(1, 3), rate=Fraction(2))


def random_fabric(seed: int, switches: int) -> Topology:
    """A random strongly connected digraph; the last nodes are switches."""
    draw = np.random.default_rng(seed)
    n = int(draw.integers(3, 9)) + switches
    arcs = [(v, (v + 1) % n) for v in range(n)]
    arcs += [tuple(draw.choice(n, 2, replace=False).tolist()) for _ in range(n)]
    return Topology.from_arcs(
        n,
        arcs,
        switches=tuple(range(n - switches, n)),
        capacity=tuple(int(c) for c in draw.integers(1, 4, len(arcs))),
    )


def shortest_exchange(topology: Topology, seed: int) -> Exchange:
    """A random demand on shortest paths."""
    draw = np.random.default_rng(seed)
    graph = nx.DiGraph()
    for arc, (u, v) in enumerate(zip(topology.tail.tolist(), topology.head.tolist(), strict=True)):
        graph.add_edge(u, v, arc=arc)
    hosts = [v for v in range(topology.n) if v not in topology.switches]
    rows = []
    for s in hosts:
        for t in hosts:
            amount = int(draw.integers(0, 4))
            if s != t and amount:
                path = nx.shortest_path(graph, s, t)
                rows.append(
                    (s, t, amount, [graph.edges[e]["arc"] for e in nx.utils.pairwise(path)])
                )
    rows = rows or [(0, 1, 1, [0])]
    return Exchange(
        origin=np.array([row[0] for row in rows], dtype=np.int32),
        target=np.array([row[1] for row in rows], dtype=np.int32),
        amount=np.array([row[2] for row in rows], dtype=np.int64),
        start=np.concatenate([[0], np.cumsum([len(row[3]) for row in rows])]),
        arc=np.array([arc for row in rows for arc in row[3]], dtype=np.int32),
        unit_bytes=Fraction(3),
    )


@pytest.mark.parametrize("model", list(TimeModel))
@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize("switches", [0, 2])
def test_is_valid_and_not_below_what_is_busiest(
    model: TimeModel, parts: int, switches: int
) -> None:
    for seed in range(12):
        topology = random_fabric(seed, switches)
        exchange = shortest_exchange(topology, seed)
        problem, sends = schedule_exchange(
            topology, exchange, units=UNITS, model=model, parts=parts, seed=seed
        )
        made = problem.timetable(sends)
        assert verify_timetable(made).violation is None
        carried = np.zeros(topology.arcs, dtype=np.int64)
        np.add.at(carried, exchange.arc, np.repeat(exchange.amount, np.diff(exchange.start)))
        capacity = topology.capacity or ()
        busy = max(3 * Fraction(int(c)) / (2 * b) for c, b in zip(carried, capacity, strict=True))
        assert busy <= made.seconds
        again = schedule_exchange(
            topology, exchange, units=UNITS, model=model, parts=parts, seed=seed
        )[1]
        assert (again.begin == sends.begin).all()


def test_switches_are_cut_through() -> None:
    star = Topology.from_arcs(3, [(0, 2), (2, 1)], switches=(2,))
    pair = Exchange(
        origin=np.array([0], dtype=np.int32),
        target=np.array([1], dtype=np.int32),
        amount=np.array([1]),
        start=np.array([0, 2]),
        arc=np.array([0, 1], dtype=np.int32),
        unit_bytes=Fraction(4),
    )
    made = schedule_exchange(star, pair, units=UNITS)
    assert made[0].timetable(made[1]).seconds == Fraction(2, 3) + 2


@given(
    st.lists(st.lists(st.integers(1, 10**12), min_size=1, max_size=5), min_size=1, max_size=6),
    st.integers(1, 50),
    st.data(),
)
def test_rounded_shares_are_whole_and_near(
    weights: list[list[int]], parts: int, data: st.DataObject
) -> None:
    asked = [data.draw(st.integers(1, 9)) for _ in weights]
    pair = np.concatenate([[0], np.cumsum([len(each) for each in weights])])
    flat = np.array([one for each in weights for one in each])
    found = round_shares(flat, pair, np.array(asked), parts)
    for i, each in enumerate(weights):
        own = found[pair[i] : pair[i + 1]].tolist()
        assert sum(own) == asked[i] * parts
        for share, weight in zip(own, each, strict=True):
            assert abs(share - Fraction(weight * asked[i] * parts, sum(each))) <= 1


def test_paths_of_no_amount_go() -> None:
    topology = random_fabric(1, 0)
    exchange = shortest_exchange(topology, 1)
    amount = exchange.amount.copy()
    amount[::2] = 0
    left = drop_empty(Exchange(**{**_fields(exchange), "amount": amount}))
    assert left.paths == len(amount[1::2])
    assert schedule_exchange(topology, left, units=UNITS)[1].chunk.max() == left.paths - 1


def test_refuses() -> None:
    topology = random_fabric(2, 0)
    fields = _fields(shortest_exchange(topology, 2))
    for changes, line in (
        ({"amount": np.zeros_like(fields["amount"])}, "amount: at least one path"),
        ({"arc": fields["arc"][::-1]}, "arc: a path does not lead"),
        ({"arc": fields["arc"] + 1000}, "arc: 10"),
        ({"start": fields["start"][::-1]}, "start: every path takes"),
    ):
        with pytest.raises(InvalidInput, match=line):
            schedule_exchange(topology, Exchange(**{**fields, **changes}), units=UNITS)
    with pytest.raises(InvalidInput, match="parts: at least 1, not 0"):
        schedule_exchange(topology, Exchange(**fields), units=UNITS, parts=0)


def _fields(exchange: Exchange) -> dict:  # type: ignore[type-arg]
    return {name: getattr(exchange, name) for name in exchange.__slots__}


def random_shares(seed: int) -> tuple[np.ndarray, ...]:
    """Shares of pairs with up to three paths, of up to three arcs of unlike speed."""
    draw = np.random.default_rng(seed)
    pair = np.cumsum([0, *draw.integers(1, 4, draw.integers(1, 9))])
    start = np.cumsum([0, *draw.integers(1, 4, pair[-1])])
    arc = np.concatenate([draw.permutation(6)[:hops] for hops in np.diff(start)])
    unit = draw.integers(1, draw.choice([2, 5]), 6)
    return draw.integers(0, draw.choice([2, 40]), pair[-1]), pair, start, arc, unit


@given(seed=st.integers(0, 1 << 32))
def test_shares_move_within_pairs_and_the_busiest_link_has_no_more(seed: int) -> None:
    share, pair, start, arc, unit = random_shares(seed)

    def busiest(shares: list[int]) -> int:
        load = [0] * len(unit)
        for i, amount in enumerate(shares):
            for e in arc[start[i] : start[i + 1]].tolist():
                load[e] += int(amount * unit[e])
        return max(load)

    found = balance_shares(share, pair, start, arc, unit)
    sums = [np.add.reduceat(column, pair[:-1]).tolist() for column in (share, found)]
    assert sums[0] == sums[1]
    assert found.min() >= 0
    assert busiest(found.tolist()) <= busiest(share.tolist())


def test_rounded_flows_of_a_torus_load_links_alike() -> None:
    """All pairs of 4x4x4 along one path each: no link carries a sixteenth more than the flow."""
    graph = torus(4, 4, 4)
    found = exchange_by_flow(graph, size=Fraction(64), units=UNITS)
    loads = np.zeros(graph.arcs)
    np.add.at(loads, found.arc, np.repeat(found.amount, np.diff(found.start)))
    assert loads.max() * found.unit_bytes / UNITS.rate <= found.bound * Fraction(17, 16)


def test_shares_too_large_to_square_stay() -> None:
    share = np.array([1 << 40, 0])
    pair, start, arc = np.array([0, 2]), np.arange(3), np.arange(2)
    unit = np.full(2, 1 << 20)
    assert balance_shares(share, pair, start, arc, unit) is share
