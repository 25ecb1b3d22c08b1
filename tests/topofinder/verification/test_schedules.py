"""The verifier on valid schedules, hand-made faults and the costs it works out."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from expansions.collective import Collective
from generators.arrays import jump_graph
from generators.errors import Unsupported
from generators.families.complete import complete
from generators.families.register_all import FAMILIES
from generators.topology import Topology
from tests import replay
from tests.collectives import backwards, both, collectives, one_source, scaled, shipped
from tests.schedules import breadth_first, empty, from_rows
from tests.twins import random_topology
from tests.verify_twin import judge
from topofinder.schedules.synthesis.chunk_schedules import SYNTHESISED_BASES
from topofinder.verification.schedules import verify_schedule

RING = jump_graph(3, [1])
ROWS = [(0, 0, 1), (1, 1, 1), (2, 2, 1), (2, 0, 2), (0, 1, 2), (1, 2, 2)]


def rows(listed: list, pieces: int = 1) -> list:
    """Rows of whole shards from (source, arc, step)."""
    return [(*row, 0, pieces) for row in listed]


@pytest.mark.parametrize("seed", range(12))
def test_valid_schedules_of_every_collective(seed: int) -> None:
    topology = random_topology(seed, regular=seed % 2 == 0)
    for schedule in collectives(topology, pieces=1 + seed % 4, seed=seed):
        assert replay.is_valid(topology, schedule)
        twin = judge(topology, schedule)
        assert twin.where is None
        verdict = verify_schedule(topology, schedule)
        assert verdict.valid, verdict.violation
        assert verdict.cost == schedule.cost(topology)
        assert (verdict.steps, verdict.bandwidth) == (twin.steps, twin.bandwidth)
        assert verdict.redundant == 0


@pytest.mark.parametrize("text", SYNTHESISED_BASES)
def test_synthesised_schedules_are_valid(text: str) -> None:
    base = SYNTHESISED_BASES[text]
    topology = FAMILIES[base.name].build(*base.arguments)
    verdict = verify_schedule(topology, shipped(text))
    assert verdict.valid
    assert verdict.bandwidth == Fraction(topology.n - 1, topology.n)


@pytest.mark.parametrize("by", [1, 30, 10**6, 3 * 10**17])
def test_large_denominators(by: int) -> None:
    """Bits of a grid, words of cut pieces, and sums that leave 64 bits."""
    topology = random_topology(4)
    for schedule in collectives(topology, pieces=4, seed=3):
        one = verify_schedule(topology, schedule)
        assert verify_schedule(topology, scaled(schedule, by)) == one


@pytest.mark.parametrize("by", [30, 10**6, 3 * 10**17])
def test_the_last_unit_of_a_large_denominator_is_missed(by: int) -> None:
    topology = random_topology(4)
    for schedule in collectives(topology, pieces=4, seed=3):
        fine = scaled(schedule, by)
        end = fine.end.copy()
        end[np.argmax(fine.step)] -= 1
        violation = verify_schedule(topology, replace(fine, end=end)).violation
        assert violation is not None
        assert violation.startswith(f"after step {schedule.steps}:")


def test_more_pieces_than_one_word() -> None:
    """Every shard of a ring in 200 uneven pieces, the cuts of each source its own."""
    generator = np.random.default_rng(0)
    listed = []
    for source, arc, step in ROWS:
        cuts = np.sort(5_000_000 * np.arange(1, 200) + generator.integers(5_000_000, size=199))
        ends = [0, *cuts.tolist(), 10**9]
        listed += [(source, arc, step, ends[i], ends[i + 1]) for i in range(200)]
    schedule = from_rows(listed, 10**9)
    verdict = verify_schedule(RING, schedule)
    assert verdict.valid
    assert verdict.cost == schedule.cost(RING)
    assert (verdict.bandwidth, verdict.redundant) == (Fraction(2, 3), 0)
    lost = verify_schedule(RING, from_rows(listed[:250] + listed[251:], 10**9))
    assert lost.violation is not None
    where = judge(RING, from_rows(listed[:250] + listed[251:], 10**9)).where
    assert where is not None
    assert lost.violation.startswith(where)


def test_pieces_received_again_are_legal_and_counted() -> None:
    twice = from_rows([*rows(ROWS), (2, 0, 2, 0, 1)])
    verdict = verify_schedule(RING, twice)
    assert verdict.valid
    assert (verdict.redundant, verdict.bandwidth) == (1, 1)
    back = from_rows([*rows(ROWS), (0, 2, 3, 0, 1)])  # a node's own shard comes back to it
    assert verify_schedule(RING, back).redundant == 1


def test_partial_sums_need_not_be_merged() -> None:
    """Nodes 2 and 1 on the way to 0: node 1 sends its own first, then passes 2's on."""
    path = Topology.from_arcs(3, [(2, 1), (1, 0)])
    known = {"collective": Collective.REDUCE, "root": 0}
    merged = from_rows([(0, 0, 1, 0, 1), (0, 1, 2, 0, 1)], **known)
    apart = from_rows([(0, 0, 1, 0, 1), (0, 1, 1, 0, 1), (0, 1, 2, 0, 1)], **known)
    assert verify_schedule(path, merged).redundant == 0
    assert verify_schedule(path, apart).redundant == 1
    late = from_rows([(0, 1, 1, 0, 1), (0, 0, 2, 0, 1)], **known)
    assert verify_schedule(path, late).violation == (
        "after step 2: contributions to [0, 1) of the shard of node 0 are left at node 1"
    )
    again = from_rows([(0, 1, 1, 0, 1), (0, 1, 2, 0, 1), (0, 0, 1, 0, 1)], **known)
    assert verify_schedule(path, again).valid
    double = from_rows([(0, 1, 1, 0, 1), (0, 0, 1, 0, 1), (0, 1, 1, 0, 1)], **known)
    assert verify_schedule(path, double).violation == (
        "step 1, row 2: arc 1 [1, 0] with [0, 1) of the shard of node 0: "
        "node 1 has passed that on already"
    )


