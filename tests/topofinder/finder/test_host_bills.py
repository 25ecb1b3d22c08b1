"""Bills of fabrics of hosts, counted by hand and by max-flow over what they describe."""

import random
from collections.abc import Iterator
from fractions import Fraction

import networkx as nx
import pytest

from generators.hosts.notation import read_hosts
from topofinder.finder.host_bills import (
    HostCounts,
    SwitchedFabric,
    bill_panels,
    bill_rail_switches,
    full_clos,
    rail_lengths,
    switched_within,
)
from topofinder.model.prices import Bill, PriceList, parse_prices

LINES = ["part,price,watts,ports,source", "transceiver,9,1,,a", "fibre,1,0,,a",
         "panel,100,5,64,a", "switch,50,9,16,a"]  # fmt: skip
PRICES = PriceList(parts=parse_prices(LINES))
HOST = read_hosts("Host(4;switch@450GB/s;1@50GB/s)")[0]


def counts(bill: Bill | None) -> dict[str, int]:
    assert bill is not None
    return {part.name: count for part, count in bill.lines}


def test_panels_hold_whole_rails() -> None:
    assert counts(bill_panels(20, [(20, 4)], PRICES)) == {
        "transceiver": 80, "fibre": 80, "panel": 2,
    }  # fmt: skip
    assert bill_panels(65, [(65, 4)], PRICES) is None


def test_rails_have_switches_or_trees_of_their_own() -> None:
    assert counts(bill_rail_switches(8, [(8, 4)], PRICES))["switch"] == 2
    tree = counts(bill_rail_switches(32, [(32, 4)], PRICES))
    assert tree == {"transceiver": 2 * (128 + 128), "fibre": 256, "switch": 4 * (4 + 2)}
    assert bill_rail_switches(129, [(129, 4)], PRICES) is None
    mixed = counts(bill_rail_switches(32, [(32, 4), (6, 3)], PRICES))
    assert mixed == {"transceiver": 2 * (146 + 128), "fibre": 274, "switch": 4 * (4 + 2) + 2}


def test_a_clos_of_full_bisection() -> None:
    found = counts(full_clos([(HOST, 8)], PRICES))
    assert found == {"transceiver": 2 * (32 + 32), "fibre": 64, "switch": 4 + 2}
    assert counts(full_clos([(HOST, 4)], PRICES))["switch"] == 1
    assert full_clos([(HOST, 99)], PRICES) is None


def mixed_hosts(*sizes: int) -> HostCounts:
    """Hosts of so many accelerators, as counts."""
    return [(HOST.with_accelerators(g), sizes.count(g)) for g in sorted(set(sizes), reverse=True)]


def test_unlike_hosts_are_put_together_largest_first() -> None:
    """Panels of 64 ports: rails of 40, 40, 24, 24 take two; leaves are filled one by one."""
    hosts = mixed_hosts(*(2,) * 16, *(4,) * 24)
    assert rail_lengths(hosts) == [(40, 2), (24, 2)]
    assert counts(bill_panels(40, rail_lengths(hosts), PRICES)) == {
        "transceiver": 128, "fibre": 128, "panel": 2,
    }  # fmt: skip
    assert counts(bill_panels(40, [(32, 2), (24, 2)], PRICES))["panel"] == 2
    assert counts(bill_panels(40, [(40, 2), (25, 2)], PRICES))["panel"] == 3
    one = mixed_hosts(4, 4, 2, 2)
    assert counts(full_clos(one, PRICES)) == {"transceiver": 24, "fibre": 12, "switch": 1}
    two = mixed_hosts(*(4,) * 3, *(2,) * 3)  # three leaves of 4 + 2, two above
    assert counts(full_clos(two, PRICES)) == {"transceiver": 72, "fibre": 36, "switch": 5}


@pytest.mark.parametrize("seed", range(12))
def test_what_cuts_allow_is_no_less_than_the_best_of_all_cuts(seed: int) -> None:
    draw = random.Random(seed)
    hosts = mixed_hosts(*draw.choices([1, 2, 3, 4, 6], k=draw.randint(4, 9)))
    found = switched_within(hosts, PRICES, Fraction(10**6))
    assert found is not None
    cheap = switched_within(hosts, PRICES, found.bill.cost - 1)
    for one in (found, cheap or found):
        used = dict(zip((host.accelerators for host, _ in hosts), one.ports, strict=True))
        sizes = [host.accelerators for host, count in hosts for _ in range(count)]
        time = rate = Fraction()
        for own, links in cuts_of_rails(sizes, [used[g] for g in sizes]):
            time = max(time, Fraction(sum(sizes) - own, 50 * links))
            rate = max(rate, Fraction(own * (sum(sizes) - own), 50 * links))
        assert one.uplinks > 0 or one.inverse_rate <= time
        assert one.uplinks > 0 or one.alltoall >= 1 / rate
        for g, ports in used.items():
            assert one.inverse_rate >= Fraction(sum(sizes) - g, 50 * ports)
            assert one.alltoall <= Fraction(50 * ports, g * (sum(sizes) - g))
    assert (found.inverse_rate, -found.alltoall) <= (one.inverse_rate, -one.alltoall)


def cuts_of_rails(sizes: list[int], ports: list[int]) -> Iterator[tuple[int, int]]:
    """Accelerators of all sets of hosts, and the links that leave them at a switch a rail."""
    for side in range(1, 2 ** len(sizes) - 1):
        inside = [bool(side >> host & 1) for host in range(len(sizes))]
        links = 0
        for rail in range(max(ports)):
            ends = [mine for mine, own in zip(inside, ports, strict=True) if own > rail]
            links += min(sum(ends), len(ends) - sum(ends))
        yield sum(g for g, mine in zip(sizes, inside, strict=True) if mine), links


@pytest.mark.parametrize("n", [4, 8, 24])
def test_switches_of_no_higher_cost(n: int) -> None:
    direct = bill_panels(n, [(n, HOST.ports)], PRICES)
    assert direct is not None
    before: SwitchedFabric | None = None
    for cost in (direct.cost, 2 * direct.cost, 9 * direct.cost):
        found = switched_within([(HOST, n)], PRICES, cost)
        if found is None:
            assert before is None
            continue
        assert found.bill.cost <= cost
        assert before is None or found.inverse_rate <= before.inverse_rate
        assert found.inverse_rate >= Fraction(4 * (n - 1), 50 * found.ports[0])
        before = found
    assert before is not None


def test_the_cut_above_a_leaf_is_that_of_its_links() -> None:
    """A tapered Clos as a graph: what leaves the hosts of a leaf is what its uplinks carry."""
    found = switched_within([(HOST, 8)], PRICES, Fraction(700))
    assert found is not None
    assert found.uplinks < found.down or found.uplinks == 0
    graph = nx.DiGraph()
    (ports,) = found.ports
    for host in range(found.down // ports):
        graph.add_edge("hosts", host, capacity=10**6)
        graph.add_edge(host, "leaf", capacity=50 * ports)
    graph.add_edge("leaf", "others", capacity=50 * (found.uplinks or 10**6))
    carried = nx.maximum_flow_value(graph, "hosts", "others")
    own = found.down // ports * 4
    if found.uplinks:
        assert found.inverse_rate >= Fraction(32 - own, 1) / carried
