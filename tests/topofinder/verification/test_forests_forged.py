"""Forged forests: numbers that would wrap in 64 bits, and over a thousand mutations of files.

Each is judged by a twin of plain Python as well.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from expansions.collective import Collective
from generators.errors import InvalidInput
from generators.topology import Topology
from tests.forest_twin import bandwidth_of, judge_forest, loads_of
from tests.known_forests import box_forest, ring_forest
from topofinder.model.forest import (
    Forest,
    inverse_rate,
    link_loads,
    link_traffic,
    single_root_weights,
    spared_traffic,
)
from topofinder.model.tree_set import TreeSet
from topofinder.simulation.pipeline import pipeline_times
from topofinder.verification.forests import verify_forest

WORD = 1 << 64


def star(hosts: int, copies: int, time: Fraction | int = 1, able: bool = False) -> Forest:
    """A broadcast from host 1 on one switch: `copies` equal trees, one edge to each other host."""
    arcs = [(v, hosts) for v in range(hosts)] + [(hosts, v) for v in range(hosts)]
    know = {"switches": (hosts,), "multicast": (hosts,) if able else ()}
    ways = [(1, hosts, v) for v in range(hosts) if v != 1]
    trees = TreeSet(
        k=copies,
        root=[1],
        copies=[copies],
        start=[0, len(ways)],
        route=range(len(ways)),
        route_start=range(0, 3 * len(ways) + 1, 3),
        node=np.ravel(ways),
        skip=[0] + [int(able)] * (len(ways) - 1),
        optimum=Fraction(1),
        time=Fraction(time),
        cut=[1],
    )
    return Forest(
        topology=Topology.from_arcs(hosts + 1, arcs, **know),
        collective=Collective.BROADCAST,
        weight=single_root_weights(hosts + 1, 1),
        spread=trees,
        root=1,
    )


def test_a_load_of_two_to_the_64_is_not_nothing() -> None:
    """Sixteen edges of 2^60 trees over one link: the time is 16, not 0 and not 1."""
    found = verify_forest(star(17, 1 << 60)).violation
    assert found == (
        f"out-trees: the link from node 1 to node 17 carries {1 << 64} trees, "
        f"but has room for {1 << 60}"
    )
    assert verify_forest(star(17, 1 << 60, 16)).time == 16


@pytest.mark.parametrize("hosts", [2, 3, 4, 5, 8, 9, 17])
@pytest.mark.parametrize("edge", [31, 32, 60, 61, 62, 63])
@pytest.mark.parametrize("beside", [-1, 0, 1])
def test_loads_at_the_limit_of_a_word_are_exact(hosts: int, edge: int, beside: int) -> None:
    """Loads of 2^edge and the numbers beside it, and the claim that they have wrapped."""
    copies = min((1 << edge) // (hosts - 1) + beside, (1 << 62))
    for able in (False, True):
        true = 1 if able else hosts - 1
        saved = star(hosts, copies, true, able)
        (phase,) = verify_forest(saved).phases
        assert phase.time == true
        assert phase.traffic == (hosts if able else 2 * (hosts - 1))
        assert phase.spared == (hosts - 2 if able else 0)
        assert link_traffic(saved.spread) == phase.traffic
        crossing, spared = link_traffic(saved.spread), spared_traffic(saved.spread)
        assert crossing + spared == 2 * (hosts - 1)
        assert inverse_rate(saved.topology, saved.spread) == saved.together == true
        assert pipeline_times(saved.topology, saved.spread, [1, 2]) == (
            1 + true,
            (1 + 2 * true) / 2,
        )
    wrapped = (copies * (hosts - 1) + WORD // 2) % WORD - WORD // 2
    for claim in {Fraction(1, 2), Fraction(1), Fraction(max(wrapped, 1), copies)}:
        if claim != hosts - 1:
            assert not verify_forest(star(hosts, copies, claim)).valid


def pipelined_pair(copies: int) -> TreeSet:
    """Two hosts, one tree of each, in many copies."""
    known = {"root": [0, 1], "start": [0, 1, 2], "route": [0, 1], "route_start": [0, 2, 4]}
    known |= {"node": [0, 1, 1, 0], "cut": [0], "optimum": Fraction(1), "time": Fraction(1)}
    return TreeSet(k=copies, copies=[copies, copies], **known)


def test_the_largest_numbers_of_copies_are_counted() -> None:
    """What an entry of 64 bits can hold, and no more."""
    most = (1 << 63) - 1
    assert set(link_loads(pipelined_pair(most)).values()) == {most}
    with pytest.raises(InvalidInput, match=f"copies: {most + 1}"):
        pipelined_pair(most + 1)


BASES = [
    ring_forest(4),
    ring_forest(5, Collective.ALLREDUCE),
    ring_forest(3, Collective.REDUCE_SCATTER),
    box_forest(),
    box_forest(able=True),
    star(5, 3, 4),
    star(5, 3, 1, able=True),
]
Mutation = Callable[[TreeSet, np.random.Generator], TreeSet]


def at(array: np.ndarray, generator: np.random.Generator, beyond: int) -> np.ndarray:
    """One entry replaced by another in its range; once in eight, by one out of it."""
    found = array.astype(np.int64)
    low = -1 if generator.random() < 0.125 else 0
    found[generator.integers(len(found))] = generator.integers(low, beyond - low)
    return found


def entry(name: str) -> Mutation:
    def mutate(trees: TreeSet, generator: np.random.Generator) -> TreeSet:
        array = getattr(trees, name)
        return replace(trees, **{name: at(array, generator, int(array.max()) + 1)})

    mutate.__name__ = name
    return mutate


def repeat(trees: TreeSet, generator: np.random.Generator) -> TreeSet:
    """A tree said twice, with all copies each time or with the copies shared out."""
    i = int(generator.integers(trees.trees))
    own = slice(int(trees.start[i]), int(trees.start[i + 1]))
    copies = np.append(trees.copies, trees.copies[i])
    if copies[i] > 1 and generator.random() < 0.5:
        copies[i], copies[-1] = copies[i] - 1, 1
    return replace(
        trees,
        root=np.append(trees.root, trees.root[i]),
        copies=copies,
        start=np.append(trees.start, trees.start[-1] + own.stop - own.start),
        route=np.append(trees.route, trees.route[own]),
        skip=np.append(trees.multicast_skips, trees.multicast_skips[own]),
    )


def multiply(trees: TreeSet, generator: np.random.Generator) -> TreeSet:
    """As many times more trees a root as there is room for: still sound."""
    by = int(generator.integers(1, (1 << 62) // int(trees.copies.max() * trees.k)))
    return replace(trees, k=trees.k * by, copies=trees.copies * by)


def multiply_and_wrap(trees: TreeSet, generator: np.random.Generator) -> TreeSet:
    """So many trees that a load is 2^64 and a little, and the time that would then seem true."""
    heaviest = max(link_loads(trees).values())
    by = WORD // heaviest + int(generator.integers(1, 3))
    many = min(by, ((1 << 63) - 1) // int(trees.copies.max()))
    if heaviest * many < WORD:
        raise InvalidInput("no load of this forest can wrap")
    wrapped = max(heaviest * many % WORD, 1)
    claim = max(trees.time * Fraction(wrapped, heaviest * many), Fraction(1, 1 << 62))
    return replace(trees, k=trees.k * many, copies=trees.copies * many, time=claim)


def more_copies(trees: TreeSet, generator: np.random.Generator) -> TreeSet:
    """Of one tree by a power of two: harmless modulo 2^64 only."""
    copies = trees.copies.copy()
    copies[generator.integers(len(copies))] += 1 << int(generator.integers(0, 62))
    return replace(trees, copies=copies)


def other_k(trees: TreeSet, generator: np.random.Generator) -> TreeSet:
    return replace(trees, k=trees.k + int(generator.choice([1, 1 << 32, 1 << 61])))


def lower_time(trees: TreeSet, generator: np.random.Generator) -> TreeSet:
    time = trees.time * Fraction(int(generator.integers(1, 8)), 8)
    return replace(trees, time=time, optimum=min(trees.optimum, time))


def other_optimum(trees: TreeSet, generator: np.random.Generator) -> TreeSet:
    return replace(trees, optimum=trees.optimum * Fraction(int(generator.integers(1, 20)), 10))


def other_cut(trees: TreeSet, generator: np.random.Generator) -> TreeSet:
    nodes = int(trees.node.max()) + 1
    cut = np.flatnonzero(generator.random(nodes) < 0.5)
    return replace(trees, cut=cut.astype(np.int32))


def swap_edges(trees: TreeSet, generator: np.random.Generator) -> TreeSet:
    """Two edges change places: children before parents, or another tree's edge."""
    one, other = generator.integers(trees.uses, size=2)
    route, skip = trees.route.copy(), trees.multicast_skips.copy()
    route[[one, other]], skip[[one, other]] = route[[other, one]], skip[[other, one]]
    return replace(trees, route=route, skip=skip)


