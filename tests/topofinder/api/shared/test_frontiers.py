"""Frontiers and pools, stored or searched."""

import subprocess
import sys

from topofinder.api.shared.frontiers import all_candidates, search_size


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
