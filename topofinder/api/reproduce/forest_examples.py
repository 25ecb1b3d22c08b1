"""The analytic values that the text of ForestColl and of pipeline schedules prints.

Sources: ForestColl (arXiv), sections 4.3, 5.2 and 5.3: algbw of two MI250 boxes, at the optimum and
with two trees a root; how much longer a ring takes than the optimum on two A100 boxes. Pipeline
schedules: the topology of figure 1a, eight hosts in two clusters with links of 10b inside and b
outside, its cuts (1b), its switches unwound into rings (1d) and split off (2), its 1/x*, U and k,
and in appendix B its broadcast and allreduce.
"""

from collections.abc import Iterator
from fractions import Fraction

from generators.fabrics.dgx import dgx_a100
from generators.fabrics.mi250 import mi250
from generators.fabrics.unwinding import unwind_switches
from generators.fabrics.wiring import FabricBuilder
from generators.topology import Topology
from reports.reproduced import ComparisonRow, ReproductionRecord, exactly
from topofinder.api.reproduce.sources import Sources
from topofinder.api.schedule_forest import ForestRequest, schedule_forest
from topofinder.forests.collectives.any_allreduce import allreduce_limits
from topofinder.forests.optimality.bottleneck_cut import find_optimum
from topofinder.forests.optimality.cuts import Cuts
from topofinder.forests.optimality.network import Network
from topofinder.forests.optimality.tree_count import fixed_count, paper_count, tree_capacities
from topofinder.forests.switch_removal.edge_splitting import remove_switches
from topofinder.forests.switch_removal.split_state import Splitting

CLUSTER = 4


def forest_examples(sources: Sources) -> ReproductionRecord:
    """Every value, exactly; the ring's on A100 is that of the NICs between the boxes."""
    rows = (*sources.each(list(_mi250_rows())), *_ring_rows(), *_figure_1a_rows())
    title = "ForestColl and pipeline schedules: values printed in the text"
    return ReproductionRecord(name="forest-examples", title=title, rows=rows)


def figure_1a() -> Topology:
    """Two clusters of four hosts on a switch at 10, all hosts on a global switch at 1.

    >>> figure_1a().n
    11
    """
    wiring = FabricBuilder("figure 1a")
    hosts = [[wiring.host(f"c{i}.{j}") for j in range(CLUSTER)] for i in (1, 2)]
    inner, outer = [wiring.switch("s1"), wiring.switch("s2")], wiring.switch("s0")
    for own, switch in zip(hosts, inner, strict=True):
        for host in own:
            wiring.link(host, switch, 10)
            wiring.link(host, outer, 1)
    return wiring.topology()


def ring_time(topology: Topology, box: int) -> Fraction:
    """What the ring of all hosts in order takes of a shard's time between boxes of `box` hosts.

    Every shard goes n - 1 hops along the ring; those that leave a box share its network links.
    """
    hosts = topology.n - len(topology.switches)
    hops = [(source + i) % hosts for source in range(hosts) for i in range(hosts - 1)]
    leaving = sum(at == box - 1 for at in hops)
    arcs = zip(topology.tail.tolist(), topology.capacity or (), topology.head.tolist(), strict=True)
    names = topology.names or ()
    room = sum((c for u, c, v in arcs if u < box and names[v].startswith("nic")), Fraction())
    return leaving / room


def _mi250_rows() -> Iterator[ComparisonRow]:
    network = Network.of(mi250(2))
    cuts = Cuts.of(network)
    best = find_optimum(network, cuts)
    two = fixed_count(network, best, 2, cuts)
    yield _row("MI250(2)", "algbw, optimum", "GB/s", best.algbw, 354.13)
    yield _row("MI250(2)", "algbw, k = 2", "GB/s", best.algbw / (1 + two.loss), 341.33)


def _ring_rows() -> Iterator[ComparisonRow]:
    boxes = dgx_a100(2)
    best = find_optimum(Network.of(boxes)).inverse_rate
    longer = 100 * (ring_time(boxes, 8) / best - 1)
    yield _row("DGXA100(2)", "ring over optimum", "%", longer, 62.5)


def _figure_1a_rows() -> Iterator[ComparisonRow]:
    topology = figure_1a()
    network = Network.of(topology)
    best, limits = find_optimum(network), allreduce_limits(topology)
    assert limits.rooted is not None
    broadcast = limits.rooted / 2
    yield _row("figure 1a", "1/x*", "1/b", best.inverse_rate, 1)
    yield from _cut_rows(topology)
    count = paper_count(network, best)
    yield _row("figure 1a", "k", "trees", Fraction(count), 1)
    yield _row("figure 2a", "U", "1/b", count * best.inverse_rate, 1)
    yield from _split_rows(network, count)
    yield _row("figure 1a", "broadcast", "M/b", broadcast / best.total, 0.25)
    yield _row("figure 1a", "broadcast over allgather", "", broadcast / best.inverse_rate, 2)
    optimal = "yes" if limits.cut == 2 * best.inverse_rate else "no"
    yield ComparisonRow(
        subject="figure 1a",
        quantity="optimal allreduce (theorem 19 a)",
        unit="",
        ours=optimal,
        published="yes",
    )


def _cut_rows(topology: Topology) -> Iterator[ComparisonRow]:
    """Figures 1b, 1d: the bottleneck cut, a host's own, and the optimum of rings for switches."""
    network = Network.of(topology)
    best, (_, out) = find_optimum(network), network.node_capacities()
    yield _words("figure 1b", "bottleneck cut", f"{best.weight}/{best.exiting}b", "4/4b")
    own = max(Fraction(1, int(out[host])) / network.unit for host in network.compute.tolist())
    yield _words("figure 1b", "cut of one host", f"{own}b", "1/11b")
    rings = find_optimum(Network.of(unwind_switches(topology, 1)))
    yield _row("figure 1d", "1/x*", "1/b", rings.inverse_rate, 4)


def _split_rows(network: Network, trees: int) -> Iterator[ComparisonRow]:
    """Figure 2: what is left with all switches split off, and a forest of it in the fabric."""
    held = tree_capacities(network, Fraction(1))
    supply = [trees * weight for weight in network.weight]
    state = Splitting(network.n, network.tail, network.head, held)
    state = remove_switches(state, network.compute, supply + [0] * (state.n - network.n))
    used = state.capacity > 0
    ends = list(zip(state.tail[used].tolist(), state.head[used].tolist(), strict=True))
    hosts = set(network.compute.tolist())
    left = sum(not {u, v} <= hosts for u, v in ends)
    logical = Topology.from_arcs(len(hosts), ends, capacity=state.capacity[used].tolist())
    best = find_optimum(Network.of(logical))
    yield _row("figure 2b", "links of switches", "", Fraction(left), 0)
    yield _row("figure 2b", "1/x*", "1/b", best.inverse_rate, 1)
    yield _words("figure 2b", "bottleneck cut", f"{best.weight}/{best.exiting}b", "4/4b")
    made = schedule_forest(ForestRequest(subject=figure_1a()))
    yield _row("figure 2d", "1/x of the forest", "1/b", made.inverse_rate, 1)


def _words(subject: str, quantity: str, ours: str, published: str) -> ComparisonRow:
    return ComparisonRow(
        subject=subject, quantity=quantity, unit="", ours=ours, published=published
    )


def _row(subject: str, quantity: str, unit: str, ours: Fraction, published: float) -> ComparisonRow:
    return ComparisonRow(
        subject=subject, quantity=quantity, unit=unit, ours=exactly(ours), published=published
    )
