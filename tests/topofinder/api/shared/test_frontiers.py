"""Frontiers and pools, stored or searched."""

from topofinder.api.shared.frontiers import all_candidates, search_size


def test_all_candidates_hold_the_pool() -> None:
    pool = search_size(32, 4).pool or ()
    rows = all_candidates(32, 4)
    assert tuple(rows[: len(pool)]) == pool
    assert len({(one.recipe, one.method) for one in rows}) == len(rows) > len(pool)
