"""Timetables of more sends than are kept: made, written and verified in blocks, as whole ones."""

import json
import re
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import topofinder as tf
from expansions.collective import Collective
from generators.damage.apply import Damage
from generators.errors import InvalidInput, Unsupported
from tests.command import ran
from topofinder import interrupts
from topofinder.api.schedule_rounds import RoundAnswer, answer_rounds
from topofinder.api.schedule_timetable import (
    TimetableRequest,
    label_task,
    needs_blocks,
)
from topofinder.api.shared.workloads import read_transfer
from topofinder.api.timetable_records import describe_timetable
from topofinder.api.verify_rounds import check_rounds
from topofinder.forests.clock import Clock
from topofinder.model.round_files import is_round_file, read_blocks, read_round_header
from topofinder.model.time_model import TimeModel
from topofinder.model.timetable import Timetable
from topofinder.model.timetable_digest import timetable_digest
from topofinder.model.timetable_files import write_timetable
from topofinder.timetables.rounds import ChunkOrder, schedule_rounds
from topofinder.timetables.task import LabelledTask

TIMES = {"alpha": "1us", "size": "1MiB", "bandwidth": "100Gbps"}


def asked(subject: str = "Mesh(12,12)", alpha: str = "1us", **fields: object) -> LabelledTask:
    transfer = read_transfer(alpha, "1MiB", "100Gbps")
    return label_task(
        TimetableRequest(subject=subject, transfer=transfer, seed=5, **fields)  # type: ignore[arg-type]
    )


def blocks_of(labelled: LabelledTask, file: Path | None, db: Path | None = None) -> RoundAnswer:
    return answer_rounds(labelled, "it", file, db, at_once=1000)


