"""Every sum of numbers from files, where it just fits its word and where it just does not.

Each case stands beside sums of Python's integers, and is met from both sides of the limit.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from expansions.automorphisms import automorphisms_of
from expansions.compact_schedule import CompactSchedule
from expansions.loads import sum_loads
from expansions.schedule import Schedule
from generators.arrays import jump_graph
from generators.topology import Topology
from tests.certificates import tree_certificate
from tests.schedules import from_rows, slow_loads
from tests.verify_twin import judge
from topofinder.model.certificate import Certificate, DemandBounds
from topofinder.simulation.alpha_beta import compact_step_ends, simulate
from topofinder.verification.certificate_flows import _net_intake
from topofinder.verification.certificates import _exact_product, check_certificate
from topofinder.verification.compact_schedules import verify_compact_schedule
from topofinder.verification.schedules import verify_schedule

PAIR = Topology.from_arcs(2, [(0, 1), (1, 0)])
FABRIC = {"alpha": Fraction(1, 3), "size": Fraction(7), "node_bandwidth": Fraction(5)}
WORD = 1 << 63


def around(limit: int) -> list[int]:
    """The numbers beside a limit, as far as a schedule's denominator may go."""
    return [value for value in (limit - 1, limit, limit + 1) if 1 <= value < WORD]


def repeated(times: int, whole: int) -> Schedule:
    """Each of two nodes sends all of its shard `times` times at one step."""
    return from_rows([(v, v, 1, 0, whole) for v in (0, 1)] * times, whole)


