"""The tool that makes the catalogue: its order, its repeatability, and what it keeps."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from generators.cayley.catalogue import all_digraphs, shipped_digraphs
from tools import find_cayley_digraphs as tool
from tools.collect_cayley_digraphs import collect_catalogue
from topofinder.model.candidate import LinkMode


def line(key: str, **change: Any) -> dict[str, Any]:
    """A line of the state file for one digraph of 21 nodes, BW-optimal in four steps."""
    find = {
        **{"group": "Z7:Z3[2]", "generators": [1, 3, 11], "steps": 4},
        **{"forth": "8/7", "back": "8/7", "trials": 5},
    }
    return {"key": key, "n": 21, "d": 3, "links": "simplex", "finds": [find | change]}


def test_every_size_is_wished_for_in_each_link_mode_at_each_depth_once() -> None:
    counts = Counter((wish.n, wish.d, wish.links) for wish in tool.wishes())
    keys = Counter(wish.key for wish in tool.wishes())
    assert set(keys.values()) == {1}
    for d in (2, 3, 4, 6, 8):
        for links in LinkMode:
            assert {n for n, ports, mode in counts if (ports, mode) == (d, links)} >= set(
                range(d + 1, 2001)
            )


@pytest.mark.parametrize(("n", "d", "links"), [(32, 4, "simplex"), (20, 4, "duplex")])
def test_the_command_for_a_size_finds_what_ships(n: int, d: int, links: str) -> None:
    size = (n, d, LinkMode(links))
    wish = next(wish for wish in tool.wishes() if wish[:3] == size)
    found = {(find.group, find.generators) for find in tool.search(wish)}
    ours = [one for one in shipped_digraphs(n, d) if one.two_way == (links == "duplex")]
    assert {(one.group, one.generators) for one in ours} <= found


def test_a_run_goes_on_where_it_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wishes = [tool.SearchDepth(n, 3, LinkMode.SIMPLEX, tool.WIDE) for n in (6, 8, 9)]
    monkeypatch.setattr(tool, "wishes", lambda: iter(wishes))
    whole, parts = tmp_path / "whole.jsonl", tmp_path / "parts.jsonl"
    tool.run(whole, 60, tool.chosen_wishes())
    first = whole.read_text().splitlines(keepends=True)[0]
    parts.write_text(first)
    tool.run(parts, 60, tool.chosen_wishes())
    assert parts.read_bytes() == whole.read_bytes()
    tool.run(whole, 60, tool.chosen_wishes())
    assert parts.read_bytes() == whole.read_bytes()
    assert [row["n"] for row in tool.read(whole)] == [6, 8, 9]


def test_only_what_is_of_use_is_collected_and_only_if_true(tmp_path: Path) -> None:
    wish = tool.SearchDepth(21, 3, LinkMode.SIMPLEX, tool.WIDE)
    (find,) = [
        find
        for find in tool.search(wish)
        if find.forth == min(one.forth for one in tool.search(wish))
    ][:1]
    told = {
        "group": find.group,
        "generators": list(find.generators),
        "steps": find.forth.steps,
        "forth": str(find.forth.bandwidth),
        "back": str(find.back.bandwidth),
        "trials": find.trials,
    }
    good = line(wish.key, **told)
    worse = line(wish.key, generators=[1, 1, 1], steps=find.forth.steps + 9, forth="9", back="9")
    kept = collect_catalogue([worse, good], {wish.key})
    assert [one.generators for one in kept] == [find.generators]
    assert collect_catalogue([good], set()) == []
    with pytest.raises(ValueError, match="evaluation gives"):
        collect_catalogue(
            [
                line(
                    wish.key,
                    **told,
                )
                | {"finds": [told | {"forth": "20/21", "steps": 1}]}
            ],
            {wish.key},
        )


def test_a_leg_of_some_degrees_leaves_the_lines_of_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    wishes = [
        tool.SearchDepth(n, d, LinkMode.SIMPLEX, tool.LIGHT) for d in (3, 5) for n in (68, 78)
    ]
    monkeypatch.setattr(tool, "wishes", lambda: iter(wishes))
    state = tmp_path / "leg.jsonl"
    tool.run(state, 60, tool.chosen_wishes((5,)))
    assert {row["d"] for row in tool.read(state)} == {5}
    assert "2 sizes, " in capsys.readouterr().out
    ours = tool.collect(state, (5,))
    assert {one.n for one in ours if one.d == 5} <= {68, 78}
    assert any(one.d == 5 for one in ours)
    assert [str(one) for one in ours if one.d != 5] == [
        str(one) for one in all_digraphs() if one.d != 5
    ]


def test_single_sizes_are_gone_through_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "two.jsonl"
    asked = ["search", "--state", str(state), "--sizes", "21,3", "8,3,duplex"]
    monkeypatch.setattr("sys.argv", ["find_cayley_digraphs", *asked])
    tool.main()
    assert {(row["n"], row["d"], row["links"]) for row in tool.read(state)} == {
        (21, 3, "simplex"),
        (8, 3, "duplex"),
    }
    assert "2 sizes, " in capsys.readouterr().out


def test_late_degrees_have_every_size_once() -> None:
    for d in tool.LATE_DEGREES:
        sizes = [one.n for one in tool.wishes() if (one.d, one.links) == (d, LinkMode.DUPLEX)]
        assert sorted(sizes) == list(range(d + 2, tool.LARGEST + 1))
        assert sizes[0] % 8 == 0
