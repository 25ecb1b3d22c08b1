"""Frontiers and pools, stored or searched."""

import subprocess
import sys
from pathlib import Path

import pytest

from db.store import Store
from topofinder.api.shared.frontiers import all_candidates, search_size
from topofinder.api.shared.stored_frontiers import read_pool
from topofinder.finder import deferrals
from topofinder.finder.enumeration import Pools
from topofinder.model.candidate import LinkMode


def test_all_candidates_hold_the_pool() -> None:
    pool = search_size(32, 4).pool or ()
    rows = all_candidates(32, 4)
    assert tuple(rows[: len(pool)]) == pool
    assert len({(one.recipe, one.method) for one in rows}) == len(rows) > len(pool)


def test_where_finds_ship_nothing_is_imported_that_looks_for_more() -> None:
    program = (
        "import sys; from topofinder.api.search import search;"
        "print([one.method for one in search(997, 4, effort=1).members]);"
        "more = 'topofinder.discovery', 'numba';"
        "print([name for name in sys.modules if name.startswith(more)])"
    )
    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert told == "['bfb', 'deferred']\n[]\n"


@pytest.mark.parametrize(("n", "d"), [(1296, 12), (1024, 16), (720, 6)])
def test_what_a_search_stores_on_its_way_is_whole(n: int, d: int, tmp_path: Path) -> None:
    search_size(n, d, db=tmp_path / "stored.db")
    whole, seen = Pools(), 0
    with Store(tmp_path / "stored.db") as store:
        for links in LinkMode:
            for size in store.finished_sizes(links.value, pooled=True):
                assert read_pool(store, *size, links) == whole.pool(*size, links), (size, links)
                seen += 1
    assert seen > 5


def test_an_effort_knows_what_smaller_sizes_have(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[object] = []
    times = deferrals.known_times

    def note(pools: Pools, n: int, d: int, links: LinkMode) -> object:
        told.append(times(pools, n, d, links))
        return told[-1]

    monkeypatch.setattr(deferrals, "known_times", note)
    search_size(2100, 6, effort=1)
    whole = Pools()
    whole.pool(2100, 6)
    assert told[0] == times(whole, 2100, 6, LinkMode.SIMPLEX)
    assert None not in told[0]  # type: ignore[operator]
