import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from db.store import Store
from generators.errors import InvalidInput
from tests.privileges import open_folder, ordinary_user


def test_what_is_saved_is_read_back() -> None:
    with Store(":memory:") as store:
        store.save_reversal("a" * 64, "K(3)", [2, 0, 1])
        store.save_reversal("b" * 64, None, [0])
        store.save_reversal("a" * 64, "K(3)", [0, 2, 1])
        assert store.reversal("a" * 64) == [0, 2, 1]
        assert store.reversal("b" * 64) == [0]
        assert store.reversal("c" * 64) is None


def test_nothing_is_written_to_a_file_that_can_only_be_read() -> None:
    with open_folder() as folder:
        path = folder / "a.db"
        with Store(path):
            pass
        path.chmod(0o444)
        with ordinary_user(), Store(path) as store:
            assert store.read_only
            with pytest.raises(InvalidInput, match="cannot be written"):
                store.save_reversal("a" * 64, None, [0])


def test_a_damaged_image_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with Store(path) as store:
        store.save_reversal("a" * 64, None, [1, 0])
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("PRAGMA ignore_check_constraints = 1")
        other.execute("UPDATE reversals SET image = x'00'")
    with Store(path) as store, pytest.raises(InvalidInput, match=f"image of {'a' * 64} is damaged"):
        store.reversal("a" * 64)
