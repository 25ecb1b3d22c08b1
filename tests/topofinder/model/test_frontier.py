"""Frontiers on three axes, against their definition."""

from fractions import Fraction
from itertools import product
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from db.rows import CandidateRow
from generators.errors import InvalidInput
from tests.rated import ROWS, Known, names, row, small, span
from topofinder.model.frontier import AXES, frontier_on, read_axes


def test_a_candidate_may_win_in_any_axis() -> None:
    known = Known({"few": span(1), "even": span(2), "wide": span(3)})
    assert names(frontier_on(AXES, ROWS, known)) == ["few", "even", "wide"]
    assert names(frontier_on(("latency", "bandwidth"), ROWS)) == ["few", "even"]
    assert names(frontier_on(("latency",), ROWS)) == ["few"]
    assert names(frontier_on(("bandwidth",), ROWS)) == ["even"]
    assert names(frontier_on(("alltoall",), ROWS, known)) == ["wide"]


def test_only_what_is_certainly_beaten_is_dropped() -> None:
    overlapping = Known({"few": span(1), "even": span(2, 3), "wide": span(1, "2.5")})
    assert names(frontier_on(AXES, ROWS, overlapping)) == ["few", "even", "wide"]
    apart = Known({"few": span(1), "even": span(2, 3), "wide": span(1, 2)})
    assert names(frontier_on(AXES, ROWS, apart)) == ["few", "even"]


def test_of_equals_the_preferred_one_stays() -> None:
    twins = [row("first", 3), row("second", 3)]
    assert names(frontier_on(AXES, twins, Known(dict.fromkeys(("first", "second"), span(1))))) == [
        "first"
    ]
    unsure = Known(dict.fromkeys(("first", "second"), span(1, "1.1")))
    assert names(frontier_on(AXES, twins, unsure)) == ["first", "second"]


def test_no_throughput_is_worked_out_in_vain() -> None:
    rows = [*ROWS, row("poor", 9, Fraction(3))]
    known = Known(
        {"few": span(1), "even": span(3), "wide": span(2), "poor": span("0.5")}, hops=Fraction(1, 2)
    )
    assert names(frontier_on(AXES, rows, known)) == ["few", "even"]
    assert "poor" not in known.asked


@given(
    st.lists(st.tuples(small, small, small, small), min_size=1, max_size=7),
    st.sampled_from([axes for axes in product(*[(True, False)] * 3) if any(axes)]),
)
def test_the_frontier_against_the_definition(costs: list, wanted: tuple[bool, ...]) -> None:
    """Nothing kept is certainly and strictly beaten; what is dropped is as good as one that is."""
    axes = [axis for axis, there in zip(AXES[:3], wanted, strict=True) if there]
    rows = [row(str(i), s, Fraction(b)) for i, (s, b, _, _) in enumerate(costs)]
    spans = {str(i): span(1 + low, 1 + low + wide) for i, (_, _, low, wide) in enumerate(costs)}

    def as_good(one: CandidateRow, other: CandidateRow) -> bool:
        better = {
            "latency": one.steps <= other.steps,
            "bandwidth": one.bandwidth <= other.bandwidth,
            "alltoall": spans[one.recipe].lower >= spans[other.recipe].upper,
        }
        return all(better[axis] for axis in axes)

    kept = frontier_on(axes, rows, Known(spans, hops=Fraction(1, 3)))
    assert kept
    for found in kept:
        assert not any(as_good(other, found) and not as_good(found, other) for other in rows)
    for lost in rows:
        assert lost in kept or any(as_good(other, lost) for other in kept)


def test_axes_are_read() -> None:
    assert read_axes(" bandwidth , latency") == ("latency", "bandwidth")
    for text in ("", "speed", "latency,"):
        with pytest.raises(InvalidInput, match="pareto: "):
            read_axes(text)


def test_a_row_that_withstands_failures_better_stays() -> None:
    class After(NamedTuple):
        rank: tuple[int, Fraction, Fraction]

    rows = [row("A", 2, 1), row("B", 3, 2), row("C", 3, 3), row("D", 4, 4)]
    ends = {"A": (0, 3, 2), "B": (0, 2, 2), "C": (1, 1, 1), "D": (0, 3, 3)}
    after = {
        name: After((parted, Fraction(worst), Fraction(mean)))
        for name, (parted, worst, mean) in ends.items()
    }
    axes = read_axes("resilience,latency,bandwidth")
    assert axes == ("latency", "bandwidth", "resilience")
    assert [kept.recipe for kept in frontier_on(axes, rows, None, after)] == ["A", "B", "C"]
    assert [kept.recipe for kept in frontier_on(axes[:2], rows, None, after)] == ["A"]
    assert [kept.recipe for kept in frontier_on(("resilience",), rows, None, after)] == ["B", "C"]