def test_ctrl_c_tells_how_many_sends_were_done(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    labelled = asked()
    clock = Clock(work=1)
    labelled = replace(labelled, task=replace(labelled.task, clock=clock))
    interrupts._ending.asked = True
    try:
        with pytest.raises(KeyboardInterrupt):
            blocks_of(labelled, tmp_path / "a.npz")
    finally:
        interrupts._ending.asked = False
    told = r"timetable in rounds: \d+ of 20592 sends done after \S+ s; about \S+ s more would do"
    assert re.fullmatch(told + "; nothing is written", *caplog.messages)
    assert list(tmp_path.iterdir()) == []


def whole(labelled: LabelledTask, answer: RoundAnswer) -> Timetable:
    """The same by the ordinary way."""
    problem = labelled.task.problem(labelled.task.chunks or 1)
    table = problem.timetable(
        schedule_rounds(problem, seed=5, order=ChunkOrder.LEVELS),
        method=answer.record.method,
        seed=5,
        bound=answer.bound,
    )
    return replace(table, recipe=labelled.recipe, damage=labelled.damage)


@pytest.mark.parametrize(
    "labelled",
    [
        asked(),
        asked("Mesh(3,5)", chunks=3),
        asked("Mesh(4,4)", alpha="1ms"),
        asked("Mesh(4,4)", model=TimeModel.OCCUPIED),
        asked("Mesh(4,5)", damage=Damage(fail_links=["0-1"])),
    ],
    ids=lambda labelled: f"{labelled.recipe} {labelled.damage}",
)
def test_blocks_are_the_whole_timetable(labelled: LabelledTask, tmp_path: Path) -> None:
    """Digest, sends, verdict and what is told: those of the ordinary way."""
    rows, recipe, plain = (tmp_path / name for name in ("rows.npz", "made.json", "plain.npz"))
    answer = blocks_of(labelled, rows)
    table = whole(labelled, answer)
    write_timetable(table, plain)
    assert answer.record.digest == timetable_digest(table)
    assert answer.time == table.seconds
    assert answer.record.use == describe_timetable(table, "it").use
    assert blocks_of(labelled, recipe).record.digest == answer.record.digest
    assert blocks_of(labelled, None).record.digest == answer.record.digest
    header = read_round_header(rows)
    found = list(read_blocks(rows, header))
    assert len(found) == len(header["blocks"]) > (1 if labelled.task.topology.n == 144 else 0)
    assert max(header["blocks"]) <= 1000 + 3 * table.topology.arcs or labelled.task.topology.n < 144
    for name, column in (("chunk", table.chunk), ("channel", table.channel)):
        assert np.array_equal(np.concatenate([getattr(b, name) for b in found]), column)
    verdict = tf.verify(plain)
    for file in (rows, recipe):
        assert is_round_file(file)
        again = tf.verify(file, large=True)
        assert again.valid
        assert str(again) == str(verdict)
        assert again.to_dict() == verdict.to_dict()
    assert json.loads(recipe.read_text())["blocks"] == []
    assert recipe.stat().st_size < 2000


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.npz", "b.npz"):
        blocks_of(asked(), tmp_path / name)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_the_command_line_reads_them(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    blocks_of(asked("Mesh(3,3)"), file, tmp_path / "a.db")
    found = ran(capsys, "verify", file, "--large")
    assert (found.code, found.err) == (0, "")
    assert found.out.startswith("valid: allgather on Mesh(3,3) by rounds, 1 chunk, pipelined")
    found = ran(capsys, "verify", file)
    assert (found.code, found.out) == (2, "")
    assert (
        "a timetable in rounds is above the ordinary limits; --large, in Python large=True"
        in found.err
    )
    found = ran(capsys, "show", file)
    assert "a timetable in rounds, which is for verify --large" in found.err
    found = ran(capsys, "verify", file, "--large", "--on", "Mesh(3,4)")
    assert (found.code, found.out) == (1, "not valid: the file's graph is not that of Mesh(3,4)\n")
    found = ran(capsys, "verify", file, "--large", "--size", "1MiB", "--bandwidth", "1Gbps")
    assert found.code == 2


@pytest.mark.parametrize(
    ("field", "value", "line"),
    [
        ("seed", 6, "not valid: content: the file says"),
        ("content", "0" * 64, "not valid: content: the file says"),
        ("order", "rare", "not valid: "),
        ("sends", 71, "not valid: sends: the file says 71, but its sends give 600"),
        ("rounds", 9, "not valid: rounds: the file says 9"),
        ("bound", "1000", "not valid: it takes"),
    ],
)
def test_claims_that_are_not_true(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, field: str, value: object, line: str
) -> None:
    file = tmp_path / "a.json"
    blocks_of(asked("Mesh(5,5)"), file)
    file.write_text(json.dumps(json.loads(file.read_text()) | {field: value}))
    found = ran(capsys, "verify", file, "--large")
    assert (found.code, found.err) == (1, "")
    assert found.out.startswith(line)
    assert found.out.count("\n") == 1


@pytest.mark.parametrize(
    ("field", "value", "line"),
    [
        ("format", "topofinder-rows", "format: topofinder-rounds is needed"),
        ("version", 2, "version: 1 can be read"),
        ("order", "x", "order: 'x' is none of full"),
        ("order", 3, "order: the name of an order of chunks, not 3"),
        ("recipe", "Mesh(3,4)", "n: the file says 9, but what it holds gives 12"),
        ("recipe", None, "recipe: the file names no graph, give it by --on"),
        ("recipe", 3, "recipe: a text is needed, not 3"),
        ("damage", "x", "damage: 'x' is no damage"),
        ("chunks", 10, "chunks: 10 are not the same for 9 hosts"),
        ("units", [], "units: an object is needed"),
        ("tick", "1", "tick: the file says '1'"),
        ("blocks", [71], "blocks: 71 sends in all, but the header says 72"),
        ("blocks", [0, 72], "blocks: 1 to 16777216 sends each are needed"),
        ("weight", 1, "'weight': such files have no such field"),
    ],
)
def test_headers_that_are_refused(tmp_path: Path, field: str, value: object, line: str) -> None:
    file = tmp_path / "a.json"
    blocks_of(asked("Mesh(3,3)"), file)
    fields = json.loads(file.read_text()) | {field: value}
    text = json.dumps(fields, indent=0)
    file.write_text(text)
    with pytest.raises(InvalidInput, match=line.replace("[", r"\[")):
        check_rounds(file)


@pytest.mark.parametrize(
    ("member", "change", "line"),
    [
        ("gap.000000", "more", "has more rounds than the header says"),
        ("gap.000001", "longer", "gap.000001: the shape"),
        ("chunk.000000", "beyond", "block 0 has an entry out of range"),
        ("chunk.000001", None, "members: those of 3 blocks are needed"),
        ("header", None, "no whole .npz file"),
    ],
)
def test_archives_that_are_refused(
    tmp_path: Path, member: str, change: str | None, line: str
) -> None:
    file = tmp_path / "a.npz"
    answer_rounds(asked("Mesh(5,5)"), "it", file, None, at_once=100)
    members = dict(np.load(file))
    if change is None:
        del members[member]
    elif change == "longer":
        members[member] = np.append(members[member], members[member][:1])
    else:
        members[member] = members[member].astype("<u2")
        members[member][0] = 60_000
    np.savez(file, **members)
    with zipfile.ZipFile(file) as archive:
        assert f"{member}.npy" in archive.namelist() or change is None
    with pytest.raises(InvalidInput, match=line):
        check_rounds(file)


def test_sends_that_are_not_valid(tmp_path: Path) -> None:
    file = tmp_path / "a.npz"
    answer_rounds(asked("Mesh(5,5)"), "it", file, None, at_once=100)
    members = dict(np.load(file))
    members["chunk.000000"][[0, 1]] = members["chunk.000000"][[1, 0]]
    np.savez(file, **members)
    assert "has no such chunk by then" in str(check_rounds(file).violation)


def test_a_truncated_archive_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.npz"
    blocks_of(asked("Mesh(5,5)"), file)
    file.write_bytes(file.read_bytes()[:-30])
    with pytest.raises(InvalidInput, match=r"no whole .npz file"):
        tf.verify(file, large=True)


def test_a_graph_without_a_recipe_is_given(tmp_path: Path) -> None:
    edges = tf.save(tf.build("Mesh(3,3)").topology, tmp_path / "mesh.edges")
    file = tmp_path / "a.json"
    blocks_of(asked(str(edges)), file)
    assert tf.verify(file, large=True, on="Mesh(3,3)").valid


def test_what_needs_blocks() -> None:
    assert needs_blocks(asked().task, 1000)
    assert not needs_blocks(asked().task, 144 * 143)
    for other in (
        asked("Torus(12,12)"),
        asked(collective=Collective.ALLREDUCE),
        asked(collective=Collective.BROADCAST, root="0"),
        asked(matching="random"),
        asked(weights=["0=2"]),
        asked("Mesh(12,12)", damage=Damage(degrade=["0-1=1/2"])),
    ):
        assert not needs_blocks(other.task, 1000)


def test_large_problems_are_asked_for() -> None:
    with pytest.raises(Unsupported, match=r"sends: more than 67108864; .* --large, in Python"):
        tf.schedule("Mesh(91,91)", method="timed", **TIMES)
    with pytest.raises(InvalidInput, match="--large is for --method timed, not bfb"):
        tf.schedule("Mesh(3,3)", method="bfb", large=True)
    answer = tf.schedule("Mesh(3,3)", method="timed", large=True, **TIMES)
    assert answer.timetable.sends > 0


def test_a_file_is_needed_unless_large(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ("schedule", "Mesh(3,3)", "--method", "timed", "--alpha", "1us", "--size", "1MiB",
             "--bandwidth", "1Gbps", "--db", tmp_path / "a.db")  # fmt: skip
    found = ran(capsys, *words)
    assert (found.code, found.out) == (2, "")
    assert "--output: an .npz or .json file is needed" in found.err
    assert ran(capsys, *words, "--large").code == 0


def test_answers_tell_rounds_and_digest(tmp_path: Path) -> None:
    answer = blocks_of(asked("Mesh(3,3)"), tmp_path / "a.npz", tmp_path / "a.db")
    assert (
        str(answer).splitlines()[-1] == f"  {answer.rounds} rounds, digest {answer.record.digest}"
    )
    assert answer.to_dict()["rounds"] == answer.rounds
    assert "RoundAnswer(subject='Mesh(3,3)', rounds=" in repr(answer)
