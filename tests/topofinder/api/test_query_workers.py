"""Queries by the workers of a Dask cluster: the same rows, the same database, and refusals."""

from contextlib import closing
from fractions import Fraction
from pathlib import Path
from sqlite3 import connect

import pytest

import topofinder as tf
from generators.errors import InvalidInput
from tests.dask_cluster import dask_cluster
from topofinder.api.sweep import sweep
from topofinder.api.train import train
from topofinder.model.workload import Workload

LINKS = {"alpha": "10us", "bandwidth": "100Gbps"}


def stored(path: Path, table: str) -> list[tuple[object, ...]]:
    """All rows of a table, without when they were made."""
    with closing(connect(path)) as connection:
        found = connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3, 4, 5")
        names = [each[0] for each in found.description]
        return [
            tuple(value for name, value in zip(names, row, strict=True) if name != "created")
            for row in found
        ]


def test_queries_and_ratings_by_a_dask_cluster_are_those_of_one_process(tmp_path: Path) -> None:
    one, many = tmp_path / "one.db", tmp_path / "many.db"
    for path in (one, many):
        sweep([(8, 2), (9, 2)], db=path, jobs=1)
    for n in (8, 9):
        train("gpt2-small", n, 2, db=one, **LINKS)
    asked = {"train": "gpt2-small", "n": (8, 9), "d": 2, **LINKS}
    workload = Workload(
        alpha=Fraction(1, 10**5), sizes=((Fraction(1 << 20), 1),), bandwidth=Fraction(125 * 10**8)
    )
    with dask_cluster(tmp_path) as cluster:
        cluster.add_worker()
        cluster.add_worker()
        where = {"backend": "dask", "scheduler": str(cluster.file)}
        found = tf.query(many, **asked, **where)
        rated = tf.search(9, 2, db=many, workload=workload, methods="bfb,timed", **where)
        failed = tf.query(many, n=9, with_failures=True, **where)
    assert found.to_json() == tf.query(one, **asked).to_json()
    alone = tf.search(9, 2, db=one, workload=workload, methods="bfb,timed")
    assert rated.to_json() == alone.to_json()
    assert failed.to_json() == tf.query(one, n=9, with_failures=True).to_json()
    for table in ("trainings", "iterations", "ratings", "candidates", "frontiers"):
        assert stored(many, table) == stored(one, table)


def test_workers_without_work_are_refused(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    tf.search(8, 2, db=db)
    with pytest.raises(InvalidInput, match=r"^--backend: works out --train and --with-failures"):
        tf.query(db, backend="loky")
    with pytest.raises(InvalidInput, match=r"^--backend: to train needs --alpha and --bandwidth$"):
        tf.query(db, train="gpt2-small", alpha="10us", backend="loky")
    with pytest.raises(InvalidInput, match=r"^--scheduler: 'a:1' needs --backend dask or ray$"):
        tf.query(db, scheduler="a:1")
