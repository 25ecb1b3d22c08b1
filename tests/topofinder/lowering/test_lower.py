"""Lowered schedules, forests and timetables do on real numbers what their collective says."""

from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import topofinder as tf
from expansions.collective import Collective
from expansions.schedule import Schedule
from expansions.schedule_files.saved import SavedSchedule
from generators.errors import InvalidInput
from generators.topology import Topology
from topofinder.lowering.lower import lower, lower_rank, rank_programs
from topofinder.lowering.place import block_elements, place
from topofinder.model.program import RankProgram
from topofinder.model.transfers import Transfers
from topofinder.runtimes.in_process import OPERATIONS, run_in_process

RECIPES = (
    *("K(4)", "Q(3)", "BiRing(2,5)", "BiRing(4,8)", "Torus(3,4)", "L(K(3,3))", "C(12,{2,3})"),
    *("Pi(2,13)", "Pi(4,16)", "Diamond*2", "K(3)*2", "UniRing(2,5)", "K(2)^3", "Mesh(2,3)"),
)
COLLECTIVES = ("allgather", "reduce-scatter", "allreduce")
FABRICS = ("Torus(4,4)", "DGXA100(2)", "MI250(2)", "RFS(2,2,2)", "Q(3)")
ROOTED = ("broadcast", "reduce")


@cache
def transfers_of(subject: str, collective: str, method: str = "auto") -> Transfers:
    options = {"root": 1} if collective in ROOTED else {}
    if method == "timed":
        options["size"] = "1MB"
        if not subject.startswith(("DGX", "RFS")):
            options |= {"alpha": "1us", "bandwidth": "100Gbps"}
    made = tf.schedule(subject, collective=collective, method=method, **options)
    kinds = {"forest": "forest", "timed": "timetable"}
    return lower(getattr(made, kinds.get(method, "saved")))


@cache
def programs_of(transfers: Transfers) -> tuple[RankProgram, ...]:
    return tuple(rank_programs(transfers))


def vectors(transfers: Transfers, count: int, seed: int = 0) -> list[np.ndarray]:
    random = np.random.default_rng(seed)
    n = transfers.ranks
    lengths = [count] * n
    if transfers.collective is Collective.ALLTOALL:
        blocks = block_elements(transfers, count)
        lengths = [sum(blocks[r * n : (r + 1) * n]) for r in range(n)]
    return [random.integers(-5, 6, length) for length in lengths]


def expected(transfers: Transfers, data: list[np.ndarray], op: str, count: int):  # type: ignore[no-untyped-def]
    """For each rank its result and the places of it that the collective is about."""
    n, blocks = transfers.ranks, block_elements(transfers, count)
    kind = transfers.collective
    if kind is Collective.ALLTOALL:
        sent = [
            np.split(v, np.cumsum(blocks[r * n : (r + 1) * n])[:-1]) for r, v in enumerate(data)
        ]
        return [(np.concatenate([sent[o][r] for o in range(n)]), slice(None)) for r in range(n)]
    if kind is Collective.BROADCAST:
        return [(data[transfers.root], slice(None))] * n
    if kind is Collective.ALLGATHER:
        whole = np.concatenate([data[r][blocks[r] : blocks[r + 1]] for r in range(n)])
        return [(whole, slice(None))] * n
    whole = OPERATIONS[op].reduce(data)
    return [(whole, slice(None) if kind is Collective.ALLREDUCE
             else slice(blocks[r], blocks[r + 1])) for r in range(n)]  # fmt: skip


def require_right(transfers: Transfers, count: int, op: str = "sum", seed: int = 0) -> None:
    data = vectors(transfers, count, seed)
    before = [each.copy() for each in data]
    programs = programs_of(transfers)
    results = run_in_process(transfers, data, op, count=count, programs=programs)
    for result, (whole, part) in zip(results, expected(transfers, data, op, count), strict=True):
        assert np.array_equal(result[part], whole[part])
    assert all(map(np.array_equal, data, before))


def awkward_counts(n: int) -> tuple[int, ...]:
    return (0, 1, 7, n - 1, 101, 1009)


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("collective", COLLECTIVES)
def test_schedules_end_right_at_every_count(recipe: str, collective: str) -> None:
    transfers = transfers_of(recipe, collective)
    for count in awkward_counts(transfers.ranks):
        require_right(transfers, count)


@pytest.mark.parametrize("op", OPERATIONS)
def test_all_operations(op: str) -> None:
    for recipe, collective in product(("Q(3)", "Pi(2,13)"), ("reduce-scatter", "allreduce")):
        require_right(transfers_of(recipe, collective), 97, op)


