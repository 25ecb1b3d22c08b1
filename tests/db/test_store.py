from collections.abc import Iterator
from dataclasses import fields, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from db.rows import LINKS, CandidateRow, FrontierRow, SizeRow
from db.store import Store
from generators.errors import InvalidInput
from tests.db.sizes import candidate, contents, size
from tests.db.test_values import JSON

COUNT = st.integers(0, 2**63 - 1)
BANDWIDTH = st.builds(Fraction, COUNT, st.integers(1, 2**63 - 1))
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
FACTS = st.dictionaries(st.text(), JSON, max_size=3)
MAYBE = st.none() | st.booleans()


@pytest.fixture
def store() -> Iterator[Store]:
    with Store(":memory:") as opened:
        yield opened


@st.composite
def sizes(draw: st.DrawFn) -> SizeRow:
    same = {
        "n": draw(st.integers(1, 2**63 - 1)),
        "d": draw(st.integers(1, 2**63 - 1)),
        "links": draw(st.sampled_from(LINKS)),
        "engine": draw(COUNT),
        "version": draw(TEXT),
        "created": draw(TEXT.filter(bool)),
    }
    row = st.builds(
        CandidateRow,
        **{name: st.just(value) for name, value in same.items()},
        **dict.fromkeys(("recipe", "method"), TEXT),
        **dict.fromkeys(("steps", "rs_steps"), COUNT),
        **dict.fromkeys(("bandwidth", "rs_bandwidth"), BANDWIDTH),
        **dict.fromkeys(("bandwidth_optimal", "moore_optimal"), MAYBE),
        exact=st.booleans(),
        diameter=st.none() | COUNT,
        family=st.none() | TEXT,
        facts=FACTS,
    )
    kept = draw(st.lists(row, max_size=4, unique_by=lambda row: row.id))
    frontier = FrontierRow(
        **same,
        bound_steps=draw(COUNT),
        bound_bandwidth=draw(BANDWIDTH),
        members=tuple(kept[: draw(st.integers(0, 4))]),
        parameters=draw(FACTS),
    )
    return SizeRow(frontier=frontier, pool=draw(st.sampled_from([None, tuple(kept)])))


@settings(max_examples=60, deadline=None)
@given(sizes())
def test_every_value_comes_back(saved: SizeRow) -> None:
    with Store(":memory:") as store:
        store.save_or_keep([saved])
        key = saved.frontier.n, saved.frontier.d, saved.frontier.links
        frontier, pool = store.frontier(*key), store.pool(*key, saved.frontier.engine)
        assert store.frontiers(n=key[0], engine=saved.frontier.engine) == [frontier]
        for row in store.candidates(d=(1, key[1])):
            _identical(row, next(m for m in (*frontier.members, *(pool or ())) if m == row))
    _identical(frontier, saved.frontier)
    assert (pool is None) == (saved.pool is None)
    offered = (*saved.frontier.members, *(saved.pool or ()))
    for row, old in zip((*frontier.members, *(pool or ())), offered, strict=True):
        _identical(row, old)


def _identical(one: object, other: object) -> None:
    """Equal in every field, those that equality leaves out too, and in the type of each."""
    for field in fields(one):  # type: ignore[arg-type]
        left, right = getattr(one, field.name), getattr(other, field.name)
        assert (type(left), left) == (type(right), right), field.name


def test_numpy_integers_are_accepted_everywhere(store: Store) -> None:
    row = candidate(np.int64(8), np.int32(2), engine=np.int8(1), diameter=np.uint16(3))
    store.save_or_keep([replace(size(), frontier=size(members=()).frontier, pool=(row,))])
    assert store.pool(np.int64(8), np.int64(2), "duplex", np.int64(1)) == (row,)
    assert store.candidates(n=np.int64(8), d=(np.int64(1), np.int64(2)), engine=np.int64(1)) == [
        row
    ]
    assert store.finished_sizes("duplex", np.int64(1)) == {(8, 2)}


def test_what_is_not_stored_is_none(store: Store) -> None:
    assert store.frontier(8, 2, "duplex") is None
    assert store.pool(8, 2, "duplex", 1) is None
    store.save_or_keep([SizeRow(frontier=size().frontier), size(9, engine=2)])
    assert store.pool(8, 2, "duplex") is None
    assert store.frontier(8, 2, "simplex") is None
    assert store.frontier(9, 2, "duplex", 1) is None
    assert store.pool(9, 2, "duplex", 1) is None
    assert store.frontier(9, 2, "duplex", 2) == size(9, engine=2).frontier
    assert store.finished_sizes("duplex") == {(8, 2), (9, 2)}
    assert store.finished_sizes("duplex", 1) == {(8, 2)}
    assert store.finished_sizes("duplex", pooled=True) == {(9, 2)}
    assert store.finished_sizes("simplex") == set()


def test_selections(store: Store) -> None:
    store.save_or_keep(size(n, d) for n in (20, 8, 12) for d in (4, 2))
    found = store.frontiers(n=(8, 12), links="duplex")
    assert found == [size(n, d).frontier for n in (8, 12) for d in (2, 4)]
    assert store.frontiers(d=3) == []
    assert [row.n for row in store.candidates(d=4, recipe="Pi(4,12)*2")] == [12]
    assert store.candidates(n=8, d=2, method="bfb") == list(size().pool)
    assert store.candidates(method="synthesis") == []


