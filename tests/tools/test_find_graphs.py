"""The tool that finds the expanded graphs that ship: its order, its repeatability, its proofs."""

import json
from functools import partial
from pathlib import Path

import pytest

from expansions.parser import parse
from expansions.searched_graphs import searched_line
from generators.searched_graphs import all_searched_lines
from tools import find_graphs as tool
from tools.find_lifts import LiftSize
from topofinder.finder.effort import Gains
from topofinder.model.candidate import LinkMode

SIMPLEX = LinkMode.SIMPLEX
SIZES = [LiftSize(n, 3, SIMPLEX) for n in (89, 100, 71)]
ONE = partial(tool.search, effort=1)


def test_a_leg_goes_on_where_it_ended(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole.jsonl", tmp_path / "parts.jsonl"
    tool.run(whole, 60, SIZES, ONE)
    rows = whole.read_text().splitlines(keepends=True)
    assert [json.loads(row)["key"] for row in rows] == [one.key for one in SIZES]
    parts.write_text(rows[0])
    tool.run(parts, 60, SIZES, ONE)
    assert parts.read_bytes() == whole.read_bytes()


def test_single_sizes_are_gone_through_alone_near_the_bound_or_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, seen = tmp_path / "two.jsonl", []
    monkeypatch.setattr(tool, "find_gains", lambda *size, **_: seen.append(size[:3]) or Gains())
    asked = ["search", "--state", str(state), "--sizes", "31,3", "30,3,duplex"]
    monkeypatch.setattr("sys.argv", ["find_graphs", *asked])
    tool.main()
    assert seen == [(31, 3, SIMPLEX), (30, 3, LinkMode.DUPLEX)]
    assert [row["key"] for row in tool.read_state(state)] == ["31,3,simplex", "30,3,duplex"]


def test_what_is_collected_is_proved_and_nothing_that_ships_is_lost(tmp_path: Path) -> None:
    state = tmp_path / "state.jsonl"
    texts = ["Graft(L(K(4,4));-3.7)", "L(K(3))"]
    rows = [{"key": str(i), "recipes": [text]} for i, text in enumerate(texts)]
    state.write_text("".join(json.dumps(row) + "\n" for row in rows))
    lines = tool.collect(state)
    ours = [line for line in lines if line.endswith(tuple(texts))]
    assert [line.split(" ", 8)[1:8] for line in ours] == [
        ["2", "6", "simplex", "2,4", "=", "2", "2"],
        ["4", "31", "simplex", "12,48,42", "=", "2", "3"],
    ]
    assert [line for line in lines if line not in ours] == all_searched_lines()


def test_graphs_with_parallel_links_are_refused(tmp_path: Path) -> None:
    state = tmp_path / "state.jsonl"
    state.write_text(json.dumps({"key": "a", "recipes": ["K(3)||2"]}) + "\n")
    with pytest.raises(ValueError, match="parallel links"):
        tool.collect(state)


def test_a_search_gives_recipes_of_the_size_that_are_new() -> None:
    for recipe in tool.search(LiftSize(89, 3, SIMPLEX), 1):
        assert tool.size(recipe) == (89, 3)
    assert tool.search(LiftSize(64, 2, SIMPLEX), 1) == []
    assert searched_line(parse("K(4)")) is None


def test_line_graphs_are_grafted_at_sizes_that_they_are_not_of(tmp_path: Path) -> None:
    state = tmp_path / "lines.jsonl"
    sizes = [LiftSize(*size, SIMPLEX) for size in ((131, 6), (132, 6), (113, 9))]
    tool.run(state, 60, sizes, partial(tool.search_lines, tries=2))
    rows = {row["key"]: row["recipes"] for row in tool.read_state(state)}
    assert list(rows) == [one.key for one in sizes]
    assert rows["132,6,simplex"] == []
    for key, texts in rows.items():
        for text in texts:
            assert tool.size(parse(text)) == tuple(map(int, key.split(",")[:2]))
            assert text.startswith("Graft(L(")
