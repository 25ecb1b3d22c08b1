"""Timetable files through `tf.verify` and `topofinder verify`."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import topofinder as tf
from expansions.automorphisms import automorphisms_of
from generators.arrays import jump_graph
from generators.damage.apply import apply_damage
from generators.errors import InvalidInput
from generators.families.complete import complete
from tests.command import ran
from tests.timetable_twin import make_timetable
from tests.timetables import translated, valid_timetables
from topofinder.api.shared.damage_texts import damage_of
from topofinder.api.verify_timetable import bounds
from topofinder.model.timetable import Timetable, expand_timetable
from topofinder.model.timetable_files import read_timetable, timetable_digest, write_timetable


def labelled(**labels: object) -> Timetable:
    """An allgather on K(4), each node to all others at once: 1/3 s and 1.5 s of bytes."""
    table = make_timetable(complete(4), "allgather", size=Fraction(3))
    return replace(table, recipe="K(4)", method="list", **labels)  # type: ignore[arg-type]


@pytest.mark.parametrize("suffix", [".npz", ".json"])
def test_a_valid_file(capsys: pytest.CaptureFixture[str], tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"t{suffix}"
    table = labelled(bound=Fraction(1))
    write_timetable(table, file)
    found = ran(capsys, "verify", file, "--on", "K(4)")
    assert (found.code, found.err) == (0, "")
    assert found.out.splitlines() == [
        "valid: allgather on K(4) by list, pipelined: 1.833 s",
        "  4 chunks of 3 B, 12 sends",
        "  bound worked out anew: 1.833 s (ports), 1.833 s (cut), 1.833 s (release), "
        "1.833 s (rounds), reached; the file claims 1.000 s",
    ]
    answer = tf.verify(file)
    assert answer.valid
    assert str(answer) == found.out.rstrip("\n")
    fields = json.loads(ran(capsys, "verify", file, "--json").out)
    assert fields == answer.to_dict()
    assert (fields["valid"], fields["runtime_exact"], fields["bound_exact"]) == (
        True, "11/6", "11/6",
    )  # fmt: skip
    assert fields["bounds"] == dict.fromkeys(("ports", "cut", "release", "rounds"), "11/6")
    assert (fields["chunks"], fields["sends"], fields["claimed_bound"]) == (4, 12, "1")
    assert fields["digest"] == timetable_digest(read_timetable(file))


@pytest.mark.parametrize(
    ("labels", "options", "line"),
    [
        ({"begin": [1, *[0] * 11], "channel": [0, 0, *range(2, 12)]}, (), "send "),
        ({"bound": Fraction(2)}, (), "it takes 11/6 s, less than the bound 2 s it claims"),
        ({"recipe": "K(5)"}, (), "the file's graph is not that of K(5)"),
        ({"recipe": "K(0)"}, (), "the file's recipe K(0) names no graph"),
        ({"damage": "x"}, (), "damage: 'x' is no damage in its canonical form"),
        ({}, ("--on", "Q(2)"), "the file's graph is not that of Q(2)"),
    ],
)
def test_what_is_not_valid_ends_with_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, labels: dict, options: tuple, line: str
) -> None:
    file = tmp_path / "t.npz"
    write_timetable(replace(labelled(), **labels), file)
    found = ran(capsys, "verify", file, *options)
    assert (found.code, found.err) == (1, "")
    assert found.out.startswith(f"not valid: {line}")
    assert found.out.count("\n") == 1
    fields = json.loads(ran(capsys, "verify", file, *options, "--json").out)
    assert fields == {"valid": False, "violation": fields["violation"]}


def test_a_compact_one_says_what_is_kept() -> None:
    graph = jump_graph(5, [1])
    answer = tf.verify(translated(graph, automorphisms_of(graph), "allgather", 0))
    assert "5 chunks of 3 B, 20 sends (the 4 of node 0, translated)" in str(answer)
    assert (answer.to_dict()["sends"], answer.to_dict()["stored_sends"]) == (20, 4)


def test_a_damaged_graph_is_that_of_its_label() -> None:
    damage = "--fail-links 0-1"
    whole = complete(4)
    left = apply_damage(whole, damage_of(damage))
    table = replace(make_timetable(left, "broadcast"), recipe="K(4)", damage=damage)
    assert "broadcast on K(4) --fail-links 0-1" in str(tf.verify(table))
    assert tf.verify(replace(table, damage=None)).violation == (
        "the file's graph is not that of K(4)"
    )


@pytest.mark.parametrize("seed", range(2))
def test_no_valid_timetable_beats_a_bound(seed: int) -> None:
    names = set()
    for table in valid_timetables(seed):
        for name, seconds in bounds(table):
            assert 0 <= seconds <= table.seconds, (name, table)
            names.add(name)
    assert names == {"ports", "trees", "cut", "release", "exchange", "rounds"}


@pytest.mark.parametrize("collective", ["allgather", "reduce-scatter", "allreduce"])
def test_compact_ones_have_the_bounds_of_their_expansion(collective: str) -> None:
    graph = jump_graph(6, [1, 2])
    table = translated(graph, automorphisms_of(graph), collective, 3)
    assert bounds(table) == bounds(expand_timetable(table))
    assert len(bounds(table)) > 1


def test_times_are_those_of_the_file() -> None:
    with pytest.raises(InvalidInput, match="--alpha, --size and --bandwidth are for schedules"):
        tf.verify(labelled(), alpha="1us", size="1MiB", bandwidth="1Gbps")
