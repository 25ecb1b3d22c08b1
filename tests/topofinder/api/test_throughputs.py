"""Throughputs of many graphs are those that each has alone, whoever works them out."""

import json
import signal
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from joblib import parallel_config

from db.store import Store
from generators.errors import InvalidInput
from generators.formats.by_suffix import write_topology
from generators.topology import Topology
from tests.command import ran, started
from tests.dask_cluster import dask_cluster
from topofinder import build, throughput, throughputs
from topofinder.api.throughputs import read_recipes

RECIPES = ["UniRing(1,5)", "Torus(4,4)", "K( 4)", "DGXA100(2)", "Torus(4,4)", "Kautz(2,1)"]


@pytest.fixture
def alone() -> list[object]:
    """What each graph has alone, without the seconds."""
    return [timeless(throughput(recipe).record) for recipe in RECIPES]


def timeless(record: object) -> object:
    return replace(record, seconds=0.0)  # type: ignore[type-var]


@pytest.mark.parametrize(("jobs", "backend"), [(1, None), (2, "threading"), (2, "loky")])
def test_each_is_what_it_is_alone(
    tmp_path: Path, alone: list[object], jobs: int, backend: str | None
) -> None:
    told = list[tuple[int, int]]()
    where = {"backend": backend} if backend == "threading" else {}
    with parallel_config(**where):
        found = throughputs(
            RECIPES,
            db=tmp_path / "a.db",
            jobs=jobs if backend != "loky" else -1,
            backend="loky" if backend == "loky" else None,
            progress=lambda done, total: told.append((done, total)),
        )
    assert [timeless(one) for one in found.records] == alone
    assert told == [(done, len(RECIPES)) for done in range(len(RECIPES) + 1)]
    assert not found.interrupted
    with Store(tmp_path / "a.db") as store:
        stored = {row.recipe: (row.lower, row.upper) for row in store.throughputs()}
    assert stored["Torus(4,4)"] == (Fraction(1, 8), Fraction(1, 8))
    assert len(stored) == len(set(RECIPES))


def test_those_of_a_cluster_whose_worker_is_lost(tmp_path: Path, alone: list[object]) -> None:
    with dask_cluster(tmp_path) as cluster:
        lost = cluster.add_worker()
        cluster.add_worker()

        def lose(done: int, total: int) -> None:
            if done == 1:
                lost.kill()

        found = throughputs(RECIPES, backend="dask", scheduler=str(cluster.file), progress=lose)
    assert [timeless(one) for one in found.records] == alone


def test_the_largest_come_first(tmp_path: Path) -> None:
    order = list[str]()
    path = tmp_path / "a.db"

    def look(done: int, total: int) -> None:
        if done:
            with Store(path) as store:
                (fresh,) = {str(row.recipe) for row in store.throughputs()} - set(order)
            order.append(fresh)

    throughputs(["UniRing(1,5)", "Torus(4,4)", "K(4)"], jobs=1, db=path, progress=look)
    assert order == ["Torus(4,4)", "K(4)", "UniRing(1,5)"]


def test_files_matrices_and_sizes(tmp_path: Path) -> None:
    file, matrix = tmp_path / "ring.json", tmp_path / "demand.npz"
    write_topology(build("UniRing(1,5)").topology, file)
    np.savez(matrix, demand=np.eye(5, k=1))
    given = {"demand": matrix, "size": "1MiB", "bandwidth": "1Gbps"}
    own = Topology.from_arcs(5, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)])
    found = throughputs([str(file), "UniRing(1,5)", own], **given)
    for one, subject in zip(found.records, [str(file), "UniRing(1,5)", own], strict=True):
        assert timeless(one) == timeless(throughput(subject, **given).record)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ((), "recipes: none is given"),
        (("K(3)", "K(4)", "--certificate", "a.npz"), "--certificate: 'a.npz' is for one graph"),
        (("K(3)", "--backend", "loky", "--routes", "a.csv"), "--routes: 'a.csv' is for one graph"),
        (("K(3)", "K(4)", "--backend", "slurm"), "--backend: one of loky, dask, ray, not 'slurm'"),
        (("K(3)", "K(4)", "--jobs", "0"), "jobs: 1 to 1024 workers, or -1 for all cores, not 0"),
        (("K(3)", "K(4)", "--bandwidth", "1Gbps"), "--bandwidth is for the time that a --size"),
        (("K(3)", "nothing"), "unknown family 'nothing'"),
        (("K(3)", "missing.json"), "missing.json: cannot be read"),
        (("K(3)", "--recipes", "none.txt"), "none.txt: cannot be read"),
        (("K(3)", "K(4)", "--pattern", "experts:3"), "'K(4)': pattern: experts:3 needs sizes"),
        (("--recipes", "bad.json"), "bad.json: [1]: a recipe is needed, not '5'"),
        (("--recipes", "cut.json"), "cut.json: neither recipes, one a line, nor JSON"),
        (("--recipes", "other.json"), "other.json: a list of recipes, or of rows with a 'recipe'"),
    ],
)
def test_refusals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys, words: tuple[str, ...], line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("bad.json").write_text('["K(4)", 5]')
    Path("cut.json").write_text('["K(4)"')
    Path("other.json").write_text('{"n": 4}')
    ended = ran(capsys, "throughput", *words, "--db", tmp_path / "a.db")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"topofinder: {line}")


def test_recipes_from_a_file_are_told_as_alone(tmp_path: Path, capsys) -> None:
    db, file = tmp_path / "a.db", tmp_path / "recipes.txt"
    file.write_text("\nK(4)\n  Kautz(2,1) \n")
    assert read_recipes(file) == ["K(4)", "Kautz(2,1)"]
    made = ran(capsys, "throughput", "Torus(4,4)", "--recipes", file, "--json", "--db", db)
    assert (made.code, made.err) == (0, "")
    told = json.loads(made.out)
    for one, recipe in zip(told, ["Torus(4,4)", "K(4)", "Kautz(2,1)"], strict=True):
        own = json.loads(ran(capsys, "throughput", recipe, "--json", "--db", db).out)
        assert {**one, "seconds": 0} == {**own, "seconds": 0}
    lines = ran(capsys, "throughput", "K(4)", "Q(3)", "-j", "1", "--db", db).out.splitlines()
    assert [line.split(":")[0] for line in lines if not line.startswith(" ")] == ["K(4)", "Q(3)"]


def test_an_empty_list_and_too_many() -> None:
    with pytest.raises(InvalidInput, match=r"^recipes: at most 65536 at once, not 65537$"):
        throughputs(["K(4)"] * 65537)


STOPPED = """
import topofinder.api.throughputs as request
from topofinder.cli.app import main

bound = request.throughput

def waiting(subject, **options):
    if str(subject) == "K(3)":
        import time
        print("ready", flush=True)
        time.sleep(60)
    return bound(subject, **options)

request.throughput = waiting
main()
"""


def test_ctrl_c_tells_those_that_are_finished(tmp_path: Path) -> None:
    words = ("throughput", "K(3)", "K(5)", "K(4)", "-j", "1", "--db", tmp_path / "a.db")
    with started(*words, program=STOPPED) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "ready\n"
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert (running.returncode, err) == (0, "")
    lines = out.splitlines()
    assert [line.split(":")[0] for line in lines if not line.startswith(" ")] == [
        "K(5)", "K(4)", "interrupted"
    ]  # fmt: skip
    assert lines[-1] == "interrupted: 2 of 3 finished"
    with Store(tmp_path / "a.db") as store:
        assert {row.recipe for row in store.throughputs()} == {"K(5)", "K(4)"}
