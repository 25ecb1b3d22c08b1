"""`topofinder run` under a real mpirun: every element right, refusals of one line, no hang."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import topofinder as tf
from tests.command import ROOT
from tests.mpi import SETTINGS, Turn, needs_mpi, own_lines, run_on_ranks, take_turns
from topofinder.model.timings import read_timings

pytestmark = needs_mpi
QUICK = ("--repeat", "1", "--warmup", "0", "--no-library", "--json")
COLLECTIVES = ("allgather", "reduce-scatter", "allreduce", "broadcast", "reduce", "all-to-all")
TIMED = {"size": "1MB", "alpha": "1us", "bandwidth": "100Gbps", "chunks": 1, "tries": 1}


def made(folder: Path, recipe: str, collective: str, method: str = "auto") -> Path:
    options = {"root": 1} if collective in ("broadcast", "reduce") else {}
    if method == "auto" and collective in ("broadcast", "reduce", "all-to-all"):
        method = "timed"
    options |= TIMED if method == "timed" else {}
    answer = tf.schedule(recipe, collective=collective, method=method, **options)
    noun = getattr(answer, {"forest": "forest", "timed": "timetable"}.get(method, "saved"))
    return tf.save(noun, folder / f"{collective}-{method}.npz")


def require_right(turn: Turn, sizes: int) -> None:
    assert set(turn.codes) == {0}, turn
    assert turn.others == turn.err == ""
    rows = json.loads(turn.out)["timings"]
    assert [row["wrong"] for row in rows] == [0] * sizes
    assert {row["library_wrong"] for row in rows} <= {0, None}


def test_all_collectives_types_operations_and_counts_on_8_ranks(tmp_path: Path) -> None:
    files = [made(tmp_path, "Q(3)", collective) for collective in COLLECTIVES]
    files += [made(tmp_path, "Q(3)", kind, "forest") for kind in ("allreduce", "broadcast")]
    counts = "0,1,7,8,101,40009"
    turns = [("run", file, "--counts", counts, *QUICK) for file in files]
    turns += [
        ("run", files[2], "--counts", "1,1009", "--dtype", dtype, "--op", op, *QUICK)
        for dtype, op in (("int8", "sum"), ("float16", "prod"), ("int64", "max"), ("uint8", "min"))
    ]
    for turn in take_turns(tmp_path, 8, turns):
        require_right(turn, len(json.loads(turn.out)["timings"]))


def test_parallel_links_directed_graphs_and_the_library_beside_on_4_ranks(tmp_path: Path) -> None:
    files = []
    for number, recipe in enumerate(("BiRing(4,4)", "UniRing(1,4)", "K(2)^2", "K(2)*2")):
        folder = tmp_path / str(number)
        folder.mkdir()
        files += [made(folder, recipe, kind) for kind in COLLECTIVES[:3]]
    (tmp_path / "map.txt").write_text("3\n2\n\n0\n1\n")
    compared = ("--counts", "0,3,50021", "--repeat", "2", "--warmup", "1", "--json")
    turns: list[tuple[object, ...]] = [("run", file, *compared) for file in files]
    turns += [("run", file, "--map", tmp_path / "map.txt", *compared) for file in files[3:6]]
    turns += [("run", made(tmp_path, "K(4)", kind), *compared) for kind in COLLECTIVES[3:]]
    turns.append(("run", files[0], "--out-of-place", "--verified", *compared))
    tf.export(files[2], tmp_path / "a.xml", format="cpu-xml")
    turns.append(("run", tmp_path / "a.xml", *compared))
    for turn in take_turns(tmp_path, 4, turns):
        require_right(turn, 3)


def test_16_ranks_with_a_forest_through_switches(tmp_path: Path) -> None:
    files = [
        made(tmp_path, "Torus(4,4)", "allreduce"),
        made(tmp_path, "DGXA100(2)", "allreduce", "forest"),
    ]
    turns = [("run", file, "--counts", "17,5003", *QUICK) for file in files]
    for turn in take_turns(tmp_path, 16, turns):
        require_right(turn, 2)


Case = tuple[Callable[[Path], tuple[object, ...]], str]


def per_rank(folder: Path, odd: Callable[[Path], object]) -> str:
    """A file that each rank has in a folder of its own, and rank 2 another one."""
    good = made(folder, "K(4)", "allreduce")
    for rank in range(4):
        (folder / f"rank{rank}").mkdir()
        (folder / f"rank{rank}" / "a.npz").write_bytes(good.read_bytes())
    odd(folder / "rank2" / "a.npz")
    return str(folder / "rank{rank}" / "a.npz")


def invalid(folder: Path) -> Path:
    saved = tf.load(made(folder, "K(4)", "allreduce"))
    rows = saved.schedule
    keep = rows.step < rows.steps
    columns = {
        name: getattr(rows, name)[keep] for name in ("source", "arc", "step", "begin", "end")
    }
    return tf.save(replace(saved, schedule=replace(rows, **columns)), folder / "invalid.npz")


def spoiled(folder: Path) -> Path:
    """Programs whose first sum takes the place of what is there."""
    tf.export(made(folder, "K(4)", "allreduce"), folder / "a.xml", format="cpu-xml")
    text = (folder / "a.xml").read_text().replace("<reduce", "<copy", 1)
    return written(folder, "spoiled.xml", text)


def written(folder: Path, name: str, text: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def on_k4(*words: object) -> Callable[[Path], tuple[object, ...]]:
    return lambda folder: (made(folder, "K(4)", "allreduce"), *words)


def map_case(text: str | bytes) -> Callable[[Path], tuple[object, ...]]:
    return lambda folder: (
        made(folder, "K(4)", "allreduce"),
        *("--map", written(folder, "map.txt", text)),
    )


CASES: dict[str, Case] = {
    "too few ranks": (
        lambda folder: (made(folder, "Q(3)", "allreduce"),),
        r"is for 8 ranks, not for 4: start with mpirun -n 8 topofinder run",
    ),
    "another file on one rank": (
        lambda folder: (per_rank(folder, lambda file: file.write_bytes(
            made(folder, "BiRing(2,4)", "allreduce", "forest").read_bytes())),),
        r"rank 2 has another file, of content [0-9a-f]{12}, than rank 0, [0-9a-f]{12}",
    ),
    "no file on one rank": (
        lambda folder: (per_rank(folder, Path.unlink),),
        r"rank 2: .*a\.npz: cannot be read, or is no file",
    ),
    "half a file on one rank": (
        lambda folder: (per_rank(folder, lambda file: file.write_bytes(file.read_bytes()[:300])),),
        r"rank 2: .*a\.npz",
    ),
    "no file at all": (lambda folder: (folder / "none.npz",), "none.npz: cannot be read"),
    "a file of another kind": (
        lambda folder: (tf.save(tf.build("K(4)").topology, folder / "k.edges"),),
        "is a topology file; a schedule, forest or timetable is run",
    ),
    "not valid": (lambda folder: (invalid(folder),), "invalid.npz: not valid: .*lacks"),
    "programs that are not right": (
        lambda folder: (spoiled(folder),),
        r"spoiled.xml: not valid: rank \d ends with 1 of 4 pieces wrong",
    ),
    "programs with entities": (
        lambda folder: (written(folder, "e.xml", "<!DOCTYPE cpu-programs []><cpu-programs/>"),),
        "e.xml: line 1: a document type may not be declared",
    ),
    "XML of others": (
        lambda folder: (written(folder, "m.xml", "<algo name='a'/>"),),
        "m.xml: cannot be read, or is no file of topofinder",
    ),
    "a hostile name": (lambda folder: (folder / "x\x1b[2J.npz",), r"x\?\[2J\.npz: cannot be read"),
    "dtype": (on_k4("--dtype", "complex64"), "dtype: 'complex64' is none of int8"),
    "op": (on_k4("--op", "mean"), "op: 'mean' is none of sum"),
    "counts": (on_k4("--counts", "1,-2"), "--counts: '-2' is not a number"),
    "a count beyond all": (on_k4("--counts", 10**17), "count: 0 to 2.48 elements"),
    "more than there is memory": (on_k4("--sizes", "200TiB"), "MemoryError"),
    "sizes": (on_k4("--sizes", "1MiB,big"), "--sizes: .*'big'"),
    "no sizes": (on_k4("--sizes", ""), "--sizes"),
    "repeat": (on_k4("--repeat", 0), "--repeat: 1 to"),
    "a short map": (map_case("0\n1\n2\n"), "map.txt: 3 lines for 4 ranks"),
    "a map to nowhere": (map_case("0\n1\n2\nleaf7\n"), "map.txt, line 4: no node 'leaf7'"),
    "a map twice to one": (map_case("0\n1\n2\n1\n"), "map.txt, line 4: node '1' comes twice"),
    "a map that is no text": (map_case(b"\xff\xfe0\n"), "map.txt: line 1: not UTF-8"),
    "a map and names": (on_k4("--map", "a", "--by-name"), "--map and --by-name exclude"),
    "no names": (on_k4("--by-name"), "by-name: the nodes of the file have no names"),
    "timings in no table": (on_k4("-o", "a.xlsx"), "a.xlsx: timings are written to a .csv file"),
    "timings nowhere": (on_k4("-o", "/no/such/a.csv"), "there is no folder /no/such"),
}  # fmt: skip


def test_refusals_are_one_line_on_rank_0_and_code_2_on_all(tmp_path: Path) -> None:
    turns = []
    for name, (words, _) in CASES.items():
        folder = tmp_path / name.replace(" ", "-")
        folder.mkdir()
        turns.append(("run", *words(folder)))
    turns.append(("run", made(tmp_path, "K(4)", "allreduce"), "--counts", "5", *QUICK))
    *refused, last = take_turns(tmp_path, 4, turns)
    for (name, (_, expected)), turn in zip(CASES.items(), refused, strict=True):
        assert turn.codes == [2] * 4, (name, turn)
        assert turn.out == turn.others == "", name
        assert turn.err.count("\n") == 1, (name, turn.err)
        assert re.search(expected, turn.err), (name, turn.err)
    require_right(last, 1)


def test_the_program_prints_a_table_and_writes_timings(tmp_path: Path) -> None:
    file, timings = made(tmp_path, "K(4)", "allreduce"), tmp_path / "t.csv"
    ended = run_on_ranks(4, "-m", "topofinder", "run", file, "--sizes", "1KiB,64KiB", "-o", timings)
    assert ended.code == 0, ended
    assert own_lines(ended.err) == []
    lines = ended.out.splitlines()
    assert lines[0].startswith("allreduce of allreduce-auto.npz on 4 ranks, Open MPI v5")
    assert lines[-2:] == [
        "every element is right",
        "All ranks share one host: these times say nothing on the topology.",
    ]
    assert [row.bytes for row in read_timings(timings)] == [1024, 65536]


WRONG = """
import topofinder.runtimes.mpi as mpi
from mpi4py import MPI
apply = mpi.apply_arrivals
def spoil(step, combine):
    apply(step, combine)
    if MPI.COMM_WORLD.rank == 2 and step.arrivals:
        step.arrivals[0][0][0] += 1
