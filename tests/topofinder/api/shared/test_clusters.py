"""Sweeps by the workers of a cluster end like one in a single process, whoever is lost."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

import pytest

from generators.errors import InvalidInput, Unsupported
from tests.command import ran, started
from tests.dask_cluster import dask_cluster
from tests.topofinder.sweeps import SIZES, contents, swept
from topofinder.api.shared.clusters import cluster_workers

SWEEP = """
import sys
from tests.topofinder.sweeps import SIZES
from topofinder.api.shared.clusters import cluster_workers
from topofinder.api.sweep import fill_sizes

def tell(done, total):
    print(done, flush=True)
    sys.stdin.readline()

with cluster_workers(sys.argv[1], sys.argv[2] or None, int(sys.argv[3])):
    fill_sizes(SIZES, "simplex", sys.argv[4], alone=0, block_work=8_000, progress=tell)
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[object, ...]]:
    """What a sweep in one process stores."""
    path = tmp_path_factory.mktemp("alone") / "whole.db"
    swept(str(path))
    return contents(path)


class Driver:
    """A sweep that waits for a word after each block."""

    def __init__(self, *arguments: object) -> None:
        self.child = started(*arguments, program=SWEEP, stdin=subprocess.PIPE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: Any) -> None:
        """Leave no program, and no file of it open, behind a test that fails."""
        self.child.__exit__(*raised)

    def done(self) -> int:
        """How many sizes are stored, once more are."""
        assert self.child.stdout is not None
        return int(self.child.stdout.readline())

    def go_on(self) -> None:
        assert self.child.stdin is not None
        self.child.stdin.write("\n")
        self.child.stdin.flush()


def test_a_sweep_whose_workers_driver_and_cluster_are_lost_ends_like_one_that_was_not(
    tmp_path: Path, whole: list[tuple[object, ...]]
) -> None:
    path = tmp_path / "cluster.db"
    with dask_cluster(tmp_path) as cluster:
        lost = cluster.add_worker()
        with Driver("dask", cluster.file, -1, path) as first:
            assert first.done() == 0
            first.go_on()
            begun = first.done()
            assert 0 < begun < len(SIZES)
            lost.kill()
            cluster.add_worker()
            cluster.add_worker()
            first.go_on()
            stored = first.done()
            assert begun < stored < len(SIZES)
            first.child.kill()
            first.child.communicate()
        with Driver("dask", cluster.file, -1, path) as second:
            assert second.done() == stored
            second.go_on()
            assert stored < second.done() < len(SIZES)
            cluster.end()
            _, err = second.child.communicate("\n" * len(SIZES), timeout=60)
        assert "ClusterLost: --backend dask: the cluster is lost" in err.splitlines()[-1]
    swept(str(path))
    assert contents(path) == whole


@pytest.mark.skipif(find_spec("ray") is None, reason="needs Ray: pip install 'topofinder[ray]'")
def test_a_sweep_by_ray_ends_like_one_in_a_single_process(
    tmp_path: Path, whole: list[tuple[object, ...]]
) -> None:
    with Driver("ray", "", 2, tmp_path / "ray.db") as driver:
        out, _ = driver.child.communicate("\n" * len(SIZES), timeout=120)
    assert out.split()[-1] == str(len(SIZES))
    assert contents(tmp_path / "ray.db") == whole


@pytest.mark.skipif(find_spec("ray") is None, reason="needs Ray: pip install 'topofinder[ray]'")
def test_a_sweep_whose_ray_worker_is_killed_ends_like_one_that_was_not(
    tmp_path: Path, whole: list[tuple[object, ...]]
) -> None:
    psutil = pytest.importorskip("psutil")
    driver = Driver("ray", "", 2, tmp_path / "ray.db")
    assert driver.done() == 0
    driver.go_on()
    assert 0 < driver.done() < len(SIZES)
    workers = [
        child
        for child in psutil.Process(driver.child.pid).children(recursive=True)
        if child.name().startswith("ray::PoolActor")
    ]
    assert len(workers) == 2
    workers[0].kill()
    out, err = driver.child.communicate("\n" * len(SIZES), timeout=120)
    assert (driver.child.returncode, err) == (0, "")
    assert all(map(str.isdigit, out.split()))
    assert out.split()[-1] == str(len(SIZES))
    assert not workers[0].is_running()
    assert contents(tmp_path / "ray.db") == whole


def test_what_no_cluster_is_asked_for_with_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    sweep = ("sweep", "--n", "8", "--d", "2", "--db", tmp_path / "a.db")
    for words, told in (
        (("--backend", "slurm"), "--backend: one of loky, dask, ray, not 'slurm'"),
        (("--scheduler", "a:1"), "--scheduler: 'a:1' needs --backend dask or ray"),
        (
            ("--backend", "dask", "--scheduler", "a:1", "--jobs", "2"),
            "--jobs: a cluster has workers of its own, not 2",
        ),
    ):
        assert ran(capsys, *sweep, *words) == (2, "", f"topofinder: {told}\n")


def test_a_scheduler_that_does_not_answer() -> None:
    pytest.importorskip("distributed", reason="needs Dask: pip install 'topofinder[dask]'")
    with (
        pytest.raises(InvalidInput, match="no Dask scheduler answers at"),
        cluster_workers("dask", "127.0.0.1:9", patience=0.2),
    ):
        pass


@pytest.mark.parametrize(("backend", "module"), [("dask", "distributed"), ("ray", "ray")])
def test_a_backend_that_is_not_installed(
    backend: str, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with (
        pytest.raises(Unsupported, match=rf"^--backend {backend}: needs .*\[{backend}\]'$"),
        cluster_workers(backend, None),
    ):
        pass
