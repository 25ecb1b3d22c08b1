"""Switches unwound to fixed links: which ones, with what bandwidth, and what is refused."""

from collections import Counter
from fractions import Fraction

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.errors import InvalidInput, Unsupported
from generators.fabrics.names import fabric_of
from generators.fabrics.unwinding import unwind_switches
from generators.formats.graphs import to_networkx
from generators.topology import Topology

PORTS = [(0, 3), (1, 3), (2, 3), (3, 0), (3, 1), (3, 2)]


def egress(topology: Topology) -> dict[str, Fraction]:
    """The bandwidth out of every host, by name."""
    total: Counter[str] = Counter()
    for u, capacity in zip(topology.tail.tolist(), topology.capacity or (), strict=True):
        total[(topology.names or ())[u]] += capacity
    names = topology.names or ()
    return {names[u]: total[names[u]] for u in range(topology.n) if u not in topology.switches}


@pytest.mark.parametrize(
    "name", ["RFS(2,4,2)", "RFS(2,4,8)", "RFS(3,2,3)", "Switch2D(4,4)", "DGXA100(1)"]
)
@pytest.mark.parametrize("degree", [1, 2, 3])
def test_every_port_leads_to_the_next_ones_with_all_its_bandwidth(name: str, degree: int) -> None:
    topology = fabric_of(name)[1]
    ports = topology.in_degrees[list(topology.switches)].tolist()
    if min(ports) <= degree:
        with pytest.raises(
            InvalidInput, match=r"^degree: \w+[.\d]* can be unwound with 1 to \d, not"
        ):
            unwind_switches(topology, degree)
        return
    unwound = unwind_switches(topology, degree)
    assert unwound.switches == ()
    assert unwound.names == (topology.names or ())[: unwound.n]
    ends = zip(topology.tail.tolist(), topology.head.tolist(), strict=True)
    direct = sum(not {u, v} & {*topology.switches} for u, v in ends)
    assert unwound.arcs == direct + degree * sum(ports)
    assert egress(unwound) == egress(topology)
    assert egress(unwound.transpose()) == egress(topology.transpose())
    assert nx.is_strongly_connected(to_networkx(unwound))
    assert unwound.unit_rate == topology.unit_rate


@given(st.integers(2, 9), st.data())
def test_one_switch_becomes_a_circulant(n: int, data: st.DataObject) -> None:
    degree = data.draw(st.integers(1, n - 1))
    arcs = [(i, n) for i in range(n)] + [(n, i) for i in range(n)]
    late = [Fraction(1, 3)] * n + [Fraction(1, 4)] * n
    star = Topology.from_arcs(n + 1, arcs, capacity=[7] * 2 * n, latency=late, switches=[n])
    found = unwind_switches(star, degree)
    ends = zip(found.tail.tolist(), found.head.tolist(), strict=True)
    assert Counter(ends) == Counter(
        (i, (i + k) % n) for i in range(n) for k in range(1, degree + 1)
    )
    assert set(found.capacity or ()) == {Fraction(7, degree)}
    assert set(found.latency or ()) == {Fraction(7, 12)}


def test_hosts_after_switches_are_renumbered_and_parallel_links_added() -> None:
    arcs = [(1, 0), (1, 0), (0, 1), (0, 1), (2, 0), (0, 2), (1, 2)]
    capacity = [1, 2, 1, 2, 3, 3, 5]
    found = unwind_switches(Topology.from_arcs(3, arcs, capacity=capacity, switches=[0]), 1)
    assert (found.n, found.tail.tolist(), found.head.tolist()) == (2, [0, 0, 1], [1, 1, 0])
    assert found.capacity == (5, 3, 3)
    assert found.latency == (1, 2, 2)


def test_without_switches_nothing_changes() -> None:
    box = fabric_of("DGX1")[1]
    assert unwind_switches(box, 3) is box


def test_a_switch_of_one_port_is_left_out() -> None:
    arcs = [(0, 1), (1, 0), (0, 2), (2, 0)]
    found = unwind_switches(Topology.from_arcs(3, [*arcs, (2, 2)], switches=[2]), 4)
    assert (found.n, found.arcs) == (2, 2)


@pytest.mark.parametrize(
    ("arcs", "fields", "degree", "message"),
    [
        (PORTS, {}, 0, "degree: an integer of at least 1 is needed, not 0"),
        (PORTS, {}, 3, "degree: switch 3 can be unwound with 1 to 2, not 3"),
        (PORTS, {"capacity": [1, 1, 2, 1, 1, 1]}, 1,
         "unwinding: switch 3 has unequal ports, of capacities 1 to 2"),
        (PORTS, {"capacity": [1, 1, 1, 2, 2, 2], "names": "abcs"}, 1,
         "unwinding: s has unequal ports, of capacities 1 to 2"),
        (PORTS, {"latency": [1, 1, 1, 0, 1, 1]}, 1,
         "unwinding: switch 3 has ports of unequal latencies"),
        (PORTS[:5], {}, 1, "unwinding: switch 3 has ports that only send or only receive"),
        (PORTS, {"switches": [2, 3], "names": "abcs"}, 1,
         "unwinding: switches on hosts alone are needed, but c leads to s"),
    ],
)  # fmt: skip
def test_refusals(arcs, fields, degree: int, message: str) -> None:  # type: ignore[no-untyped-def]
    topology = Topology.from_arcs(4, arcs, **({"switches": [3]} | fields))
    with pytest.raises((InvalidInput, Unsupported)) as refused:
        unwind_switches(topology, degree)
    assert str(refused.value) == message


def test_rails_above_adapters_are_refused() -> None:
    with pytest.raises(Unsupported, match=r"but ib0 leads to nic0\.0$"):
        unwind_switches(fabric_of("DGXA100(2)")[1], 1)
