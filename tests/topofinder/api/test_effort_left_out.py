"""A search that names no effort waits for no compiler: it says what it left out."""

import json
from pathlib import Path

import pytest

from tests.command import ran
from topofinder.api.search import search
from topofinder.finder import deferrals, effort_kernels
from topofinder.finder.enumeration import Pools
from topofinder.model.candidate import LinkMode

SIZE = (19, 3)
LINE = (
    "Left out: lifts, grafts and deferred schedules. What looks for them is being compiled, once, "
    "in the background: search again in a minute, or with --effort 1 to wait for it now"
)


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch, unsearched_sizes: None) -> list[int]:
    """Efforts that were not left out: nothing is looked for here."""
    found: list[int] = []

    def look(
        plain: Pools, n: int, d: int, links: LinkMode, effort: int, seconds: float
    ) -> tuple[int, object]:
        found.append(effort)
        return effort, plain.pool(n, d, links)

    monkeypatch.delenv("TOPOFINDER_EFFORT")
    monkeypatch.setattr(deferrals, "pool_within", look)
    monkeypatch.setattr(effort_kernels, "are_compiled_later", lambda kernels: True)
    return found


def test_it_is_left_out_until_it_need_not_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, looked: list[int]
) -> None:
    db = tmp_path / "known.db"
    for _ in range(2):
        first = search(*SIZE, db=db)
        assert (first.effort_left_out, first.found.frontier.effort, looked) == (1, 0, [])
        assert str(first).endswith(f"\n\n{LINE}")
        assert first.to_dict()["effort_left_out"] == 1
    monkeypatch.setattr(effort_kernels, "are_compiled_later", lambda kernels: False)
    for _ in range(2):
        later = search(*SIZE, db=db)
        assert (later.effort_left_out, later.found.frontier.effort, looked) == (0, 1, [1])
        assert LINE not in str(later)
        assert "effort_left_out" not in later.to_dict()


@pytest.mark.parametrize(("named", "variable"), [(1, ""), (2, ""), (None, "1"), (None, "3")])
def test_who_names_an_effort_waits(
    monkeypatch: pytest.MonkeyPatch, looked: list[int], named: int | None, variable: str
) -> None:
    if variable:
        monkeypatch.setenv("TOPOFINDER_EFFORT", variable)
    assert search(*SIZE, effort=named).effort_left_out == 0
    assert looked == [named or int(variable)]


@pytest.mark.parametrize("size", [(9, 2), (1024, 4)])
def test_nothing_is_left_out_where_nothing_would_be_looked_for(
    size: tuple[int, int], looked: list[int]
) -> None:
    assert search(*size).effort_left_out == 0
    assert looked == [1]


@pytest.mark.usefixtures("looked")
def test_the_command_tells_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("search", "--n", 19, "--d", 3, "--db", tmp_path / "known.db")
    assert ran(capsys, *words).out.endswith(f"\n\n{LINE}\n")
    assert json.loads(ran(capsys, *words, "--json").out)["effort_left_out"] == 1
