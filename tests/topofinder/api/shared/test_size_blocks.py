"""Blocks of sizes: what a worker brings is whole, whatever it did before."""

import threading
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from db.store import Store
from topofinder.api.shared import size_blocks
from topofinder.api.shared.size_blocks import (
    BlockTask,
    OtherRegisters,
    cut_blocks,
    list_registers,
    search_block,
)
from topofinder.finder.enumeration import Pools
from topofinder.model.candidate import LinkMode

SIZES = [(n, d) for n in range(2, 41) for d in (2, 4)]
BLOCKS = list(cut_blocks(SIZES, 20_000))


def block_task(number: int, links: LinkMode = LinkMode.SIMPLEX, path: str = "") -> BlockTask:
    """A block of a sweep, for a worker that has no database unless it is named."""
    return BlockTask(
        sweep="a",
        links=links,
        path=path,
        registers=list_registers(),
        number=number,
        sizes=BLOCKS[number],
    )


def brought(*tasks: BlockTask) -> list[dict[tuple[int, int, str], object]]:
    """What one new worker brings for each task, by size."""
    found = list[dict[tuple[int, int, str], object]]()

    def work() -> None:
        for task in tasks:
            rows = [(row.frontier, row) for row in search_block(task).rows]
            found.append({(size.n, size.d, size.links): row for size, row in rows})

    worker = threading.Thread(target=work)
    worker.start()
    worker.join()
    assert len(found) == len(tasks)
    return found


def test_blocks_are_cut_between_numbers_of_nodes() -> None:
    assert [size for block in BLOCKS for size in block] == SIZES
    assert len(BLOCKS) > 3
    for block, following in pairwise(BLOCKS):
        assert block[-1][0] < following[0][0]


@pytest.mark.parametrize("links", LinkMode)
def test_a_block_brings_its_sizes_and_all_that_these_draw_on(links: LinkMode) -> None:
    pools = Pools()
    for n, d in BLOCKS[2]:
        pools.pool(n, d, links)
    drawn = {(n, d, mode.value) for n, d, mode in pools.fresh}
    possible = {key for key in drawn if size_blocks.can_connect(*key[:2], LinkMode(key[2]))}
    assert set(brought(block_task(2, links))[0]) == possible


def test_a_worker_brings_a_size_once_and_others_bring_the_same() -> None:
    first, second = brought(block_task(0), block_task(2))
    (alone,) = brought(block_task(2))
    assert first
    assert not first.keys() & second.keys()
    assert alone == {key: row for key, row in (first | second).items() if key in alone}
    assert second.keys() < alone.keys()


def test_a_worker_that_gets_a_lost_block_again_brings_all_of_it() -> None:
    once, _, again = brought(block_task(1), block_task(2), block_task(1))
    assert again == once


def test_another_sweep_starts_anew() -> None:
    once, other = brought(block_task(1), replace(block_task(2), sweep="b"))
    assert other == brought(block_task(2))[0]
    assert once


def test_what_is_stored_is_read_and_not_brought(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    (below,) = brought(block_task(0))
    with Store(path) as store:
        store.save_sizes(below.values())  # type: ignore[arg-type]
    (found,) = brought(block_task(2, path=str(path)))
    (alone,) = brought(block_task(2))
    assert below.keys() & alone.keys()
    assert found == {key: row for key, row in alone.items() if key not in below}


def test_a_file_that_is_no_database_is_done_without(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_text("nothing of the kind " * 99, encoding="utf-8")
    assert brought(block_task(1, path=str(path))) == brought(block_task(1))


def test_a_worker_with_other_families_refuses() -> None:
    with pytest.raises(OtherRegisters):
        search_block(replace(block_task(0), registers=("9", "Pi")))
