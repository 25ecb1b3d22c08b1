"""One frontier as text and as JSON, from rows made by hand."""

from fractions import Fraction

import pytest

from db.rows import CandidateRow, FrontierRow
from reports.bounds import gap_words
from reports.frontier import Times, candidate_fields, frontier_fields, frontier_text


def row(**changes: object) -> CandidateRow:
    values: dict[str, object] = {
        "recipe": "UniRing(1,4)",
        "links": "simplex",
        "method": "bfb",
        "n": 4,
        "d": 1,
        "steps": 3,
        "bandwidth": Fraction(3, 4),
        "rs_steps": 4,
        "rs_bandwidth": Fraction(5, 4),
        "engine": 1,
    }
    return CandidateRow(**values | changes)


def frontier(*members: CandidateRow) -> FrontierRow:
    return FrontierRow(
        n=4,
        d=1,
        links="simplex",
        engine=1,
        bound_steps=3,
        bound_bandwidth=Fraction(3, 4),
        members=members,
    )


def times(best: CandidateRow | None, *members: CandidateRow) -> Times:
    seconds = {"allgather": Fraction(1), "reduce-scatter": Fraction(2), "allreduce": Fraction(3)}
    return Times(
        collective="allreduce",
        alpha=Fraction(1, 10**5),
        bandwidth=Fraction(10**9),
        sizes=((Fraction(1024), 2), (Fraction(10), 1)),
        members=tuple(seconds for _ in members),
        best=best,
        best_seconds=best and Fraction(1, 3),
    )


def test_an_empty_frontier() -> None:
    assert frontier_text(frontier()) == "N = 4, d = 1, simplex links: no topology is known"
    found = frontier_fields(frontier(), times(None))
    assert found["frontier"] == []
    assert found["best"] is None


def test_reduce_scatter_and_upper_bounds_are_told_apart() -> None:
    lines = frontier_text(frontier(row(exact=False, diameter=3))).splitlines()
    assert lines[4].split() == [
        *("3", "0.750", "3/4", "4", "1.250", "3", "at", "most", "bfb", "UniRing(1,4)")
    ]
    assert lines[5].split() == ["3", "0.750", "3/4", "3", "0.750", "lower", "bound"]


def test_the_choice_is_the_last_line() -> None:
    ring = row()
    lines = frontier_text(frontier(ring), times(ring, ring)).splitlines()
    assert lines[-1] == (
        "Best for allreduce of 3 collectives in 2 sizes at alpha 10.0 us, B 8 Gbps: "
        "UniRing(1,4), 333.333 ms"
    )
    assert lines[4].split()[-7:] == ["1.000", "s", "2.000", "s", "3.000", "s", "UniRing(1,4)"]


def test_the_json_has_fractions_as_text_and_times_as_numbers() -> None:
    ring = row(bandwidth_optimal=True)
    found = frontier_fields(frontier(ring), times(ring, ring))
    assert found["bound"] == {
        "steps": 3,
        "bandwidth": "3/4",
        "steps_source": "Moore bound",
        "bandwidth_source": "theorem 4",
    }
    assert (found["gap"], found["free_ports"]) == ({"steps": 0, "bandwidth": "0"}, 0)
    (member,) = found["frontier"]
    seconds = {"allgather": 1.0, "reduce-scatter": 2.0, "allreduce": 3.0}
    assert member == candidate_fields(ring) | {"seconds": seconds}
    assert member["reduce_scatter"] == {"steps": 4, "bandwidth": "5/4"}
    assert (member["bandwidth_optimal"], member["moore_optimal"]) == (True, None)
    assert found["workload"]["sizes"] == [
        {"size": 1024.0, "count": 2},
        {"size": 10.0, "count": 1},
    ]
    assert found["best"] == candidate_fields(ring) | {"seconds": 1 / 3}


def test_the_gap_and_a_port_that_is_left_are_told() -> None:
    size = {"n": 9, "d": 3, "links": "duplex"}
    odd = FrontierRow(
        n=9,
        d=3,
        links="duplex",
        engine=1,
        bound_steps=3,
        bound_bandwidth=Fraction(4, 3),
        members=(
            row(steps=4, bandwidth=Fraction(5, 3), **size),
            row(steps=5, bandwidth=Fraction(8, 5), method="synthesis", **size),
        ),
    )
    assert frontier_text(odd).splitlines()[-2:] == [
        "Gap to the bounds (no graph of defect 1: Erdos et al. 1980; theorem 4, one port free): "
        "T_L 1 step, T_B 20%",
        "One host has a port left free: two-way circuits take two ports, and N d is odd",
    ]
    found = frontier_fields(odd)
    assert (found["gap"], found["free_ports"]) == ({"steps": 1, "bandwidth": "1/5"}, 1)
    apart = frontier(row(bandwidth=Fraction(4, 3)), row(steps=4, method="synthesis"))
    assert gap_words(apart).endswith("T_L none, T_B none, by different topologies")


@pytest.mark.parametrize(
    ("n", "d", "told"), [(4, 8, ": in one step T_B is at least 1"), (5, 8, ""), (10, 8, "")]
)
def test_why_no_topology_meets_both_bounds(n: int, d: int, told: str) -> None:
    size = {"n": n, "d": d, "links": "simplex"}
    least = Fraction(n - 1, n)
    apart = FrontierRow(
        **size,
        engine=1,
        bound_steps=1,
        bound_bandwidth=least,
        members=(
            row(**size, steps=1, bandwidth=1),
            row(**size, steps=2, bandwidth=least, method="synthesis"),
        ),
    )
    assert gap_words(apart).endswith(f"T_L none, T_B none, by different topologies{told}")
