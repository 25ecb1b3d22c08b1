"""Frontiers on three axes, throughputs from the database, and choices for expert parallelism."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from db.rows import CandidateRow, FrontierRow, SizeRow
from db.store import Store
from db.throughput_rows import ThroughputRow
from generators.errors import InvalidInput
from topofinder.api import throughput_rates as rates_module
from topofinder.api.search import search
from topofinder.api.search_records import best_with_exchanges, frontier_times
from topofinder.api.shared.frontiers import all_candidates, search_size
from topofinder.api.shared.stored_throughputs import stored_rates
from topofinder.api.throughput import throughput
from topofinder.api.throughput_rates import Rates
from topofinder.model.candidate import LinkMode
from topofinder.model.frontier import AXES, frontier_on, read_axes
from topofinder.model.workload import Workload, read_exchange


def row(name: str, steps: int, bandwidth: Fraction = Fraction(1)) -> CandidateRow:
    return CandidateRow(
        recipe=name,
        links="simplex",
        method="bfb",
        n=8,
        d=2,
        steps=steps,
        bandwidth=bandwidth,
        rs_steps=steps,
        rs_bandwidth=bandwidth,
        engine=1,
    )


@dataclass(frozen=True)
class Span:
    lower: Fraction
    upper: Fraction


@dataclass
class Known:
    """Throughputs by recipe; `asked` lists those that were looked up, `hops` loosens bounds."""

    spans: Mapping[str, Span]
    hops: Fraction = Fraction()
    asked: list[str] = field(default_factory=list)

    def __getitem__(self, recipe: str) -> Span:
        self.asked.append(recipe)
        return self.spans[recipe]

    def bound(self, recipe: str) -> Fraction:
        return self.spans[recipe].upper + self.hops


def span(lower: object, upper: object = None) -> Span:
    return Span(Fraction(str(lower)), Fraction(str(lower if upper is None else upper)))


def names(rows: list[CandidateRow]) -> list[str]:
    return [found.recipe for found in rows]


ROWS = [row("few", 3, Fraction(2)), row("even", 5, Fraction(1)), row("wide", 9, Fraction(3))]


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


small = st.integers(0, 3)


@given(
    st.lists(st.tuples(small, small, small, small), min_size=1, max_size=7),
    st.sampled_from([axes for axes in product(*[(True, False)] * 3) if any(axes)]),
)
def test_the_frontier_against_the_definition(costs: list, wanted: tuple[bool, ...]) -> None:
    """Nothing kept is certainly and strictly beaten; what is dropped is as good as one that is."""
    axes = [axis for axis, there in zip(AXES, wanted, strict=True) if there]
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


def test_rates_are_stored_and_taken_from_the_store(monkeypatch: pytest.MonkeyPatch) -> None:
    with Store(":memory:") as store:
        found = Rates(store, Fraction(1, 100), 10)["Kautz(2,1)"]
        assert stored_rates(store, ["Kautz(2,1)", "K(4)"]) == {"Kautz(2,1)": found}
        monkeypatch.setattr(rates_module.Rates, "_bound_row", None)
        again = Rates(store, Fraction(1, 100), 10)
        assert again["Kautz(2,1)"] == found
        assert again.bound("Kautz(2,1)") == found.upper


def test_a_wide_stored_interval_is_narrowed() -> None:
    exact = throughput("Kautz(2,1)").row()
    wide = ThroughputRow(
        **{name: getattr(exact, name) for name in ThroughputRow.__slots__}
        | {"lower": exact.lower / 2, "upper": exact.upper * 2}
    )
    with Store(":memory:") as store:
        store.save_throughput(wide)
        assert Rates(store, Fraction(1, 100), 10)["Kautz(2,1)"].gap <= Fraction(1, 100)
        assert stored_rates(store, ["Kautz(2,1)"])["Kautz(2,1)"].gap <= Fraction(1, 100)


def test_throughputs_share_the_time_for_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has at most half of what is left: one that would take long leaves time for others."""
    given: list[float] = []

    def slow(recipe: str, *, gap: Fraction, time: float) -> object:
        given.append(time)
        clock[0] += time
        return throughput(recipe, gap=gap)

    clock = [0.0]
    monkeypatch.setattr("topofinder.api.throughput.throughput", slow)
    monkeypatch.setattr(rates_module, "perf_counter", lambda: clock[0])
    rates = Rates(None, Fraction(1, 100), 6, total=16)
    for recipe in ("K(3)", "K(4)", "K(5)", "K(4)"):
        assert rates[recipe].gap == 0
    assert given == [6, 5, 2.5]
    spent = Rates(None, Fraction(1, 100), 6, total=0)
    assert spent["K(3)"].gap == 0
    assert 0 < given[-1] < 0.1


