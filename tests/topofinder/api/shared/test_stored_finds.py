"""Which sizes of a database may add to an answer, told without the imports of a search."""

import subprocess
import sys
from pathlib import Path

import pytest

import topofinder as tf
from topofinder.api.shared.stored_finds import may_be_source
from topofinder.finder.effort import source_sizes
from topofinder.model.candidate import LinkMode


@pytest.mark.parametrize("links", LinkMode)
def test_all_sources_of_a_size_may_be_sources(links: LinkMode) -> None:
    for n in (*range(2, 130), 256, 343, 729, 1024, 1296):
        for d in range(1, 9):
            for nodes, degree, _ in source_sizes(n, d, links):
                assert may_be_source(n, d, nodes, degree), (n, d, nodes, degree)


def test_a_look_up_beside_sizes_that_add_nothing_imports_no_numpy(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    for n in (12, 17, 25):
        tf.search(n, 2, db=db, effort=1)
    program = (
        "import sys; from topofinder.api.search import search;"
        f"print(search(17, 2, db={str(db)!r})); print('numpy' in sys.modules)"
    )
    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert told.endswith("\nFalse\n")
