"""The check of certificates: true ones pass, and every single change that matters is found."""

import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

from expansions.build import build
from expansions.parser import parse
from generators.topology import Topology
from tests.certificates import demand_of, tree_certificate
from topofinder.model.certificate import Certificate, DemandBounds, FlowSymmetry
from topofinder.verification.certificates import check_certificate

RECIPES = [
    "K(4)",
    "L(K(4,4))",
    "Kautz(2,2)",
    "C(16,{3,4})",
    "UniRing(1,4)^2",
    "Pi(4,24)",
    "Diamond",
]
STAR = Topology.from_arcs(4, [(0, 1), (1, 0), (2, 1), (1, 2), (3, 1), (1, 3)], switches=(1,))


def throughput(topology: Topology, asked: np.ndarray) -> float:
    """LP (3) in full, by HiGHS."""
    n, arcs = topology.n, topology.arcs
    capacity = [float(c) for c in topology.capacity or (Fraction(1),) * arcs]
    incidence = np.zeros((n, arcs))
    np.add.at(incidence, (topology.head, np.arange(arcs)), 1)
    np.subtract.at(incidence, (topology.tail, np.arange(arcs)), 1)
    rows, bounds = [np.hstack([np.tile(np.eye(arcs), n), np.zeros((arcs, 1))])], [capacity]
    for s in range(n):
        row = np.zeros((n - 1, n * arcs + 1))
        others = np.arange(n) != s
        row[:, s * arcs : (s + 1) * arcs] = -incidence[others]
        row[:, -1] = asked[s, others]
        rows.append(row)
        bounds.append([0.0] * (n - 1))
    cost = np.zeros(n * arcs + 1)
    cost[-1] = -1
    return -linprog(cost, np.vstack(rows), np.concatenate(bounds)).fun


TRANSLATED = [recipe for recipe in RECIPES if build(parse(recipe)).translation is not None]


@pytest.mark.parametrize(
    ("recipe", "lift"),
    [(recipe, False) for recipe in RECIPES] + [(recipe, True) for recipe in TRANSLATED],
)
def test_true_certificates_hold(recipe: str, lift: bool) -> None:
    topology = build(parse(recipe))
    saved = tree_certificate(topology, lift=lift)
    proved = check_certificate(saved)
    assert proved.violation is None
    assert (proved.lower, proved.upper) == (saved.lower, saved.upper)


@pytest.mark.parametrize("seed", range(12))
def test_the_lp_lies_within_what_is_proved(seed: int) -> None:
    draw = np.random.default_rng(seed)
    n = int(draw.integers(3, 9))
    ring = np.arange(n)
    extra = draw.integers(0, n, (2 * n, 2))
    arcs = np.concatenate([np.stack([ring, np.roll(ring, -1)], axis=1), extra])
    capacity = [Fraction(int(c), 3) for c in draw.integers(1, 9, len(arcs))]
    topology = Topology.from_arcs(n, arcs, capacity=capacity)
    amounts = draw.integers(0, 5, (n, n))
    np.fill_diagonal(amounts, 0)
    amounts[0, 1] = 1
    demand = DemandBounds(low=amounts, high=amounts, unit=Fraction(1, 2))
    proved = check_certificate(tree_certificate(topology, demand))
    assert proved.violation is None
    value = throughput(topology, amounts / 2)
    assert float(proved.lower) <= value * (1 + 1e-9)
    assert value <= float(proved.upper) * (1 + 1e-9)


def test_switches_forward_and_ask_for_nothing() -> None:
    proved = check_certificate(tree_certificate(STAR))
    assert (proved.lower, proved.upper) == (Fraction(1, 2), Fraction(1, 2))
    assert throughput(STAR, demand_of(STAR, None)) == pytest.approx(0.5)


