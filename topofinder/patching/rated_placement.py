"""Who plays which node where ports differ in speed: a search that knows the rate of every circuit.

A link of the target is in place only where a circuit of its rate joins the two hosts. To the search
the rates are panels: each holds the circuits of its ports alone.
"""

from dataclasses import replace

import numpy as np

from generators.topology import BoolArray, IntArray
from topofinder.model.inventory.forbidden import rate_numbers
from topofinder.model.plan import Bound
from topofinder.patching.circuits import Circuits
from topofinder.patching.constraints import Constraints
from topofinder.patching.existing_circuits import ExistingCircuits
from topofinder.patching.placement.problem import (
    checked_start,
    lawful_placement,
    placement_problem,
)
from topofinder.patching.placement.search import Search


def place_by_rate(
    place: ExistingCircuits,
    target: Circuits,
    allowed: BoolArray,
    fixed: IntArray | None,
    start: IntArray | None,
    seed: int,
    time: float,
) -> IntArray:
    """A host for each node, shape (nodes,), such that many links are in place at their rates.

    `fixed[v]` is a host or -1, `start[v]` a host to begin with, `allowed[h]` says who may play.
    Whether each host has the ports is not looked at, but for their number.
    """
    there = _circuits_by_rate(place)
    constraints = Constraints(fixed=fixed, allowed=allowed, ports=_ports_by_rate(place))
    wanted = replace(target, panel=target.rate)
    problem = placement_problem(there, wanted, constraints, panels=constraints.panels)
    first = lawful_placement(checked_start(start, target, there), problem.rules, fixed)
    search = Search(problem, first, seed, time)
    search.run(lambda: Bound(moves=0, name="count"))
    return search.best[: target.n].astype(np.int32)


def _circuits_by_rate(place: ExistingCircuits) -> Circuits:
    """The circuits in place that may stay, with their rates for panels; those of two left out."""
    rates = rate_numbers(place.fabric.forbidden, place.fabric.ports)
    there, which = place.engine_circuits
    ports = np.array([place.circuits[i][:2] for i in which.tolist()], dtype=np.int64)
    ends = rates[ports.reshape(-1, 2)]
    alike = ends[:, 0] == ends[:, 1]
    return Circuits(
        n=there.n,
        duplex=there.duplex,
        tail=there.tail[alike],
        head=there.head[alike],
        panel=ends[alike, 0],
    )


def _ports_by_rate(place: ExistingCircuits) -> IntArray:
    """Ports of each host at each rate, shape (hosts, rates), those of pinned circuits too."""
    fabric = place.fabric
    rates = rate_numbers(fabric.forbidden, fabric.ports)
    pins = [port for circuit in place.circuits[: place.pinned] for port in circuit[:2]]
    good = np.union1d(np.flatnonzero(place.usable.any(axis=0)), np.array(pins, dtype=np.int64))
    counts = np.zeros((len(fabric.hosts), int(rates.max()) + 1), dtype=np.int32)
    np.add.at(counts, (fabric.host[good], rates[good]), 1)
    return counts
