"""From the solver's answer to a certificate that stands on its own."""

import numpy as np

from expansions.automorphisms import automorphisms_of
from generators.topology import Topology
from topofinder.alltoall.problem import FlowProblem
from topofinder.alltoall.result import Lift, ThroughputBounds
from topofinder.model.certificate import Certificate, DemandBounds, FlowSymmetry


def make_certificate(
    problem: FlowProblem,
    answer: ThroughputBounds,
    recipe: str | None = None,
    pattern: str = "uniform",
) -> Certificate:
    """The certificate of an answer; `recipe` and `pattern` are its labels."""
    demand = None
    if problem.demand is not None:
        asked = problem.demand
        demand = DemandBounds(low=asked.low, high=asked.high, unit=asked.unit)
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
        lifted=translation_products(problem.topology) if lifted else None,
        recipe=recipe,
        pattern=pattern,
        method=answer.method,
    )


def translation_products(topology: Topology) -> FlowSymmetry:
    """The translations of a topology as products of a few, for a certificate.

    >>> from generators.arrays import jump_graph
    >>> found = translation_products(jump_graph(5, [1, 2]))
    >>> found.motions.shape, found.parent.tolist()
    ((1, 10), [0, 0, 1, 2, 3])
    """
    found = automorphisms_of(topology)
    return FlowSymmetry(
        motions=found.arc_maps(topology).astype(np.int64),
        parent=found.parent.astype(np.int64),
        motion=found.by.astype(np.int64),
    )
