"""Blocks of sizes: what a worker brings is whole, whatever it did before."""

import gc
import threading
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from db.store import Store
from expansions.recipe import Base
from topofinder.api.shared import size_blocks
from topofinder.api.shared.size_blocks import (
    BlockTask,
    OtherRegisters,
    cut_blocks,
    list_registers,
    search_block,
)
from topofinder.finder.base_scope import EVERYTHING
from topofinder.finder.enumeration import Pools
from topofinder.finder.parallel import ListedSize, needed_bases
from topofinder.model.candidate import LinkMode

SIZES = [(n, d) for n in range(2, 41) for d in (2, 4)]
BLOCKS = list(cut_blocks(SIZES, LinkMode.SIMPLEX, 20_000))


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
    assert sorted(size for block in BLOCKS for size in block) == SIZES
    assert len(BLOCKS) > 3
    for block, following in combinations(BLOCKS, 2):
        assert not {n for n, _ in block} & {n for n, _ in following}


def test_sizes_stand_with_those_that_they_draw_on() -> None:
    nodes = list(
        dict.fromkeys(
            n
            for block in cut_blocks([(n, 2) for n in range(2, 31)], LinkMode.SIMPLEX)
            for n, _ in block
        )
    )
    places = {n: place for place, n in enumerate(nodes)}
    assert nodes[:9] == [2, 4, 8, 16, 3, 6, 12, 24, 9]
    assert all(places[2 * n] == places[n] + 1 for n in range(2, 16))


def test_a_size_with_a_free_port_stands_with_the_next_n() -> None:
    sizes = [(n, d) for n in range(2, 12) for d in (3, 4)]
    (block,) = cut_blocks(sizes, LinkMode.DUPLEX)
    assert block[block.index((7, 3)) + 1] == (8, 3)
    assert block[block.index((7, 4)) + 1] == (11, 4)


def test_workers_that_share_blocks_make_hardly_a_size_twice() -> None:
    blocks = list(
        cut_blocks([(n, d) for n in range(2, 81) for d in (2, 4)], LinkMode.SIMPLEX, 30_000)
    )
    tasks = [replace(block_task(0), number=at, sizes=block) for at, block in enumerate(blocks)]
    found = [rows for worker in (0, 1) for rows in brought(*tasks[worker::2])]
    made = sum(map(len, found))
    assert made <= 1.08 * len({key for rows in found for key in rows})


def test_pools_of_a_worker_process_are_not_gone_through_for_cycles() -> None:
    before = gc.get_freeze_count()
    brought(block_task(0))
    assert gc.get_freeze_count() == before
    brought(replace(block_task(0), driver=0))
    try:
        assert gc.get_freeze_count() > before
    finally:
        gc.unfreeze()


def test_base_graphs_are_listed_once_for_a_worker() -> None:
    listed = set[ListedSize]()
    once = list(needed_bases(SIZES, LinkMode.SIMPLEX, listed=listed))
    assert once == list(needed_bases(SIZES, LinkMode.SIMPLEX))
    assert list(needed_bases(SIZES, LinkMode.SIMPLEX, listed=listed)) == []
    asked = list[tuple[int, int]]()

    def members(n: int, d: int, links: LinkMode) -> tuple[Base, ...]:
        asked.append((n, d))
        return EVERYTHING.members(n, d, links)

    list(needed_bases([*SIZES, (82, 2)], LinkMode.SIMPLEX, members, listed))
    assert set(asked) == {(82, 1), (82, 2), *((41, d) for d in range(1, 5))}


@pytest.mark.parametrize("links", LinkMode)
def test_a_block_brings_its_sizes_and_all_that_these_draw_on(links: LinkMode) -> None:
    pools = Pools()
    for n, d in BLOCKS[1]:
        pools.pool(n, d, links)
    drawn = {(n, d, mode.value) for n, d, mode in pools.fresh}
    possible = {key for key in drawn if size_blocks.can_connect(*key[:2], LinkMode(key[2]))}
    assert set(brought(block_task(1, links))[0]) == possible


def test_a_worker_brings_a_size_once_and_others_bring_the_same() -> None:
    first, second = brought(block_task(0), block_task(1))
    (alone,) = brought(block_task(1))
    assert first
    assert not first.keys() & second.keys()
    assert alone == {key: row for key, row in (first | second).items() if key in alone}
    assert second.keys() < alone.keys()


def test_a_worker_that_gets_a_lost_block_again_brings_all_of_it() -> None:
    once, _, again = brought(block_task(0), block_task(1), block_task(0))
    assert again == once


def test_another_sweep_starts_anew() -> None:
    once, other = brought(block_task(0), replace(block_task(1), sweep="b"))
    assert other == brought(block_task(1))[0]
    assert once


def test_what_is_stored_is_read_and_not_brought(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    (below,) = brought(block_task(0))
    with Store(path) as store:
        store.save_or_keep(below.values())  # type: ignore[arg-type]
    (found,) = brought(block_task(1, path=str(path)))
    (alone,) = brought(block_task(1))
    assert below.keys() & alone.keys()
    assert found == {key: row for key, row in alone.items() if key not in below}


def test_a_file_that_is_no_database_is_done_without(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    path.write_text("nothing of the kind " * 99, encoding="utf-8")
    assert brought(block_task(0, path=str(path))) == brought(block_task(0))


def test_a_worker_with_other_families_refuses() -> None:
    with pytest.raises(OtherRegisters):
        search_block(replace(block_task(0), registers=("9", "Pi")))
