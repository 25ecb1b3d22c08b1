"""The tool that evaluates what searches keep: what it finds, and how it adds to the file."""

import sys
from pathlib import Path

import pytest

from expansions.parser import parse
from expansions.recipe import Recipe
from generators.searched_graphs import EVALUATED
from generators.sized_lines import data_text
from tools import evaluate_all_sizes as tool
from tools.find_graphs import prove_line
from topofinder.finder.enumeration import Pools
from topofinder.model.candidate import LinkMode


@pytest.mark.parametrize(
    ("n", "d", "links"),
    [
        (129, 6, LinkMode.SIMPLEX),
        (198, 10, LinkMode.DUPLEX),
        (300, 2, LinkMode.SIMPLEX),
        (48, 12, LinkMode.SIMPLEX),
        (63, 9, LinkMode.DUPLEX),
        (207, 4, LinkMode.SIMPLEX),
    ],
)
def test_what_is_kept_ships(n: int, d: int, links: LinkMode) -> None:
    pools = tool.EvaluatingPools()
    found = tool.evaluated_recipes(pools, n, d, links)
    lines = {prove_line(recipe, True) for recipe in found}
    assert lines
    assert lines <= set(data_text(EVALUATED).splitlines())


def test_rows_are_gone_through_and_added_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = parse("L(K(12,12))")
    asked: list[int] = []

    def evaluated(pools: Pools, n: int, d: int, links: LinkMode) -> list[Recipe]:
        asked.append(n)
        return [new] if n == 288 else []

    monkeypatch.setattr(tool, "evaluated_recipes", evaluated)
    lines = tool.find_lines("simplex12")
    assert asked == list(range(33, 2001))
    assert lines == [prove_line(new)]
    path = tmp_path / "lines.txt"
    few = data_text(EVALUATED).splitlines()[:9]
    for _ in range(2):
        tool.write_lines([*lines, *few[::-1]], path)
        assert path.read_text().splitlines() == [*few, *lines]


def test_rows_are_needed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    monkeypatch.setattr(sys, "argv", ["evaluate_all_sizes"])
    with pytest.raises(SystemExit):
        tool.main()
    assert "--rows" in capsys.readouterr().err
