"""Files of routes say what the routes are."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from expansions.build import build
from expansions.parser import parse
from generators.errors import InvalidInput
from tests.certificates import tree_certificate
from tests.routes import solved_certificate
from topofinder.alltoall.routing.paths import decompose_flow
from topofinder.exporters.route_files import Routes, write_routes


def test_the_files_say_the_same(tmp_path: Path) -> None:
    saved = solved_certificate("Kautz(2,1)")
    paths = decompose_flow(saved)
    write_routes(Routes(paths=paths), tmp_path / "a.csv")
    write_routes(Routes(paths=paths, facts={"n": 6}), tmp_path / "a.json")
    with (tmp_path / "a.csv").open() as file:
        rows = list(csv.DictReader(file))
    document = json.loads((tmp_path / "a.json").read_text())
    assert document["n"] == 6
    assert document["columns"] == list(rows[0])
    for line, row in zip(rows, document["routes"], strict=True):
        source, sink, weight, share, hops, nodes, arcs = row
        assert [int(line[name]) for name in ("source", "sink", "weight", "hops")] == [
            source, sink, weight, hops
        ]  # fmt: skip
        assert float(line["share"]) == share
        assert line["nodes"] == "-".join(map(str, nodes))
        assert line["arcs"] == "-".join(map(str, arcs))
        assert saved.topology.head[arcs].tolist() == nodes[1:]
        assert (nodes[0], nodes[-1], hops) == (source, sink, len(arcs))


@pytest.mark.parametrize("recipe", ["C(8,{1,2})", "Pi(2,7)"])
def test_flows_by_source(tmp_path: Path, recipe: str) -> None:
    saved = solved_certificate(recipe)
    write_routes(Routes(flows=saved), tmp_path / "flows.csv")
    net = np.zeros((saved.topology.n,) * 2)
    load = np.zeros(saved.topology.arcs)
    with (tmp_path / "flows.csv").open() as file:
        for row in csv.DictReader(file):
            net[int(row["source"]), int(row["head"])] += float(row["flow"])
            net[int(row["source"]), int(row["tail"])] -= float(row["flow"])
            load[int(row["arc"])] += float(row["flow"])
    assert (net + np.diag(np.full(saved.topology.n, np.inf)) >= 1 - 1e-9).all()
    assert load.max() == pytest.approx(float(1 / saved.lower), rel=1e-9)


def test_limits(tmp_path: Path) -> None:
    paths = decompose_flow(tree_certificate(build(parse("K(4)"))))
    with pytest.raises(InvalidInput, match="routes: more than 5 rows"):
        write_routes(Routes(paths=paths, max_rows=5), tmp_path / "a.csv")
    with pytest.raises(InvalidInput, match=r"suffix '\.txt' is none of \.csv, \.json"):
        write_routes(Routes(paths=paths), tmp_path / "a.txt")
    assert list(tmp_path.iterdir()) == []
