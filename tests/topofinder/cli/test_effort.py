"""`--effort`: lifts and grafts in searches and sweeps, the same again, and what is stored."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from db.store import Store
from expansions.cost import Cost
from generators.errors import InvalidInput
from tests.command import ran
from topofinder import search, sweep
from topofinder.api.merge import merge
from topofinder.api.merge_checks import check_parameters
from topofinder.api.shared.frontiers import search_size

pytestmark = pytest.mark.usefixtures("unsearched_sizes")


def least_steps(n: int, d: int, effort: int, db: Path | None = None) -> Cost:
    return search(n, d, db=db, effort=effort).members[0].allgather


def test_lifts_and_their_line_graphs_are_among_the_answers(tmp_path: Path) -> None:
    # A lift by Z5 meets both bounds at 25 hosts with 6 ports; its line graph is the best.
    assert least_steps(25, 6, 1) == Cost(2, Fraction(24, 25))
    found = search(150, 6, effort=1)
    assert found.members[0].allgather.steps == 3
    assert found.members[0].recipe.startswith("L(Lift(Z5;")
    assert found.members[0].allgather < search(150, 6).members[0].allgather
    assert search(150, 6, db=tmp_path / "a.db", effort=1).members == found.members


def test_more_effort_replaces_less_and_other_sizes_do_not_see_it(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    plain, alone = search(25, 6, db=db), search(150, 6)
    lifted = search(25, 6, db=db, effort=1)
    assert lifted.members[0].allgather < plain.members[0].allgather
    assert search(25, 6, db=db).members == lifted.members  # what is stored is the answer
    assert search_size(150, 6, db=db).frontier.members == alone.members
    with Store(db) as store:
        assert (store.effort(25, 6, "simplex"), store.effort(150, 6, "simplex")) == (1, 0)
        assert store.finished_sizes("simplex", effort=1) == {(25, 6)}
        store.save_or_keep([search_size(25, 6)])  # less effort changes nothing
        assert store.effort(25, 6, "simplex") == 1


def test_sweeps_find_what_searches_find_and_go_on(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    db = tmp_path / "a.db"
    arguments = ("sweep", "--n", "24:25", "--d", 6, "--jobs", 1, "--db", db)
    said = f"sizes searched and stored in {db}\n"
    assert ran(capsys, *arguments) == (0, "", f"2 {said}")
    assert ran(capsys, *arguments, "--effort", 1) == (0, "", f"2 {said}")
    assert ran(capsys, *arguments, "--effort", 1) == (0, "", f"0 {said}")
    assert ran(capsys, *arguments) == (0, "", f"0 {said}")
    size = ("search", "--n", 25, "--d", 6, "--effort", 1, "--json", "--db")
    assert ran(capsys, *size, db) == ran(capsys, *size, tmp_path / "b.db")


def test_primes_are_answered_by_grafts_alike_in_searches_and_sweeps(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    found = search(59, 6, effort=1)
    assert any("Graft(" in row.recipe for row in found.members)
    assert found.members[0].allgather < search(59, 6).members[0].allgather
    swept, searched = tmp_path / "a.db", tmp_path / "b.db"
    assert sweep([(59, 6)], db=swept, jobs=1, effort=1).searched == 1
    size = ("search", "--n", 59, "--d", 6, "--effort", 1, "--db")
    code, told, remarks = ran(capsys, *size, searched)
    assert (code, remarks) == (0, "")
    assert ran(capsys, *size, swept) == ran(capsys, *size, searched) == (0, told, "")
    assert search(59, 6, db=searched).members == found.members  # more effort wins over less
    assert not merge(searched, swept, prove=True).merged.refused


def test_lifted_answers_are_merged_and_proved(tmp_path: Path) -> None:
    lifted, plain = tmp_path / "a.db", tmp_path / "b.db"
    search(25, 6, db=lifted, effort=1)
    search(25, 6, db=plain)
    told = merge(lifted, plain, prove=True).merged
    assert (told.refused, told.conflicts) == ([], [])
    assert search(25, 6, db=plain).members == search(25, 6, db=lifted).members
    assert not merge(tmp_path / "b.db", lifted).merged.conflicts


@pytest.mark.parametrize("wrong", [{"effort": 0}, {"effort": "1"}, {"effort": 1, "x": 1}, {"x": 1}])
def test_other_parameters_are_refused(wrong: dict) -> None:
    head = replace(search_size(8, 2).frontier, parameters=wrong)
    with pytest.raises(InvalidInput, match="an effort of 1 to 3600 is known"):
        check_parameters(head)


@pytest.mark.parametrize("effort", [-1, 3601])
def test_efforts_that_are_none(
    effort: int, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    wrong = (2, "", f"topofinder: effort: 0 to 3600, not {effort}\n")
    options = ("--n", 8, "--d", 2, "--effort", effort, "--db", tmp_path / "a.db")
    assert ran(capsys, "search", *options) == wrong
    assert ran(capsys, "sweep", *options) == wrong


def test_searches_make_an_effort_of_one_second_unless_the_environment_says_otherwise(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = ("search", "--n", 25, "--d", 6, "--db", tmp_path / "a.db")
    plain, effort = search(25, 6, effort=0).members, search(25, 6, effort=1).members
    assert search(25, 6).members == plain  # as tests/conftest.py says
    monkeypatch.delenv("TOPOFINDER_EFFORT")
    assert search(25, 6).members == effort != plain
    monkeypatch.setenv("TOPOFINDER_EFFORT", "0")
    assert search(25, 6).members == plain
    for wrong, told in (("x", "'x'"), ("3601", "3601"), ("-1", "'-1'"), ("9" * 99, "'9")):
        monkeypatch.setenv("TOPOFINDER_EFFORT", wrong)
        code, out, remarks = ran(capsys, *size)
        assert (code, out) == (2, "")
        assert remarks.startswith(f"topofinder: TOPOFINDER_EFFORT: 0 to 3600, not {told}")
        assert remarks.count("\n") == 1
    assert search(25, 6, effort=1).members == effort


def test_sizes_without_lifts_are_searched_as_ever(tmp_path: Path) -> None:
    assert search(7, 6, effort=1).members == search(7, 6).members
    assert search(11, 1, effort=1).members == search(11, 1).members
    assert sweep([(11, 3)], db=tmp_path / "a.db", jobs=1, effort=1).searched == 1