mpi.apply_arrivals = spoil
"""
RAISE = """
import topofinder.runtimes.mpi as mpi
from mpi4py import MPI
def fail(step, combine):
    raise ValueError("no more\\nof this")
if MPI.COMM_WORLD.rank == 2:
    mpi.apply_arrivals = fail
"""
MAIN = "import sys; from topofinder.__main__ import main; main()"


def test_wrong_elements_are_counted_and_end_with_code_1(tmp_path: Path) -> None:
    file = made(tmp_path, "K(4)", "allreduce")
    ended = run_on_ranks(4, "-c", WRONG + MAIN, "run", file, "--counts", "64", *QUICK)
    assert ended.code == 1, ended
    assert json.loads(ended.out)["timings"][0]["wrong"] > 0


def test_a_rank_that_raises_ends_all_others_with_one_line(tmp_path: Path) -> None:
    file = made(tmp_path, "K(4)", "allreduce")
    ended = run_on_ranks(4, "-c", RAISE + MAIN, "run", file, timeout=60)
    assert ended.code == 2, ended
    assert ended.out == ""
    assert own_lines(ended.err) == ["topofinder: rank 2: ValueError: no more of this"]


def alone(*words: object, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *map(str, words)],
        env=os.environ | SETTINGS | more,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_one_rank_is_told_how_to_start(tmp_path: Path) -> None:
    file = made(tmp_path, "K(4)", "allreduce")
    ended = alone("-m", "topofinder", "run", file)
    told = f"topofinder: {file}: is for 4 ranks, and this is one: start with mpirun -n 4 topofinder"
    assert (ended.returncode, ended.stdout) == (2, "")
    assert own_lines(ended.stderr) == [f"{told} run {file}"]


@pytest.mark.parametrize("rank", [0, 1])
def test_worlds_of_one_rank_are_recognised(tmp_path: Path, rank: int) -> None:
    """As when the launcher of MPICH starts ranks that load Open MPI."""
    file = made(tmp_path, "K(4)", "allreduce")
    ended = alone("-m", "topofinder", "run", file, PMI_RANK=str(rank), PMI_SIZE="4")
    assert (ended.returncode, ended.stdout) == (2, "")
    told = "topofinder: run: 4 worlds of one rank each: the launcher is that of another MPI"
    assert [line[: len(told)] for line in own_lines(ended.stderr)] == [told] * (rank == 0)


@pytest.mark.parametrize("rank", [0, 1])
def test_missing_mpi4py_is_told_once(tmp_path: Path, rank: int) -> None:
    (tmp_path / "mpi4py.py").write_text("raise ImportError")
    path = f"{tmp_path}{os.pathsep}{ROOT}"
    ended = alone("-m", "topofinder", "run", "a.npz", PYTHONPATH=path, PMI_RANK=str(rank))
    assert (ended.returncode, ended.stdout) == (2, "")
    told = "topofinder: run: needs mpi4py: pip install 'topofinder[mpi]'\n"
    assert ended.stderr == told * (rank == 0)


def test_no_size_is_begun_after_the_time(tmp_path: Path) -> None:
    file = made(tmp_path, "Q(1)", "allgather")
    counts = ("--counts", "1,2,3", "--repeat", "1", "--warmup", "0", "--no-library")
    line = ("run", file, *counts, "--time", "1us", "--json", "-o", tmp_path / "a.csv")
    (turn,) = take_turns(tmp_path, 2, [line])
    assert (turn.codes, turn.others) == ([0, 0], "")
    assert turn.err == "topofinder: run: ended after 1 of 3 sizes\n"
    assert [row["count"] for row in json.loads(turn.out)["timings"]] == [1]
    assert len(read_timings(tmp_path / "a.csv")) == 1