@pytest.mark.parametrize("times", [1, 2, 3, 4, 5, 7, 8])
@pytest.mark.parametrize("bits", [53, 62, 63, 64])
def test_messages_loads_and_times(times: int, bits: int) -> None:
    """Rows of one arc and step: words of 63 bits, doubles of 53, and ticks of 63."""
    for whole in around((1 << bits) // times) + around((1 << bits) // (2 * times)):
        schedule = repeated(times, whole)
        verdict, twin = verify_schedule(PAIR, schedule), judge(PAIR, schedule)
        assert verdict.valid
        assert verdict.bandwidth == twin.bandwidth == Fraction(times, 2)
        assert verdict.redundant == twin.sent - 2 == 2 * times - 2
        assert schedule.loads(PAIR) == slow_loads(PAIR, schedule) == (times,)
        found = simulate(PAIR, schedule, **FABRIC)
        assert found.stepped == schedule.cost(PAIR).runtime(**FABRIC) == found.unsynchronised


@pytest.mark.parametrize("rows", [1, 2, 3, 1023, 1024, 1025])
def test_totals_in_doubles(rows: int) -> None:
    for length in {value for bits in (53, 62, 63) for value in around((1 << bits) // rows)}:
        one = np.zeros(rows, dtype=np.int32)
        found = sum_loads(one + 1, one, np.full(rows, length), 1)
        assert found.total.tolist() == [rows * length]


@pytest.mark.parametrize("n", [2, 3, 5, 8])
@pytest.mark.parametrize("unequal", [False, True])
def test_compact_schedules(n: int, unequal: bool) -> None:
    """What all nodes put on an arc: the rows of one node fit, those of all need not."""
    ring = jump_graph(n, [1])
    words = automorphisms_of(ring)
    if unequal:
        capacity = [Fraction(1 + arc % 2) for arc in range(n)]
        ring = replace(ring, capacity=capacity, translation=None)
    for whole in {v for bits in (53, 62, 63, 64) for times in (1, n) for v in
                  around((1 << bits) // times)}:  # fmt: skip
        rows = [(0, arc, 1, 0, whole) for arc in range(n)] * 2
        short = CompactSchedule(from_rows(rows, whole), words)
        loads = slow_loads(ring, short.expand(ring))
        assert short.loads(ring) == loads == (2 * n,)
        assert verify_compact_schedule(ring, short).bandwidth == 2
        ends = compact_step_ends(ring, short, **FABRIC)
        assert ends == (Fraction(1, 3) + 2 * n * Fraction(7, n) / 5,)


BOX = jump_graph(5, [1, 2])
TREES = tree_certificate(Topology(n=5, tail=BOX.tail, head=BOX.head))
LIFTED = tree_certificate(BOX, lift=True)
FEW = 1 - np.eye(5, dtype=np.int64)


def in_units(saved: Certificate, scale: int) -> Certificate:
    """The same certificate in units so small that its numbers become `scale` times as large."""
    demand = DemandBounds(low=FEW * scale, high=FEW * scale, unit=Fraction(1, scale))
    known = {} if saved.lifted is not None else {"demand": demand}
    return replace(saved, rows=saved.rows * scale, quantum=Fraction(1, scale), **known)


@pytest.mark.parametrize("saved", [TREES, LIFTED], ids=["whole", "lifted"])
@pytest.mark.parametrize("limit", [1 << 40, 1 << 49, 1 << 50])
def test_flows_of_certificates(saved: Certificate, limit: int) -> None:
    """Entries up to 2^52: five rows of them stay in a word, a thousand more do not."""
    for scale in (limit - 1, limit, limit + 1):
        fine = in_units(saved, scale)
        proved = check_certificate(fine)
        assert (proved.lower, proved.upper) == (saved.lower, saved.upper)
        assert proved.violation is None
        lost = fine.rows.copy()
        lost[0, np.flatnonzero(lost[0])[0]] -= 1
        assert check_certificate(replace(fine, rows=lost)).violation is not None


def many(count: int) -> Certificate:
    """`count` parallel arcs each way between two nodes; all carry the most that a file may say."""
    most = 1 << 52
    arcs = [(0, 1)] * count + [(1, 0)] * count
    there = np.repeat(np.array([1, 0]), count) * most
    asked = np.array([[0, most], [most, 0]])
    return Certificate(
        topology=Topology.from_arcs(2, arcs),
        lower=Fraction(1),
        upper=Fraction(count),
        lengths=np.ones(2 * count, dtype=np.int64),
        sources=np.array([0, 1]),
        rows=np.stack([there, there[::-1]]),
        quantum=Fraction(1, most),
        demand=DemandBounds(low=asked, high=asked, unit=Fraction(1, most)),
    )


@pytest.mark.parametrize("count", [511, 512, 513, 1023, 1024, 2048, 2049, 4096])
def test_what_a_node_keeps_can_leave_a_word(count: int) -> None:
    """2^52 over 2^11 arcs make 2^63: a node would seem to have sent what it received."""
    saved = many(count)
    net = _net_intake(saved.topology, saved.rows[0])
    assert net.tolist() == [-(count << 52), count << 52]
    proved = check_certificate(saved)
    assert (proved.violation, proved.lower, proved.upper) == (None, 1, count)
    greedy = replace(saved, lower=Fraction(2), upper=Fraction(2 * count))
    assert check_certificate(greedy).violation == "lower: the flow proves 1, not 2"


@pytest.mark.parametrize(
    "copies", [1 << 10, (1 << 10) + 1, pytest.param((1 << 11) + 1, marks=pytest.mark.slow)]
)
def test_the_load_of_many_sources(copies: int) -> None:
    """Every source's flow over one arc: 2^10 of 2^52 leave the words that are taken for sure."""
    ring = jump_graph(copies, [1])
    ring = Topology(n=copies, tail=ring.tail, head=ring.head)
    most = 1 << 52
    asked = np.zeros((copies, copies), dtype=np.int64)
    asked[:, 0] = most
    rows = most * np.triu(np.ones((copies, copies), dtype=np.int64))[1:]
    saved = Certificate(
        topology=ring,
        lower=Fraction(1, copies - 1),
        upper=Fraction(1),
        lengths=np.append(np.zeros(copies - 1, dtype=np.int64), 1),
        sources=np.arange(1, copies),
        rows=rows,
        quantum=Fraction(1, most),
        demand=DemandBounds(low=asked, high=asked, unit=Fraction(1, most)),
    )
    proved = check_certificate(saved)
    assert (proved.violation, proved.lower) == (None, Fraction(1, copies - 1))
    greedy = replace(saved, lower=Fraction(1))
    assert check_certificate(greedy).violation.startswith("lower: the flow proves 1/")


@pytest.mark.parametrize("bits", [4, 5, 9, 10, 11, 12])
def test_products_of_demand_and_distance(bits: int) -> None:
    for amount in ((1 << 52) - 1, 1 << 52):
        for distance in ((1 << bits) - 1, 1 << bits, (1 << 52) + 1):
            count = 64
            found = _exact_product(np.full(count, amount), np.full(count, distance))
            assert found == amount * distance * count
