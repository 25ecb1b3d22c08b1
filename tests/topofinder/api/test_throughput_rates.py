"""Throughputs from the database or worked out, each in its share of the time."""

from fractions import Fraction
from pathlib import Path

import pytest
from joblib import parallel_config

from db.store import Store
from db.throughput_rows import ThroughputRow
from generators.errors import InvalidInput
from topofinder.api import throughput_rates as rates_module
from topofinder.api.search import search
from topofinder.api.shared.frontiers import all_candidates, search_size
from topofinder.api.shared.stored_throughputs import stored_rates
from topofinder.api.throughput import throughput
from topofinder.api.throughput_rates import Rates
from topofinder.model.candidate import LinkMode
from topofinder.model.frontier import AXES


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

    def slow(recipe: str, *, gap: Fraction, time: float, **asked: object) -> object:
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


def test_throughputs_side_by_side_are_those_one_by_one() -> None:
    recipes = ["Kautz(2,1)", "K(4)", "C(7,{1})", "nothing", "K(4)"]
    with Store(":memory:") as store, parallel_config(backend="threading"):
        together = Rates(store, Fraction(1, 100), 10)
        together.work_out(recipes)
        kept = stored_rates(store, recipes)
        assert set(kept) == {"Kautz(2,1)", "K(4)", "C(7,{1})"}
        assert {recipe: together[recipe] for recipe in kept} == kept
    alone = Rates(None, Fraction(1, 100), 10)
    for recipe, row in kept.items():
        assert (row.lower, row.upper) == (alone[recipe].lower, alone[recipe].upper)
    with pytest.raises(InvalidInput):
        together["nothing"]


def test_a_search_by_workers_shows_the_same_throughputs(tmp_path: Path) -> None:
    one = search(16, 4, db=tmp_path / "one.db", with_throughput=True)
    two = search(16, 4, db=tmp_path / "two.db", with_throughput=True, backend="loky")
    assert str(one) == str(two)
    with pytest.raises(InvalidInput, match=r"^--scheduler: 'a:1' needs --backend dask or ray$"):
        search(9, 2, scheduler="a:1")
