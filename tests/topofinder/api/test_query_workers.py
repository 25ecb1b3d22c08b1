"""Queries by the workers of a Dask cluster: the same rows, the same database, and refusals."""

import json
from contextlib import closing
from fractions import Fraction
from itertools import starmap
from pathlib import Path
from sqlite3 import connect

import pytest

import topofinder as tf
from db.selection import Selection
from db.store import Store
from generators.errors import InvalidInput
from tests.command import ran
from tests.dask_cluster import dask_cluster
from topofinder import interrupts
from topofinder.api.sweep import sweep
from topofinder.api.train import train
from topofinder.api.train_sizes import TrainingLinks, rate_stored_sizes
from topofinder.model.workload import Workload

LINKS = {"alpha": "10us", "bandwidth": "100Gbps"}
WANTED = Selection(n=((7, 10),), d=((2, 2),), links="simplex")
LINKS_GIVEN = ("--alpha", "10us", "--bandwidth", "100Gbps")


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


def rated_sizes(db: Path) -> set[int]:
    with Store(db) as store:
        return {one.question.n for one in store.trainings(left_out=lambda record, reason: None)}


def test_trainings_end_by_time_or_ctrl_c_and_go_on_where_they_were(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    db = tmp_path / "a.db"
    sweep([(n, 2) for n in (7, 8, 9, 10)], db=db, jobs=1)
    links = TrainingLinks.of_model("gpt2-small", Fraction(1, 10**5), Fraction(125 * 10**8))

    def interrupted(call, arguments):
        for place, each in enumerate(arguments):
            interrupts._ending.asked = place == 1
            yield call(*each)

    try:
        with Store(db) as store:
            assert rate_stored_sizes(store, WANTED, links, starmap, end=0) == 3
            assert rated_sizes(db) == {7}
            assert rate_stored_sizes(store, WANTED, links, interrupted) == 1
            assert rated_sizes(db) == {7, 8, 9}
    finally:
        interrupts._ending.asked = False
    assert caplog.messages == [
        "trainings: 3 of 4 sizes are left, as the time was over",
        "trainings: 1 of 3 sizes are left, as the time was over",
    ]
    asked = {"train": "gpt2-small", **LINKS}
    found = tf.query(db, **asked)
    assert {one.row.n for one in found} == {7, 8, 9}
    with Store(db) as store:
        assert rate_stored_sizes(store, WANTED, links, starmap) == 0
    assert rated_sizes(db) == {7, 8, 9, 10}


def test_a_query_for_so_long_has_the_rows_of_what_is_rated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db = tmp_path / "a.db"
    sweep([(8, 2), (9, 2)], db=db, jobs=1)
    timed = ("--backend", "loky", "--time", "1us", "--json", "--db", db)
    told = ran(
        capsys, "query", "--train", "gpt2-small", "--n", "8:9", "--d", 2, *LINKS_GIVEN, *timed
    )
    assert told.err == "topofinder: trainings: 1 of 2 sizes are left, as the time was over\n"
    assert {row["n"] for row in json.loads(told.out)} == {8} == rated_sizes(db)


def test_workers_without_work_are_refused(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    tf.search(8, 2, db=db)
    with pytest.raises(InvalidInput, match=r"^--backend: works out --train and --with-failures"):
        tf.query(db, backend="loky")
    with pytest.raises(InvalidInput, match=r"^--backend: to train needs --alpha and --bandwidth$"):
        tf.query(db, train="gpt2-small", alpha="10us", backend="loky")
    for asked in ({"backend": "loky", "with_failures": True}, {"train": "gpt2-small"}):
        with pytest.raises(InvalidInput, match=r"^--time: ends trainings, which need --train and"):
            tf.query(db, time="1s", **asked)
    with pytest.raises(InvalidInput, match=r"^--scheduler: 'a:1' needs --backend dask or ray$"):
        tf.query(db, scheduler="a:1")