MUTATIONS: tuple[Mutation, ...] = (
    entry("root"), entry("copies"), entry("start"), entry("route"), entry("skip"), entry("node"),
    entry("route_start"), repeat, multiply, multiply_and_wrap, more_copies, other_k, lower_time,
    other_optimum, other_cut, swap_edges,
)  # fmt: skip


def other_topology(topology: Topology, generator: np.random.Generator) -> Topology:
    """Slower links, parallel ones, loops, one less, or abilities gone."""
    tail, head = topology.tail.tolist(), topology.head.tolist()
    capacity = list(topology.capacity or (Fraction(1),) * topology.arcs)
    arc, told = int(generator.integers(topology.arcs)), topology.multicast
    match int(generator.integers(6)):
        case 0:
            capacity[arc] *= Fraction(int(generator.integers(1, 8)), 4)
        case 1:  # the same bandwidth over two links
            capacity[arc] /= 2
            tail, head = [*tail, tail[arc]], [*head, head[arc]]
            capacity.append(capacity[arc])
        case 2:
            tail, head = [*tail, tail[arc]], [*head, head[arc]]
            capacity.append(Fraction(1))
        case 3:
            head[arc] = tail[arc]
        case 4:
            del tail[arc], head[arc], capacity[arc]
        case _:
            told = ()
    return replace(
        topology, tail=np.array(tail), head=np.array(head), capacity=capacity, multicast=told
    )


