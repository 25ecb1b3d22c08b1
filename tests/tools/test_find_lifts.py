"""The tool that finds the annealed lifts that ship: its order, its repeatability, its proofs."""

import json
from pathlib import Path

import pytest

from generators.lifts.annealed import all_annealed_lifts, annealed_lifts
from tools import find_lifts as tool
from topofinder.model.candidate import LinkMode

SIMPLEX, DUPLEX = LinkMode.SIMPLEX, LinkMode.DUPLEX
SIZES = [tool.LiftSize(n, 2, SIMPLEX) for n in (34, 45)] + [tool.LiftSize(50, 3, DUPLEX)]


def test_every_size_is_listed_once_first_those_of_line_graphs() -> None:
    sizes = [size.n for size in tool.lift_sizes((2,), (SIMPLEX,))]
    assert len(set(sizes)) == len(sizes)
    assert max(sizes) <= tool.LARGEST
    low = tool.LARGEST // 2 + tool.MORE
    assert [n <= low for n in sizes] == sorted((n <= low for n in sizes), reverse=True)
    assert {size.links for size in tool.lift_sizes((6,))} == {DUPLEX}


def test_a_leg_goes_on_where_it_ended_and_is_collected(tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole.jsonl", tmp_path / "parts.jsonl"
    tool.run(whole, 60, iter(SIZES), 10**7)
    parts.write_text(whole.read_text().splitlines(keepends=True)[0])
    tool.run(parts, 60, iter(SIZES), 10**7)
    assert parts.read_bytes() == whole.read_bytes()
    found = tool.collect(whole)
    assert {(one.n, one.d) for one in found} >= {(45, 2)}
    ours = {(size.n, size.d, size.links.value) for size in SIZES}
    kept = [str(one) for one in found if (one.n, one.d, one.links) not in ours]
    assert kept == [
        str(one) for one in all_annealed_lifts() if (one.n, one.d, one.links) not in ours
    ]
    row = json.loads(whole.read_text().splitlines()[1])
    row["lifts"][0]["bandwidth"][0] = "1/2"
    with pytest.raises(ValueError, match="evaluation gives"):
        list(tool.useful_lifts(row))


def test_single_sizes_are_gone_through_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "two.jsonl"
    asked = ["search", "--state", str(state), "--sizes", "34,2", "26,3,duplex"]
    monkeypatch.setattr("sys.argv", ["find_lifts", *asked])
    tool.main()
    rows = tool.read_state(state)
    assert [row["key"] for row in rows] == ["34,2,simplex", "26,3,duplex"]
    assert all(row["lifts"] for row in rows)


@pytest.mark.parametrize("text", ["", "89", "4,89", "2001,4", "89,0", "89,4,both", "a,4", "8,4,4"])
def test_sizes_that_are_none_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^(?!$)"):
        tool.read_size(text)


def test_the_tool_finds_what_ships() -> None:
    size = tool.LiftSize(45, 2, SIMPLEX)
    found = {str(one.recipe) for one in tool.search(size)}
    ours = {f"Lift({one.group};{one.rows})" for one in annealed_lifts(*size)}
    assert ours
    assert ours <= found
