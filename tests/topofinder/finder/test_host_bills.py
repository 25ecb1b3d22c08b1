"""Bills of fabrics of hosts, counted by hand and by max-flow over what they describe."""

from fractions import Fraction

import networkx as nx
import pytest

from generators.hosts.notation import read_hosts
from topofinder.finder.host_bills import (
    SwitchedFabric,
    bill_panels,
    bill_rail_switches,
    full_clos,
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
    assert counts(bill_panels(20, 4, PRICES)) == {"transceiver": 80, "fibre": 80, "panel": 2}
    assert bill_panels(65, 4, PRICES) is None


def test_rails_have_switches_or_trees_of_their_own() -> None:
    assert counts(bill_rail_switches(8, 4, PRICES))["switch"] == 2
    tree = counts(bill_rail_switches(32, 4, PRICES))
    assert tree == {"transceiver": 2 * (128 + 128), "fibre": 256, "switch": 4 * (4 + 2)}
    assert bill_rail_switches(129, 4, PRICES) is None


def test_a_clos_of_full_bisection() -> None:
    found = counts(full_clos(8, HOST, PRICES))
    assert found == {"transceiver": 2 * (32 + 32), "fibre": 64, "switch": 4 + 2}
    assert counts(full_clos(4, HOST, PRICES))["switch"] == 1
    assert full_clos(99, HOST, PRICES) is None


@pytest.mark.parametrize("n", [4, 8, 24])
def test_switches_of_no_higher_cost(n: int) -> None:
    direct = bill_panels(n, HOST.ports, PRICES)
    assert direct is not None
    before: SwitchedFabric | None = None
    for cost in (direct.cost, 2 * direct.cost, 9 * direct.cost):
        found = switched_within(n, HOST, PRICES, cost)
        if found is None:
            assert before is None
            continue
        assert found.bill.cost <= cost
        assert before is None or found.inverse_rate <= before.inverse_rate
        assert found.inverse_rate >= Fraction(4 * (n - 1), 50 * found.ports)
        before = found
    assert before is not None


def test_the_cut_above_a_leaf_is_that_of_its_links() -> None:
    """A tapered Clos as a graph: what leaves the hosts of a leaf is what its uplinks carry."""
    found = switched_within(8, HOST, PRICES, Fraction(700))
    assert found is not None
    assert found.uplinks < found.down or found.uplinks == 0
    graph = nx.DiGraph()
    for host in range(found.down // found.ports):
        graph.add_edge("hosts", host, capacity=10**6)
        graph.add_edge(host, "leaf", capacity=50 * found.ports)
    graph.add_edge("leaf", "others", capacity=50 * (found.uplinks or 10**6))
    carried = nx.maximum_flow_value(graph, "hosts", "others")
    own = found.down // found.ports * 4
    if found.uplinks:
        assert found.inverse_rate >= Fraction(32 - own, 1) / carried