def outcome(saved: Forest) -> str:
    """Assert that the check says what the twin says, and say which it is."""
    verdict, times = verify_forest(saved, at_once=7), judge_forest(saved)
    assert verdict.valid == (times is not None), verdict.violation
    if times is None:
        assert "\n" not in str(verdict.violation)
        return "rejected"
    assert [phase.time for phase in verdict.phases] == times
    for phase, told in zip(saved.phases, verdict.phases, strict=True):
        load = loads_of(phase.topology, phase.trees)
        assert link_loads(phase.trees) == dict(load)
        assert told.traffic == Fraction(sum(load.values()), phase.trees.k)
        assert all(pair in bandwidth_of(phase.topology) for pair in load)
        assert pipeline_times(phase.topology, phase.trees, [1])[0] >= told.time
    return "valid"


@pytest.mark.parametrize("base", BASES)
def test_the_twin_agrees_on_what_is_right(base: Forest) -> None:
    assert outcome(base) == "valid"


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
def test_mutated_trees(mutation: Mutation) -> None:
    """140 of each kind, on seven forests in turn: 2240 in all."""
    found: Counter[str] = Counter()
    for seed in range(140):
        saved, generator = BASES[seed % len(BASES)], np.random.default_rng(seed)
        field = "spread" if saved.gather is None or (saved.spread and seed % 2) else "gather"
        try:
            trees = mutation(getattr(saved, field), generator)
            found[outcome(replace(saved, **{field: trees}))] += 1
        except InvalidInput:
            found["refused"] += 1
    if mutation is multiply:
        assert found == {"valid": 140}
    elif mutation in (lower_time, multiply_and_wrap, more_copies, other_k):
        assert not found["valid"]
    assert found["rejected"] + found["valid"] >= 10


def test_other_graphs_and_weights_under_the_same_trees() -> None:
    found: Counter[str] = Counter()
    for seed in range(350):
        saved, generator = BASES[seed % len(BASES)], np.random.default_rng(seed)
        try:
            if seed % 5:
                changed = replace(saved, topology=other_topology(saved.topology, generator))
            else:
                weight = list(saved.weight)
                weight[int(generator.integers(len(weight)))] += int(generator.integers(-2, 3))
                changed = replace(saved, weight=tuple(weight))
            found[outcome(changed)] += 1
        except InvalidInput:
            found["refused"] += 1
    assert min(found["valid"], found["rejected"], found["refused"]) >= 10


def test_lines_stay_lines_whatever_names_and_numbers_say() -> None:
    """Names with line breaks and escapes, and bounds of more digits than Python prints."""
    saved = star(3, 2)
    names = ("a\nvalid: all of it", "\x1b[2J", "c" * 1000, "switch")
    named = replace(saved, topology=replace(saved.topology, names=names))
    found = verify_forest(named).violation
    assert found is not None
    assert found.isprintable()
    assert len(found) < 200
    arcs = saved.topology.arcs
    capacity = [Fraction(10**1200 + 2 * arc + 1, 10**1199 + 2 * arc + 3) for arc in range(arcs)]
    many = Topology(
        n=4,
        tail=np.tile(saved.topology.tail, 4),
        head=np.tile(saved.topology.head, 4),
        capacity=capacity * 2 + [Fraction(1, value) for value in capacity] * 2,
        switches=(3,),
    )
    wrong = verify_forest(replace(saved, topology=many)).violation
    assert wrong is not None
    assert len(wrong) < 200
