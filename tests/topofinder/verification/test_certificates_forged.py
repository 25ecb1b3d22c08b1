"""Over a thousand forged certificates, each judged by a twin of plain Python as well."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from expansions.build import build
from expansions.parser import parse
from generators.errors import InvalidInput
from generators.topology import Topology
from tests.certificate_twin import judge_certificate
from tests.certificates import tree_certificate
from topofinder.model.certificate import Certificate, DemandBounds
from topofinder.verification.certificates import check_certificate

STAR = Topology.from_arcs(
    4, [(0, 1), (1, 0), (2, 1), (1, 2), (3, 1), (1, 3), (3, 1), (2, 2)], switches=(1,),
    capacity=[Fraction(1), Fraction(2), Fraction(1, 3), 1, 1, 1, 2, 1],
)  # fmt: skip
HIGH = np.arange(36, dtype=np.int64).reshape(6, 6)
BASES = [
    tree_certificate(build(parse("Kautz(2,1)"))),
    tree_certificate(STAR),
    tree_certificate(
        build(parse("Kautz(2,1)")),
        DemandBounds(low=np.maximum(HIGH - 1, 0), high=HIGH, unit=Fraction(1, 7)),
    ),
    tree_certificate(build(parse("BiRing(2,4) x UniRing(1,2)")), lift=True),
    tree_certificate(build(parse("C(7,{1,2})")), lift=True),
]
MOST = 1 << 52
Mutation = Callable[[Certificate, np.random.Generator], Certificate]


def some(array: np.ndarray, generator: np.random.Generator, value: int) -> np.ndarray:
    """One entry replaced."""
    found = array.copy()
    found.flat[generator.integers(found.size)] = value
    return found


def flow(saved: Certificate, generator: np.random.Generator) -> Certificate:
    """An entry lower, higher, negative, or as large as it may be and larger."""
    value = int(generator.choice([0, 1, 2, 5, -1, MOST, MOST + 1, 1 << 62]))
    return replace(saved, rows=some(saved.rows, generator, value))


def less_flow(saved: Certificate, generator: np.random.Generator) -> Certificate:
    """An amount missing somewhere: no demand of that source can be whole."""
    place = generator.choice(np.flatnonzero(saved.rows))
    rows = saved.rows.copy()
    rows.flat[place] -= 1
    return replace(saved, rows=rows)


def loop(saved: Certificate, generator: np.random.Generator) -> Certificate:
    """The same amount more everywhere: what nodes keep may stay, but arcs carry it."""
    return replace(saved, rows=saved.rows + int(generator.choice([1, 1000, MOST >> 4])))


def length(saved: Certificate, generator: np.random.Generator) -> Certificate:
    value = int(generator.choice([0, 1, 2, 7, -1, 1 << 40, MOST, MOST + 1]))
    return replace(saved, lengths=some(saved.lengths, generator, value))


def long(saved: Certificate, generator: np.random.Generator) -> Certificate:
    """All lengths in a unit so small that sums come near to what floats hold."""
    return replace(saved, lengths=saved.lengths << int(generator.integers(0, 53)))


def claim(saved: Certificate, generator: np.random.Generator) -> Certificate:
    """Better bounds than are proved, or the same and worse."""
    by = Fraction(int(generator.integers(60, 140)), 100)
    field = ("lower", "upper")[int(generator.integers(2))]
    return replace(saved, **{field: getattr(saved, field) * by})


def unit(saved: Certificate, generator: np.random.Generator) -> Certificate:
    """Flows or demands in another unit."""
    by = Fraction(int(generator.integers(1, 5)), int(generator.integers(1, 5)))
    if saved.demand is not None and generator.random() < 0.5:
        return replace(saved, demand=replace(saved.demand, unit=saved.demand.unit * by))
    return replace(saved, quantum=saved.quantum * by)


def demand(saved: Certificate, generator: np.random.Generator) -> Certificate:
    """Another demand: none, more, less, from nodes to themselves, or none at all."""
    n = saved.topology.n
    low = generator.integers(0, 3, (n, n))
    high = low + generator.integers(-1 if generator.random() < 0.2 else 0, 2, (n, n))
    if generator.random() < 0.2:
        high = low = high * 0
    return replace(saved, demand=DemandBounds(low=low, high=high, unit=Fraction(1)))


def sources(saved: Certificate, generator: np.random.Generator) -> Certificate:
    """One missing, one twice, or one that is not there."""
    found = saved.sources.copy()
    place = int(generator.integers(len(found)))
    if generator.random() < 0.5 and len(found) > 1:
        return replace(
            saved, sources=np.delete(found, place), rows=np.delete(saved.rows, place, axis=0)
        )
    found[place] = generator.integers(0, saved.topology.n + 2)
    return replace(saved, sources=found)


def motion(saved: Certificate, generator: np.random.Generator) -> Certificate:
    """Motions that are none, of other nodes, in circles, or for a graph that has others."""
    if saved.lifted is None:
        return replace(saved, lifted=BASES[3].lifted)
    name = ("motions", "parent", "motion")[int(generator.integers(3))]
    array = getattr(saved.lifted, name)
    value = int(generator.integers(-1, int(array.max()) + 3))
    return replace(saved, lifted=replace(saved.lifted, **{name: some(array, generator, value)}))


def graph(saved: Certificate, generator: np.random.Generator) -> Certificate:
    """Arcs turned to other nodes, slower ones, loops, other switches."""
    topology, arc = saved.topology, int(generator.integers(saved.topology.arcs))
    change: dict[str, object] = {}
    match int(generator.integers(4)):
        case 0:
            change["head"] = some(topology.head, generator, int(generator.integers(topology.n)))
        case 1:
            values = list(topology.capacity or (Fraction(1),) * topology.arcs)
            values[arc] *= Fraction(int(generator.integers(1, 8)), 4)
            change["capacity"] = values
        case 2:
            head = topology.head.copy()
            head[arc] = topology.tail[arc]
            change["head"] = head
        case _:
            change["switches"] = (int(generator.integers(topology.n)),)
    return replace(saved, topology=replace(topology, translation=None, orbits=None, **change))


MUTATIONS: tuple[Mutation, ...] = (
    flow, less_flow, loop, length, long, claim, unit, demand, sources, motion, graph,
)  # fmt: skip


def outcome(saved: Certificate) -> str:
    """Assert that the check says what the twin says, and say which it is."""
    proved, twin = check_certificate(saved), judge_certificate(saved)
    if proved.violation is None:
        assert twin == (proved.lower, proved.upper)
        return "valid"
    assert "\n" not in proved.violation
    # What floats cannot hold is refused, although a slower program could prove it.
    beyond = int(saved.lengths.astype(object).sum()) >= 1 << 53
    assert twin is None or (beyond and proved.violation.startswith("lengths: they sum to 2^53"))
    return "rejected"


@pytest.mark.parametrize("base", BASES)
def test_the_twin_agrees_on_what_is_right(base: Certificate) -> None:
    assert outcome(base) == "valid"


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_mutated_certificates(mutation: Mutation) -> None:
    """120 of each kind on five certificates in turn: 1320 in all."""
    found: Counter[str] = Counter()
    for seed in range(120):
        generator = np.random.default_rng(seed)
        try:
            found[outcome(mutation(BASES[seed % len(BASES)], generator))] += 1
        except InvalidInput:
            found["refused"] += 1
    assert found["rejected"] >= 5
    if mutation is less_flow:
        assert found == {"rejected": 120}


def test_least_amounts_above_the_most_are_refused() -> None:
    """Lengths would count more than flows deliver: bounds on two demands, and none on either."""
    base = BASES[2]
    crossed = DemandBounds(low=HIGH, high=np.maximum(HIGH - 1, 0), unit=Fraction(1, 7))
    with pytest.raises(InvalidInput, match="demand_low: an amount is above the one in demand"):
        replace(base, demand=crossed)