def test_the_third_axis_keeps_whoever_may_win(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    found = search(18, 4, LinkMode.SIMPLEX, db, pareto=AXES, time=20)
    members = found.found.frontier.members
    with Store(db) as store:
        kept = stored_rates(store, [one.recipe for one in members])
        assert kept == dict(found.rates)
        rates = Rates(store, Fraction(1, 1000), 20)
        rows = all_candidates(18, 4)
        assert len(rows) > len(search_size(18, 4, db=db).pool)
        for lost in set(rows) - set(members):
            assert any(
                one.steps <= lost.steps
                and one.bandwidth <= lost.bandwidth
                and kept[one.recipe].lower >= rates[lost.recipe].upper
                for one in members
            )


def test_everyone_holds_the_pool() -> None:
    pool = search_size(32, 4).pool or ()
    rows = all_candidates(32, 4)
    assert tuple(rows[: len(pool)]) == pool
    assert len({(one.recipe, one.method) for one in rows}) == len(rows) > len(pool)


WORK = Workload(
    alpha=Fraction(1),
    bandwidth=Fraction(2),
    sizes=((Fraction(8), 1),),
    exchanges=((Fraction(16), 3), (Fraction(8), 1)),
)


def test_time_of_exchanges() -> None:
    """56 bytes in all, 7 to each of 8 nodes, at f B/d = 1/4 * 2/2."""
    assert WORK.exchange_seconds(8, 2, Fraction(1, 4)) == 28
    assert read_exchange("4MiB 24") == (Fraction(4 << 20), 24)
    for text in ("", "4", "4MiB,0", "4MiB,1,1", "-1MiB"):
        with pytest.raises(InvalidInput, match="--alltoall"):
            read_exchange(text)


@given(st.lists(st.tuples(small, small, small, small), min_size=1, max_size=7), st.booleans())
def test_the_best_choice_for_experts(costs: list, loose: bool) -> None:
    rows = [row(str(i), s, Fraction(b)) for i, (s, b, _, _) in enumerate(costs)]
    spans = {str(i): span(1 + low, 1 + low + wide) for i, (_, _, low, wide) in enumerate(costs)}

    def certain(one: CandidateRow) -> Fraction:
        return WORK.seconds(one) + WORK.exchange_seconds(8, 2, spans[one.recipe].lower)

    best = best_with_exchanges(WORK, rows, Known(spans, hops=Fraction(int(loose))))
    assert certain(best) == min(map(certain, rows))


def test_times_tell_of_exchanges() -> None:
    frontier = FrontierRow(
        n=8, d=2, links="simplex", engine=1, bound_steps=3, bound_bandwidth=Fraction(7, 8),
        members=(ROWS[0],),
    )  # fmt: skip
    known = Known({"few": span("0.25", "0.5"), "wide": span(8)})
    found = frontier_times(SizeRow(frontier=frontier), WORK, known, extra_candidates=[ROWS[2]])
    assert found.member_exchanges == ((Fraction(14), Fraction(28)),)
    assert found.best == ROWS[2]
    assert found.best_exchange == (Fraction(7, 8), Fraction(7, 8))
