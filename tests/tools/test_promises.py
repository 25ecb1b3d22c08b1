"""What releases promise: nothing that is listed is gone, and every kept file is read."""

import json
import shutil
from pathlib import Path

import pytest

import topofinder as tf
from tools.promises import FILES, LIST, promises

KEPT = json.loads(LIST.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def now(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, list[str]]]:
    with pytest.MonkeyPatch.context() as patched:
        patched.delenv("TOPOFINDER_DB", raising=False)
        return promises(tmp_path_factory.mktemp("promises"))


def is_within(some: list[str], more: list[str]) -> bool:
    """Whether all of some stand among more, in their order."""
    rest = iter(more)
    return all(one in rest for one in some)


@pytest.mark.parametrize("kind", KEPT)
def test_nothing_that_is_promised_is_gone(kind: str, now: dict[str, dict[str, list[str]]]) -> None:
    assert set(KEPT[kind]) <= set(now[kind])
    for name, parts in KEPT[kind].items():
        in_order = is_within(parts, now[kind][name]) if kind == "python" else True
        assert in_order, name
        assert set(parts) <= set(now[kind][name]), name


def test_what_is_gone_or_moved_would_be_seen() -> None:
    assert is_within(["a", "c"], ["a", "b", "c"])
    assert not is_within(["a", "c"], ["c", "a"])
    assert not is_within(["a", "d"], ["a", "b", "c"])


@pytest.mark.parametrize("name", ["schedule.npz", "forest.npz", "timetable.npz"])
def test_kept_collectives_verify(name: str) -> None:
    assert tf.verify(FILES / name).valid
    assert tf.load(FILES / name).topology.n == 8


def test_kept_topologies_are_one_graph() -> None:
    files = [FILES / f"topology.{kind}" for kind in ("edges", "graphml", "json")]
    graphs = [*map(tf.load, files), tf.build("Diamond").topology]
    arcs = [sorted(zip(one.tail.tolist(), one.head.tolist(), strict=True)) for one in graphs]
    assert arcs == [arcs[0]] * 4


def test_a_kept_certificate_verifies() -> None:
    assert tf.verify(FILES / "certificate.json").valid


def test_a_kept_plan_leads_to_its_wiring() -> None:
    inventory, current = FILES / "inventory.json", FILES / "wired.csv"
    for file in (FILES / "plan.csv", FILES / "plan.json"):
        assert tf.replay(file, inventory=inventory, current=current).valid


def test_a_kept_database_is_read_and_added_to(tmp_path: Path) -> None:
    mine = tmp_path / "kept.db"
    shutil.copy(FILES / "topofinder.db", mine)
    found = {(row.row.recipe, row.row.steps) for row in tf.query(mine, n=8)}
    assert ("Diamond", 2) in found or ("Diamond", 3) in found
    assert tf.search(8, 2, db=mine).members
    assert tf.merge(FILES / "topofinder.db", tmp_path / "new.db").agrees
