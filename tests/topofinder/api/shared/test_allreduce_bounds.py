"""What no allreduce can beat, as `show` and `schedule` tell it: closed, computed, in M/B."""

from dataclasses import replace
from fractions import Fraction

import pytest

import topofinder as tf
from expansions.parser import parse
from generators.topology import Topology
from reports.allreduce_limits import AllreduceLimitRecord, limit_fields, limit_lines
from tests.command import ran
from topofinder.api.shared.allreduce_bounds import (
    bandwidth_record,
    closed_record,
    limit_record,
    recipe_record,
)

SYMMETRIC = [
    "K(2)", "K(5)", "Q(4)", "C(12,{2,3})", "DirC(4)", "UniRing(1,7)", "Torus(3,4)", "K(3,3)",
    "Diamond", "Kautz(2,1)", "UniRing(1,3)^2", "H(2,3)", "BiRing(2,9)", "DistReg(PG23)",
]  # fmt: skip


@pytest.mark.parametrize("name", SYMMETRIC)
def test_what_symmetry_tells_is_what_cuts_tell(name: str) -> None:
    graph = tf.build(name).topology
    found = bandwidth_record(graph)
    assert found == limit_record(graph).scale(Fraction(graph.degree, graph.n))
    if graph.is_transitive:
        assert found == closed_record(graph.n, symmetric=True)
        assert found.proof in ("theorem 19 a", "theorem 19 b")
    assert found.hosts == closed_record(graph.n, symmetric=False).hosts


def test_parallel_links_are_not_told_by_symmetry() -> None:
    """Four hosts in a ring of links once and twice: two links cut it in half, not three."""
    pairs = [(0, 1), (1, 2), (1, 2), (2, 3), (3, 0), (3, 0)]
    arcs = [*pairs, *((head, tail) for tail, head in pairs)]
    found = bandwidth_record(Topology.from_arcs(4, arcs))
    assert (found.cut, found.hosts) == (Fraction(3, 2), Fraction(3, 2))
    assert (found.scattered, found.proof) == (Fraction(3, 2), "theorem 19 a")


def test_a_graph_too_large_for_cuts_is_bounded_by_its_hosts() -> None:
    few = {"most_cut_nodes": 5}
    ring, plain = (tf.build(name).topology for name in ("BiRing(2,11)", "Pi(3,11)"))
    assert bandwidth_record(ring, **few) == closed_record(11, symmetric=True)
    assert bandwidth_record(plain, **few) == closed_record(11, symmetric=False)
    assert recipe_record(parse("Pi(3,11)"), **few) == bandwidth_record(plain, **few)
    assert bandwidth_record(replace(plain, injection=Fraction(2)), **few) is None
    assert limit_lines(bandwidth_record(plain, **few), " M/B") == [
        "any allreduce: at least 20/11 M/B by what hosts send"
    ]
    assert limit_fields(bandwidth_record(plain, **few))["reduce_scatter_allgather"] is None


def test_a_single_host_has_none() -> None:
    assert bandwidth_record(Topology.from_arcs(1, [])) is None


def test_lines_of_a_graph_that_misses_both_conditions() -> None:
    record = AllreduceLimitRecord(
        cut=Fraction(2), hosts=None, rooted=None, scattered=Fraction(5, 2)
    )
    assert limit_lines(record) == [
        "any allreduce: at least 2 by cuts",
        "reduce-scatter, then allgather by trees: 5/2, at most 25 % above (theorem 19 is not met)",
    ]


@pytest.mark.parametrize("name", ["L(K(4,4))", "Pi(4,21)", "Mesh(2,3)", "DBJ(2,3)"])
def test_show_and_schedule_tell_the_same(name: str, tmp_path) -> None:
    shown = tf.show(name).to_dict()["any_allreduce"]
    made = tf.schedule(name, collective="allreduce", method="bfb")
    assert made.to_dict()["any_allreduce"] == shown
    tf.write_topology(tf.build(name).topology, tmp_path / "a.edges")
    assert tf.show(str(tmp_path / "a.edges")).to_dict()["any_allreduce"] == shown
    forest = tf.schedule(name, collective="allreduce", method="forest").record.limits
    graph = tf.build(name).topology
    assert limit_fields(forest.scale(Fraction(graph.degree, graph.n))) == shown
    assert made.cost.bandwidth >= made.record.limits.scattered >= made.record.limits.least


def test_a_fabric_tells_what_no_allreduce_beats(capsys: pytest.CaptureFixture[str]) -> None:
    told = ran(capsys, "show", "DGXA100(2)").out
    assert (
        "  any allreduce: at least 2/25 by cuts, 6/65 by what hosts send\n"
        "  reduce-scatter, then allgather by trees: 6/65, optimal (theorem 19 b); reduce, then "
        "broadcast: 4/25\n"
    ) in told
    assert "any_allreduce" not in tf.schedule("DGXA100(1)", method="forest").to_dict()
