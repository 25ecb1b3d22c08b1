"""Discoveries by the workers of a Dask cluster: what one process finds."""

from pathlib import Path
from typing import Any

from tests.dask_cluster import dask_cluster
from topofinder.api.discover import discover


def test_graphs_of_all_kinds_by_a_dask_cluster_are_those_of_one_process(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"seed": 3, "trials": 40, "kind": "lifts,grafts"}
    with dask_cluster(tmp_path) as cluster:
        cluster.add_worker()
        cluster.add_worker()
        where = {"backend": "dask", "scheduler": str(cluster.file)}
        found = discover(29, 3, db=tmp_path / "many.db", **asked, **where)
    alone = discover(29, 3, db=tmp_path / "one.db", jobs=2, **asked)
    assert found.record.judged > 0
    assert found.to_json() == alone.to_json()
