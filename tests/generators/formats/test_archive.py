"""Archives are written in pieces: what numpy reads again, in little memory, the same every time."""

import io
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from generators.errors import InvalidInput
from generators.formats.archive import archive_content, read_archive, write_archive

PIECE = 1 << 20


@pytest.mark.parametrize("length", [0, 1, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE + 7])
@pytest.mark.parametrize(
    ("largest", "kind"), [(255, "u1"), (256, "<u2"), (1 << 16, "<u4"), (1 << 32, "<i8")]
)
def test_the_largest_of_all_pieces_gives_the_type(length: int, largest: int, kind: str) -> None:
    array = np.arange(length, dtype=np.int64) % 200
    array[length // 2 : length // 2 + 1] = largest
    content = archive_content({"n": length}, {"x": array})
    with np.load(io.BytesIO(content)) as members:
        assert np.array_equal(members["x"], array)
        assert members["x"].dtype == np.dtype(kind if length else "u1")
    assert np.array_equal(read_archive(content, lambda header: {"x": header["n"]})[1]["x"], array)


def test_arrays_on_disk_are_written_piece_by_piece(tmp_path: Path) -> None:
    """64 MB of a mapped file pass through a few pieces of memory, to the same bytes."""
    rows = np.memmap(tmp_path / "rows", dtype=np.int64, mode="w+", shape=(8 * PIECE,))
    rows[:] = np.arange(8 * PIECE) % 1000
    with (tmp_path / "a.npz").open("wb") as file:
        tracemalloc.start()
        write_archive(file, {"n": 1}, {"x": rows})
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 16 * PIECE
    assert (tmp_path / "a.npz").read_bytes() == archive_content({"n": 1}, {"x": np.asarray(rows)})


def test_a_header_that_no_reader_takes_is_not_written() -> None:
    with pytest.raises(InvalidInput, match="names: too long for a header of"):
        write_archive(io.BytesIO(), {"names": "x" * (17 << 20)}, {})