def test_saving_twice_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "twice.db"
    with Store(path) as store:
        store.save_or_keep([size(), size(9), size()])
        before = list(contents(path))
        store.save_or_keep([size(9), size()])
        store.save_or_keep([SizeRow(frontier=replace(size().frontier, created=None))])
    assert list(contents(path)) == before


def test_rows_without_a_time_are_stamped(store: Store) -> None:
    rows = (candidate(created=None),)
    store.save_or_keep([SizeRow(frontier=size(members=rows, created=None).frontier)])
    stamped = store.frontier(8, 2, "duplex")
    assert stamped.created == stamped.members[0].created
    assert len(stamped.created) == len("2025-01-31T12:00:00Z")
    assert stamped.created.endswith("Z")


def test_a_pool_may_follow_its_frontier(store: Store) -> None:
    store.save_or_keep([SizeRow(frontier=size().frontier)])
    store.save_or_keep([size()])
    assert store.pool(8, 2, "duplex") == size().pool
    assert store.frontier(8, 2, "duplex") == size().frontier


CONFLICTS = [
    (size(members=(candidate(steps=9),)), r"Pi\(2,8\)\*1 .* steps is stored as 3, offered as 9"),
    (size(members=(candidate(facts={"girth": 3}),)), r"facts is stored as \{\}, offered as \{'gi"),
    (size(count=2), "n 8, d 2, duplex is stored with another members"),
    (size(parameters={"seed": 1}), "another parameters"),
    (size(bound_steps=1), "another bound_steps"),
    (replace(size(), pool=size().pool[:2]), "another pool"),
]


@pytest.mark.parametrize(("other", "line"), CONFLICTS)
def test_another_answer_of_the_same_engine_is_refused(
    store: Store, other: SizeRow, line: str
) -> None:
    store.save_or_keep([size()])
    with pytest.raises(InvalidInput, match=f"^database ':memory:': .*{line}"):
        store.save_or_keep([size(30), other])
    assert store.finished_sizes("duplex") == {(8, 2)}
    assert store.pool(8, 2, "duplex") == size().pool


def test_two_answers_in_one_batch_are_refused(store: Store) -> None:
    with pytest.raises(InvalidInput, match="n 8, d 2, duplex is offered twice"):
        store.save_or_keep([size(), size(count=2)])
    with pytest.raises(InvalidInput, match="steps is stored as 3, offered as 4"):
        store.save_or_keep([replace(size(), pool=(candidate(steps=4),))])
    assert store.candidates() == []


def test_a_newer_engine_replaces_and_an_older_one_does_not(store: Store) -> None:
    store.save_or_keep([size(), size(9)])
    newer = size(count=1, engine=2)
    store.save_or_keep([newer])
    assert store.frontier(8, 2, "duplex") == newer.frontier
    assert store.pool(8, 2, "duplex") == newer.pool
    assert store.frontier(8, 2, "duplex", 1) is None
    assert store.finished_sizes("duplex", 1) == {(9, 2)}
    assert {row.engine for row in store.candidates(n=8)} == {1, 2}
    ((left, reason),) = store.save_or_keep([size()])
    assert (left, reason) == (size(), "n 8, d 2, duplex is stored from engine 2, newer than 1")


def test_an_interrupted_batch_leaves_nothing(store: Store) -> None:
    def interrupted() -> Iterator[SizeRow]:
        yield size()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.save_or_keep(interrupted())
    assert store.finished_sizes("duplex") == set()
    store.save_or_keep([])
    assert store.candidates() == []


def test_a_store_is_open_only_in_its_block() -> None:
    store = Store(":memory:")
    with pytest.raises(InvalidInput, match="is not open"):
        store.finished_sizes("duplex")
    with store, pytest.raises(InvalidInput, match="is open already"):
        store.__enter__()
    with pytest.raises(InvalidInput, match="is not open"):
        store.save_or_keep([size()])


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ("DELETE FROM frontier_members WHERE rank = 1", "has 2 of its 3 members"),
        ("UPDATE candidates SET facts = '[1'", "facts is stored as"),
        ("UPDATE candidates SET facts = '[1]'", "facts must be a mapping"),
        ("UPDATE candidates SET steps = 'many'", "steps must be an integer, not 'many'"),
        ("UPDATE candidates SET bandwidth_num = 0.5", "bandwidth is stored as 0.5/"),
        ("UPDATE candidates SET n = 9", "n is 8, not 9"),
        ("DROP TABLE frontiers", "no such table: frontiers"),
    ],
)
def test_a_damaged_file_is_reported_by_name(tmp_path: Path, change: str, line: str) -> None:
    path = tmp_path / "damaged.db"
    with Store(path) as store:
        store.save_or_keep([size()])
        store.connection.execute("PRAGMA foreign_keys = OFF")
        store.connection.execute(change)
        with pytest.raises(InvalidInput) as caught:
            store.frontier(8, 2, "duplex")
    assert str(caught.value).startswith(f"database {str(path)!r}: ")
    assert line in str(caught.value)