@pytest.mark.parametrize("subject", FABRICS)
@pytest.mark.parametrize("collective", [*COLLECTIVES, *ROOTED])
def test_forests_end_right(subject: str, collective: str) -> None:
    transfers = transfers_of(subject, collective, "forest")
    for count in awkward_counts(transfers.ranks):
        require_right(transfers, count)


TIMED = [
    pytest.param(subject, collective, marks=[pytest.mark.slow] if (i + j) % 2 else [])
    for i, subject in enumerate(("Mesh(3,3)", "Q(3)", "Pi(2,9)", "RFS(2,2,2)", "DGX1"))
    for j, collective in enumerate((*COLLECTIVES, *ROOTED, "all-to-all"))
]
"""Each subject with every other collective, and all of them if slow ones are asked for."""


@pytest.mark.parametrize(("subject", "collective"), TIMED)
def test_timetables_end_right(subject: str, collective: str) -> None:
    transfers = transfers_of(subject, collective, "timed")
    for count in awkward_counts(transfers.ranks):
        require_right(transfers, count)


@given(st.sampled_from(RECIPES), st.sampled_from(COLLECTIVES), st.integers(0, 3000), st.data())
def test_any_count(recipe: str, collective: str, count: int, data: st.DataObject) -> None:
    op = data.draw(st.sampled_from(list(OPERATIONS)))
    transfers = transfers_of(recipe, collective)
    require_right(transfers, count, op, data.draw(st.integers(0, 2**32)))


def test_both_sides_of_a_message_have_the_same_parts() -> None:
    transfers = transfers_of("Pi(4,16)", "allreduce")
    sent, received = {}, {}
    for program in rank_programs(transfers):
        for step in program.steps:
            for way, found in ((step.sends, sent), (step.receives, received)):
                for message in way:
                    ends = (program.rank, message.peer)
                    ends = ends if way is step.sends else ends[::-1]
                    units = [g for part in message.parts for g in range(part.begin, part.end)]
                    found[step.number, *ends, message.lane] = units
    assert sent == received


def test_one_rank_is_lowered_as_all_are() -> None:
    transfers = transfers_of("Torus(3,4)", "allreduce")
    programs = list(rank_programs(transfers))
    assert [lower_rank(transfers, rank) for rank in range(12)] == programs


def test_a_piece_that_comes_back_is_not_added_twice() -> None:
    """A node that handed its sum over and gets it again has nothing of its own left to add."""
    pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    there_and_back = Schedule(
        source=[1, 1, 1, 0], arc=[0, 1, 0, 1], step=[1, 2, 3, 3], begin=[0] * 4, end=[1] * 4,
        collective=Collective.REDUCE_SCATTER,
    )  # fmt: skip
    transfers = lower(SavedSchedule(topology=pair, schedule=there_and_back))
    require_right(transfers, 10)


def test_what_is_not_held_is_not_sent() -> None:
    chain = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    early = Schedule(source=[0], arc=[1], step=[1], begin=[0], end=[1])
    with pytest.raises(InvalidInput, match="step 1: rank 1 sends unit 0, which it has not"):
        list(rank_programs(lower(SavedSchedule(topology=chain, schedule=early))))


def test_rows_through_switches_are_messages_of_hosts() -> None:
    star = Topology.from_arcs(3, [(0, 2), (2, 0), (1, 2), (2, 1)], switches=(2,))
    rows = Schedule(source=[0, 0], arc=[0, 3], step=[1, 2], begin=[0, 0], end=[1, 1])
    found = lower(SavedSchedule(topology=star, schedule=rows))
    assert (found.sender.tolist(), found.receiver.tolist()) == ([0], [1])
    assert (found.step.tolist(), found.nodes.tolist()) == ([2], [0, 1])


def test_two_way_graphs_are_told() -> None:
    assert transfers_of("Q(3)", "allgather").two_way
    assert not transfers_of("Pi(2,13)", "allgather").two_way


def test_a_count_that_is_none_is_refused() -> None:
    transfers = transfers_of("K(4)", "allgather")
    with pytest.raises(InvalidInput, match="count"):
        place(transfers, lower_rank(transfers, 0), -1)


def test_vectors_of_wrong_lengths_are_refused() -> None:
    transfers = transfers_of("K(4)", "allgather")
    with pytest.raises(InvalidInput, match="vectors"):
        run_in_process(transfers, [np.zeros(3)] * 3 + [np.zeros(4)])
    with pytest.raises(InvalidInput, match="op"):
        run_in_process(transfers, [np.zeros(3)] * 4, "mean")