FAULTS = {
    "step 1, row 3: arc 9 with [0, 1) of the shard of node 0: there is no arc 9": (0, 9, 1),
    "step 2, row 3: arc 9 with [0, 1) of the shard of node 0: there is no arc 9": (0, 9, 2),
    "step 1, row 3: arc 0 [0, 1] with [0, 1) of the shard of node 8: "
    "node 8 is no host of the topology": (8, 0, 1),
    "step 1, row 3: arc 0 [0, 1] with [0, 1) of the shard of node 2: "
    "node 0 does not hold all of that yet": (2, 0, 1),
    "after step 2: node 1 lacks [0, 1) of the shard of node 2": (0, 0, 2),
}


@pytest.mark.parametrize("violation", FAULTS)
def test_the_first_violation_is_worded(violation: str) -> None:
    listed = list(ROWS)
    listed[3] = FAULTS[violation]
    verdict = verify_schedule(RING, from_rows(rows(listed)))
    assert not verdict.valid
    assert verdict.violation == violation
    assert verdict.redundant is None


def test_a_missing_part_is_named() -> None:
    listed = rows(ROWS, pieces=4)
    listed[3] = (2, 0, 2, 1, 3)
    assert verify_schedule(RING, from_rows(listed, 4)).violation == (
        "after step 2: node 1 lacks [0, 1/4) of the shard of node 2"
    )


def test_the_lowest_step_comes_first_then_the_lowest_row() -> None:
    listed = [*rows(ROWS), (0, 9, 2, 0, 1), (1, 0, 2, 0, 1), (1, 0, 1, 0, 1), (2, 0, 1, 0, 1)]
    for first in (8, 9, 6, 7):
        violation = verify_schedule(RING, from_rows(listed)).violation
        assert violation is not None
        assert f"row {first}:" in violation
        listed[first] = (0, 0, listed[first][2], 0, 1)
    assert verify_schedule(RING, from_rows(listed)).valid


def test_self_loops_carry_nothing() -> None:
    looped = Topology.from_arcs(2, [(0, 1), (1, 0), (0, 0)])
    listed = [(0, 0, 1, 0, 1), (1, 1, 1, 0, 1), (0, 2, 1, 0, 1)]
    violation = verify_schedule(looped, from_rows(listed)).violation
    assert violation is not None
    assert violation.endswith("arc 2 [0, 0] with [0, 1) of the shard of node 0: "
                              "a self-loop carries nothing")  # fmt: skip


def test_an_allreduce_gathers_only_what_is_reduced() -> None:
    gather = from_rows(rows(ROWS))
    scatter = backwards(breadth_first(RING.transpose()))
    whole = both(scatter, gather)
    assert verify_schedule(RING, whole).redundant == 0
    early = replace(whole, turn=1)
    violation = verify_schedule(RING, early).violation
    assert violation is not None
    assert violation.startswith("after step 1: contributions to [0, 1) of the shard of node 0")


def test_switches_forward_and_hold_no_shard() -> None:
    star = Topology.from_arcs(3, [(0, 2), (2, 0), (1, 2), (2, 1)], switches=(2,))
    gather = from_rows([(0, 0, 1, 0, 1), (1, 2, 1, 0, 1), (0, 3, 2, 0, 1), (1, 1, 2, 0, 1)])
    for schedule in (gather, backwards_on_star(gather)):
        verdict = verify_schedule(star, schedule)
        assert verdict.valid, verdict.violation
        assert verdict.redundant is None
        assert verdict.cost == schedule.cost(star)
    switch = from_rows([(2, 1, 1, 0, 1)])
    assert "node 2 is no host" in str(verify_schedule(star, switch).violation)
    rooted = from_rows([], collective=Collective.BROADCAST, root=2)
    assert verify_schedule(star, rooted).violation == "root: node 2 is no host of the topology"


def backwards_on_star(gather):
    """The reversal, arcs renumbered: [u, v] and [v, u] are arcs 2k and 2k + 1."""
    turned = backwards(gather)
    return replace(turned, arc=turned.arc ^ 1)


def test_capacities_count() -> None:
    wide = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)], capacity=(2, Fraction(1, 3), 1))
    schedule = from_rows(rows(ROWS))
    assert verify_schedule(wide, schedule).bandwidth == 2 == schedule.cost(wide).bandwidth


def test_nothing_to_do() -> None:
    assert verify_schedule(Topology.from_arcs(1, []), empty()).valid
    assert verify_schedule(Topology.from_arcs(1, [(0, 0)]), empty(Collective.REDUCE_SCATTER)).valid
    assert verify_schedule(RING, empty()).violation == (
        "after step 0: node 1 lacks [0, 1) of the shard of node 0"
    )


def test_broadcast_and_reduce_ask_for_the_root_only() -> None:
    cast = one_source(from_rows(rows(ROWS)), 1)
    assert verify_schedule(RING, cast).redundant == 0
    assert verify_schedule(RING, replace(cast, source=cast.source)).bandwidth == Fraction(2, 3)
    assert verify_schedule(complete(3), cast).violation is not None


def test_too_fine_a_cut_is_refused() -> None:
    with pytest.raises(Unsupported, match="6 rows"):
        verify_schedule(
            RING, replace(one_source(from_rows(rows(ROWS) * 3), 0), root=0), most_words=2
        )
