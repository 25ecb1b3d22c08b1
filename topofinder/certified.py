"""From the solver's answer to a certificate that stands on its own."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from expansions.arc_images import ArcImages
from expansions.slots import Slots
from generators.errors import InvalidInput
from generators.topology import IntArray, Topology
from topofinder.certificates import Certificate, Demanded, Lifted
from topofinder.throughput.answer import Answer, Lift
from topofinder.throughput.problem import Problem

Integers = NDArray[np.int64]


def certified(
    problem: Problem, answer: Answer, recipe: str | None = None, pattern: str = "uniform"
) -> Certificate:
    """The certificate of an answer; `recipe` and `pattern` are its labels."""
    demand = None
    if problem.demand is not None:
        asked = problem.demand
        demand = Demanded(low=asked.low, high=asked.high, unit=asked.unit)
    lifted = answer.flow.lift is Lift.TRANSLATED
    return Certificate(
        topology=problem.topology,
        lower=answer.lower,
        upper=answer.upper,
        lengths=answer.lengths.astype(np.int64),
        sources=answer.flow.sources.astype(np.int64),
        rows=answer.flow.rows.astype(np.int64),
        quantum=answer.flow.quantum,
        demand=demand,
        lifted=lifting(problem.topology) if lifted else None,
        recipe=recipe,
        pattern=pattern,
        method=answer.method,
    )


def lifting(topology: Topology) -> Lifted:
    """The translations of a topology as products of a few, or each by itself where that fails.

    They are those of `expansions.translated`: the ones that keep the slots of arcs where there
    are such, else `topology.translation` with parallel arcs in their order.

    >>> from generators.arrays import jump_graph
    >>> found = lifting(jump_graph(5, [1, 2]))
    >>> found.motions.shape, found.parent.tolist()
    ((2, 10), [0, 0, 0, 1, 2])
    """
    slots = Slots(topology)
    if slots.steps is not None:
        steps = [_by_slots(topology, slots, step) for step in slots.steps]
        return _products(topology, slots.steps, steps)
    if topology.translation is None:
        raise InvalidInput("translation: the topology has none, so flows cannot be lifted")
    nodes = [topology.translation(int(w)) for w in np.unique(topology.head[topology.tail == 0])]
    found = _products(topology, nodes, [_by_order(topology, image) for image in nodes])
    if _same(topology, nodes, found):
        return found
    whole = [_by_order(topology, topology.translation(u)) for u in range(1, topology.n)]
    number = np.maximum(np.arange(topology.n) - 1, 0)
    motions = np.array(whole, dtype=np.int64).reshape(-1, topology.arcs)
    return Lifted(motions=motions, parent=np.zeros(topology.n, dtype=np.int64), motion=number)


def _by_slots(topology: Topology, slots: Slots, image: IntArray) -> Integers:
    return slots.arcs(image[topology.tail], slots.slot).astype(np.int64)


def _by_order(topology: Topology, image: IntArray) -> Integers:
    return ArcImages(topology, np.arange(topology.arcs)).under(image)


def _products(topology: Topology, nodes: list[IntArray], motions: list[Integers]) -> Lifted:
    """A breadth-first tree: the automorphism of a node is its parent's after one motion."""
    parent, motion = np.zeros((2, topology.n), dtype=np.int64)
    images = {0: np.arange(topology.n, dtype=np.int32)}
    level = [0]
    reached = {0}
    while level:
        following = []
        for node in level:
            image = images.pop(node)
            for number, step in enumerate(nodes):
                child = int(image[step[0]])
                if child not in reached:
                    reached.add(child)
                    parent[child], motion[child] = node, number
                    images[child] = image[step]
                    following.append(child)
        level = following
    return Lifted(motions=np.array(motions, dtype=np.int64), parent=parent, motion=motion)


def _same(topology: Topology, nodes: list[IntArray], lifted: Lifted) -> bool:
    """Whether the products carry nodes as the translations do."""
    translation = topology.translation
    return translation is not None and all(
        np.array_equal(translation(node), image) for node, image in _images(nodes, lifted)
    )


def _images(nodes: list[IntArray], lifted: Lifted) -> Iterator[tuple[int, IntArray]]:
    children: dict[int, list[int]] = {}
    for child, parent in enumerate(lifted.parent[1:].tolist(), 1):
        children.setdefault(parent, []).append(child)
    waiting = [(0, np.arange(len(lifted.parent), dtype=np.int32))]
    while waiting:
        node, image = waiting.pop()
        yield node, image
        for child in children.get(node, []):
            waiting.append((child, image[nodes[int(lifted.motion[child])]]))
