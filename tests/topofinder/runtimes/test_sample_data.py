"""Data that verify executors: right results pass, and whatever is not right is counted."""

from itertools import product

import numpy as np
import pytest

from expansions.collective import Collective
from generators.errors import InvalidInput
from topofinder.model.transfers import Transfers
from topofinder.runtimes.in_process import OPERATIONS
from topofinder.runtimes.sample_data import PIECE, TYPES, SampleData, find_type

ROOTED = (Collective.BROADCAST, Collective.REDUCE)
KINDS = tuple(Collective)


def without_rows(kind: Collective, ranks: int = 3) -> Transfers:
    first = np.arange(ranks * ranks + 1 if kind is Collective.ALLTOALL else ranks + 1)
    if kind in ROOTED:
        first = np.array([0, 0, *[1] * (ranks - 1)])
    none: list[int] = []
    return Transfers(
        collective=kind, step=none, sender=none, receiver=none, lane=none, begin=none, end=none,
        reducing=none, first=first, nodes=np.arange(ranks), root=1 if kind in ROOTED else None,
    )  # fmt: skip


def results(data: SampleData) -> list[np.ndarray]:
    """What each rank ends with, by numpy alone."""
    kind, ranks = data.transfers.collective, range(data.transfers.ranks)
    vectors = [data.vector(rank) for rank in ranks]
    if kind is Collective.ALLTOALL:
        sent = [np.split(vector, len(ranks)) for vector in vectors]
        return [np.concatenate([sent[origin][rank] for origin in ranks]) for rank in ranks]
    if kind is Collective.BROADCAST:
        return [vectors[1]] * len(ranks)
    if kind is Collective.ALLGATHER:
        ends = [rank * data.count // len(ranks) for rank in range(len(ranks) + 1)]
        own = [vectors[rank][ends[rank] : ends[rank + 1]] for rank in ranks]
        return [np.concatenate(own)] * len(ranks)
    return [OPERATIONS[data.op].reduce(vectors, dtype=data.table.dtype)] * len(ranks)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", TYPES)
def test_right_results_have_nothing_wrong(kind: Collective, dtype: str) -> None:
    for op, count in product(OPERATIONS, (0, 1, 2, 100)):
        data = SampleData(transfers=without_rows(kind), count=count, dtype=dtype, op=op)
        wrong = [data.count_wrong(one, rank) for rank, one in enumerate(results(data))]
        assert wrong == [0, 0, 0]


@pytest.mark.parametrize("kind", KINDS)
def test_each_wrong_element_is_counted(kind: Collective) -> None:
    data = SampleData(transfers=without_rows(kind), count=1000, dtype="int32")
    for rank, result in enumerate(results(data)):
        begin, end = data.kept_part(rank)
        found = result.copy()
        found[begin : begin + min(7, end - begin)] += 1
        assert data.count_wrong(found, rank) == min(7, end - begin)


def test_what_nobody_sent_or_somebody_sent_twice_is_wrong_nearly_everywhere() -> None:
    data = SampleData(transfers=without_rows(Collective.ALLREDUCE), count=1000)
    own, whole = data.vector(0), results(data)[0]
    for other in (whole - own, whole + own, np.roll(whole, 1), own):
        assert data.count_wrong(other, 0) > 900


def test_long_data_are_made_piece_by_piece() -> None:
    data = SampleData(transfers=without_rows(Collective.ALLGATHER), count=3 * PIECE + 5)
    assert [data.count_wrong(one, 0) for one in results(data)[:1]] == [0]


def test_sums_of_many_ranks_stay_exact_in_short_floats() -> None:
    data = SampleData(
        transfers=without_rows(Collective.ALLREDUCE, 5000), count=509, dtype="float16"
    )
    assert np.array_equal(
        data.expected_result(0),
        np.sum([data.vector(rank).astype(int) for rank in range(5000)], axis=0),
    )
    assert np.abs(data.table).astype(int).sum(axis=0).max() <= 2048


def test_names_that_are_none_are_refused() -> None:
    with pytest.raises(InvalidInput, match="dtype: 'complex64' is none of int8"):
        find_type("complex64")
    with pytest.raises(InvalidInput, match="op: 'mean'"):
        SampleData(transfers=without_rows(Collective.REDUCE), count=1, op="mean")
