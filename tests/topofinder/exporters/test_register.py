"""The register of exporters: one from outside writes files that only it knows."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from expansions.build import build
from expansions.parser import parse
from generators.errors import InvalidInput
from tests.certificates import tree_certificate
from topofinder.alltoall.routing.paths import decompose_flow
from topofinder.exporters.register import (
    EXPORTERS,
    Exporter,
    exporters_of,
    find_exporter,
    register_exporter,
)
from topofinder.exporters.route_files import Routes, write_routes


def write_hops(routes: Routes, path: Path) -> None:
    path.write_text("".join(f"{row[4]}\n" for row in routes.rows()))


HOPS = Exporter(name="hops", takes="routes", suffix=".hops", description="a toy", write=write_hops)


@pytest.fixture
def hops() -> Iterator[Exporter]:
    yield register_exporter(HOPS)
    del EXPORTERS["hops"]


def test_an_exporter_from_outside_writes_its_files(hops: Exporter, tmp_path: Path) -> None:
    assert exporters_of("routes")[-1] is hops
    paths = decompose_flow(tree_certificate(build(parse("UniRing(1,3)"))))
    write_routes(Routes(paths=paths), tmp_path / "a.hops")
    assert sorted((tmp_path / "a.hops").read_text().split()) == ["1", "1", "1", "2", "2", "2"]
    with pytest.raises(InvalidInput, match=r"is none of \.csv, \.json, \.hops$"):
        write_routes(Routes(paths=paths), tmp_path / "a.txt")


def test_names_are_taken_once_and_the_first_of_a_suffix_is_used(hops: Exporter) -> None:
    with pytest.raises(InvalidInput, match="exporter 'hops' is registered already"):
        register_exporter(HOPS)
    assert find_exporter("routes", "a.json").name == "routes-json"
    with pytest.raises(InvalidInput, match=r"suffix '\.csv' is none of $"):
        find_exporter("forest", "a.csv")


def test_suffixes_are_written_as_files_have_them() -> None:
    with pytest.raises(InvalidInput, match=r"exporter x: 'CSV' is no suffix like \.csv"):
        Exporter(name="x", takes="routes", suffix="CSV", description="", write=write_hops)
