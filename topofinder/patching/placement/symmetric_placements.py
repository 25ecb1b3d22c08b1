"""Placements that keep as many circuits as one that is known, but not on the same panels.

A symmetry of the wiring in place carries a placement to one under which as much stays, between
other hosts: what is to be made, and the ports that become free for it, meet by chance. Of many
such placements some need far fewer moves on several panels.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from generators.topology import Int64Array, IntArray
from topofinder.patching.circuits import Circuits
from topofinder.patching.constraints import Constraints
from topofinder.patching.placement.assignment import kept_circuits
from topofinder.patching.placement.isomorphism import draw_symmetries
from topofinder.patching.placement.problem import PlacementProblem

DRAWN, VISITS = 24, 20_000_000
"""Symmetries that are drawn, and the nodes that refinement visits for all of them."""
MOST = 256
"""Placements that are looked at."""


def symmetric_placements(
    problem: PlacementProblem,
    wiring: Circuits,
    target: Circuits,
    constraints: Constraints,
    host: IntArray,
    seed: int,
) -> list[IntArray]:
    """Other placements that keep as many circuits as `host` (nodes,), the most hopeful first.

    Those under which more of the new circuits find a panel with ports at both ends come first.
    Placements that differ by the names of panels alone, where hosts have the same ports, are one.

    >>> from topofinder.patching.placement.problem import placement_problem
    >>> ring = Circuits(n=4, duplex=True, tail=np.arange(4), head=np.array([1, 2, 3, 0]))
    >>> there = replace(ring, panel=np.array([0, 0, 0, 1]))
    >>> ports = Constraints(ports=np.full((4, 2), 2))
    >>> problem, own = placement_problem(there, ring, ports), np.arange(4)
    >>> len(symmetric_placements(problem, there, ring, ports, own, 0))
    3
    """
    placements = symmetric_images(problem, host, seed)
    seen = {_panels_met(wiring, target, constraints, host)}
    ranked = list[tuple[int, IntArray]]()
    for one in placements:
        if (met := _panels_met(wiring, target, constraints, one)) not in seen:
            seen.add(met)
            ranked.append((count_ready(wiring, target, constraints, one), one))
    return [one for _, one in sorted(ranked, key=lambda pair: -pair[0])]


def symmetric_images(problem: PlacementProblem, host: IntArray, seed: int) -> list[IntArray]:
    """The placements to which symmetries of the wiring carry one, as far as the rules allow."""
    fixed = problem.rules.fixed[: len(host)]
    nodes, found = np.arange(len(host)), list[IntArray]()
    for image in _products(draw_symmetries(problem, DRAWN, seed, VISITS)):
        one = image[host].astype(np.int32)
        if (one[fixed] == host[fixed]).all() and problem.rules.allows(nodes, one):
            found.append(one)
    return found


def _products(drawn: Sequence[Int64Array]) -> list[Int64Array]:
    """The symmetries that these make, themselves among them; not more than MOST."""
    known = {one.tobytes(): one for one in drawn}
    waiting = list(known.values())
    while waiting and len(known) < MOST:
        one = waiting.pop(0)
        for other in drawn:
            product = other[one]
            if (key := product.tobytes()) not in known:
                known[key] = product
                waiting.append(product)
    return list(known.values())


def _panels_met(
    wiring: Circuits, target: Circuits, constraints: Constraints, host: IntArray
) -> bytes:
    """The panel in place for each circuit, where one is; panels named in the order they come in.

    They keep their names where the hosts' ports differ.
    """
    kept = _kept_anywhere(wiring, target, host)
    panel = np.zeros(1, dtype=np.int32) if wiring.panel is None else wiring.panel
    met = np.where(kept >= 0, panel[kept], -1)
    if all(side is None or (side == side[0, 0]).all() for side in _sides(constraints)):
        _, first, name = np.unique(met, return_index=True, return_inverse=True)
        met = np.argsort(np.argsort(first))[name.ravel()]
    else:
        met = np.concatenate([met, host])
    return met.astype(np.int32).tobytes()


def count_ready(
    wiring: Circuits, target: Circuits, constraints: Constraints, host: IntArray
) -> int:
    """New circuits for which some panel has ports at both ends while all others stay in place."""
    ports, receivers = _sides(constraints)
    if ports is None or receivers is None or wiring.panel is None:
        return 0
    kept = _kept_anywhere(wiring, target, host)
    stay = kept[kept >= 0]
    free = np.stack([ports, receivers]).astype(np.int64)
    for side, ends in enumerate((wiring.tail, wiring.head)):
        np.add.at(free[side], (ends[stay], wiring.panel[stay]), -1)
    if wiring.duplex:
        free[:] = free[0] + free[1] - ports
    placed, new = target.on_hosts(host, wiring.n), kept < 0
    ready = np.minimum(free[0, placed.tail[new]], free[1, placed.head[new]]) > 0
    return int(np.count_nonzero(ready.any(axis=1)))


def _sides(constraints: Constraints) -> tuple[IntArray | None, IntArray | None]:
    return constraints.ports, constraints.receivers


def _kept_anywhere(wiring: Circuits, target: Circuits, host: IntArray) -> IntArray:
    """The circuit in place for each of the target, on any panel; -1 for none."""
    anywhere = np.zeros(target.count, dtype=np.int32)
    return kept_circuits(replace(wiring, panel=None), target, host, anywhere)