def test_enclosed_demand_is_rounded_against_itself() -> None:
    """The flow must deliver the larger amounts, the lengths may count the smaller ones only."""
    ring = build(parse("UniRing(1,3)"))
    low = np.array([[0, 2, 0], [0, 0, 2], [2, 0, 0]])
    saved = tree_certificate(ring, DemandBounds(low=low, high=low + low // 2, unit=Fraction(1, 2)))
    proved = check_certificate(saved)
    assert (proved.lower, proved.upper) == (Fraction(2, 3), Fraction(1))
    cheated = tree_certificate(ring, DemandBounds(low=low, high=low, unit=Fraction(1, 2)))
    wanting = replace(cheated, demand=saved.demand)
    assert "keeps 1, and asks for 3/2" in str(check_certificate(wanting).violation)


WHOLE = tree_certificate(build(parse("C(8,{1,2})")))
LIFTED = tree_certificate(build(parse("BiRing(2,4) x UniRing(1,2)")), lift=True)


@pytest.mark.parametrize("arc", range(0, 32, 5))
@pytest.mark.parametrize("source", [0, 3, 7])
def test_every_lost_unit_is_found(arc: int, source: int) -> None:
    rows = WHOLE.rows.copy()
    if not rows[source, arc]:
        return
    rows[source, arc] -= 1
    found = check_certificate(replace(WHOLE, rows=rows)).violation
    head = int(WHOLE.topology.head[arc])
    assert found is not None
    assert found.startswith(f"flow of node {source}: node {head} keeps ")


@pytest.mark.parametrize("arc", range(0, 32, 5))
def test_flow_out_of_nothing_is_found(arc: int) -> None:
    """A unit too many over an arc is missing at its tail, unless that is the source."""
    rows = WHOLE.rows.copy()
    rows[2, arc] += 1
    found = check_certificate(replace(WHOLE, rows=rows)).violation
    tail = int(WHOLE.topology.tail[arc])
    if tail == 2:
        assert found is None or found.startswith("lower: the flow proves ")
    else:
        assert found == f"flow of node 2: node {tail} keeps 0, and asks for 1"


def test_a_loop_of_flow_costs_capacity() -> None:
    rows = WHOLE.rows.copy()
    tail, head = WHOLE.topology.tail.tolist(), WHOLE.topology.head.tolist()
    there = next(e for e in range(32) if (tail[e], head[e]) == (4, 5))
    back = next(e for e in range(32) if (tail[e], head[e]) == (5, 4))
    rows[2, [there, back]] += 1000
    found = check_certificate(replace(WHOLE, rows=rows))
    assert found.violation == f"lower: the flow proves {found.lower}, not {WHOLE.lower}"
    assert found.lower < WHOLE.lower


@pytest.mark.parametrize("arc", range(32))
def test_lengths_that_prove_less_are_found(arc: int) -> None:
    lengths = WHOLE.lengths.copy()
    lengths[arc] += 7
    found = check_certificate(replace(WHOLE, lengths=lengths))
    assert found.violation == f"upper: the lengths prove {found.upper}, not {WHOLE.upper}"
    assert found.upper > WHOLE.upper


def test_claims_that_are_too_good() -> None:
    tight = replace(WHOLE, lower=WHOLE.lower * Fraction(1001, 1000))
    proof = f"lower: the flow proves {WHOLE.lower}, not {tight.lower}"
    assert check_certificate(tight).violation == proof
    tight = replace(WHOLE, upper=WHOLE.upper * Fraction(999, 1000))
    proof = f"upper: the lengths prove {WHOLE.upper}, not {tight.upper}"
    assert check_certificate(tight).violation == proof
    modest = replace(WHOLE, lower=WHOLE.lower / 2, upper=WHOLE.upper * 2)
    assert check_certificate(modest).violation is None


def changed(name: str, place: object, value: object, saved: Certificate = LIFTED) -> str | None:
    assert saved.lifted is not None
    parts = {part: getattr(saved.lifted, part).copy() for part in FlowSymmetry.__slots__}
    parts[name][place] = value
    return check_certificate(replace(saved, lifted=FlowSymmetry(**parts))).violation


@pytest.mark.parametrize(
    ("name", "place", "value", "line"),
    [
        (
            "motions",
            (0, 3),
            int(LIFTED.lifted.motions[0, 4]),
            "motions[0]: it is no permutation of the arcs",
        ),
        ("parent", 3, 3, "motions: 3 of 8 nodes are reached from node 0"),
        ("parent", 3, 99, "motions: node 3 has parent 99 and motion "),
        ("motion", 3, 99, "motions: node 3 has parent "),
    ],
)
def test_broken_automorphisms_are_found(name: str, place: object, value: object, line: str) -> None:
    found = changed(name, place, value)
    assert found is not None
    assert found.startswith(line) or "of 8 nodes are reached from node 0" in found


def test_a_motion_that_is_no_automorphism() -> None:
    motions = LIFTED.lifted.motions.copy()
    motions[1, [0, 1]] = motions[1, [1, 0]]
    swapped = replace(LIFTED.lifted, motions=motions)
    found = check_certificate(replace(LIFTED, lifted=swapped)).violation
    assert found.startswith("motions[1]: arc ")
    assert found.endswith("do not keep their common node")


def test_a_motion_of_another_node() -> None:
    wrong = (LIFTED.lifted.motion[3] + 1) % len(LIFTED.lifted.motions)
    found = changed("motion", 3, wrong)
    assert found is not None
    assert found.startswith("motions: those of node ")


def test_motions_must_keep_capacities() -> None:
    capacity = [Fraction(1)] * (LIFTED.topology.arcs - 1) + [Fraction(2)]
    found = check_certificate(
        replace(LIFTED, topology=replace(LIFTED.topology, capacity=capacity), upper=Fraction(9))
    ).violation
    assert found.startswith("motions[0]: arc ")
    assert found.endswith("differ in capacity")


def test_other_violations() -> None:
    zero = check_certificate(replace(WHOLE, lengths=WHOLE.lengths * 0))
    assert zero.violation.startswith("lengths: every pair with a demand is at distance 0")
    long = check_certificate(replace(WHOLE, lengths=WHOLE.lengths * (1 << 50)))
    assert long.violation.startswith("lengths: they sum to 2^53 or more")
    fewer = replace(WHOLE, sources=WHOLE.sources[1:], rows=WHOLE.rows[1:])
    assert check_certificate(fewer).violation == "sources: node 0 has a demand and no flow"
    turned = replace(WHOLE, sources=WHOLE.sources[::-1].copy(), rows=WHOLE.rows[::-1].copy())
    assert check_certificate(turned).violation.startswith("sources: nodes in ascending order")
    apart = Topology.from_arcs(8, [(v, (v + 4) % 8) for v in range(8)] * 4)
    lost = check_certificate(replace(WHOLE, topology=apart)).violation
    assert lost == "node 0 cannot reach node 1: no rate is possible"


def test_large_numbers_do_not_wrap() -> None:
    """Sums beyond 64 bits are exact: the same certificate in a tiny unit."""
    scale = 1 << 46
    demand = DemandBounds(
        low=demand_of(WHOLE.topology, None) * scale,
        high=demand_of(WHOLE.topology, None) * scale,
        unit=Fraction(1, scale),
    )
    saved = replace(
        WHOLE,
        rows=WHOLE.rows * scale,
        quantum=Fraction(1, scale),
        lengths=WHOLE.lengths * scale,
        demand=demand,
    )
    proved = check_certificate(saved)
    assert (proved.lower, proved.upper) == (WHOLE.lower, WHOLE.upper)
    assert proved.violation is None


def test_nothing_is_shared_with_the_solver() -> None:
    program = (
        "import sys, topofinder.verification.certificates;"
        "print([name for name in sys.modules if name.startswith('topofinder.alltoall.')])"
    )
    root = Path(__file__).parents[3]
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=root
    )
    assert done.stdout == "[]\n"
