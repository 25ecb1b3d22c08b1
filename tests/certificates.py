"""Certificates made without the solver: shortest-path trees below, hops above."""

from fractions import Fraction
from itertools import pairwise

import networkx as nx
import numpy as np

from generators.topology import Topology
from topofinder.alltoall.certify import translation_products
from topofinder.model.certificate import Certificate, DemandBounds


def demand_of(topology: Topology, demand: DemandBounds | None) -> np.ndarray:
    """The amounts that must be delivered, in units."""
    if demand is not None:
        return demand.high
    asked = np.ones((topology.n, topology.n), dtype=np.int64) - np.eye(topology.n, dtype=np.int64)
    asked[list(topology.switches)] = 0
    asked[:, list(topology.switches)] = 0
    return asked


def tree_flow(topology: Topology, source: int, asked: np.ndarray) -> np.ndarray:
    """Every demand of a source on the path that a breadth-first search finds."""
    arc_of = {}
    for arc, pair in enumerate(zip(topology.tail.tolist(), topology.head.tolist(), strict=True)):
        arc_of.setdefault(pair, arc)
    graph = nx.DiGraph(list(arc_of))
    row = np.zeros(topology.arcs, dtype=np.int64)
    for sink, path in nx.single_source_shortest_path(graph, source).items():
        for pair in pairwise(path):
            row[arc_of[pair]] += asked[sink]
    return row


def tree_certificate(
    topology: Topology, demand: DemandBounds | None = None, *, lift: bool = False, **labels: str
) -> Certificate:
    """A true certificate whose flow takes one shortest path for each pair."""
    asked = demand_of(topology, demand)
    unit = Fraction(1) if demand is None else demand.unit
    sources = np.array([0]) if lift else np.flatnonzero(asked.any(axis=1))
    rows = np.array([tree_flow(topology, s, asked[s]) for s in sources.tolist()])
    lifted = translation_products(topology) if lift else None
    load = rows.sum(axis=0)
    if lifted is not None:
        load = np.zeros(topology.arcs, dtype=np.int64)
        carried = {0: np.arange(topology.arcs)}
        order = [0]
        for node in order:  # grows while it is walked
            load[carried[node]] += rows[0]
            for child in np.flatnonzero(lifted.parent == node).tolist():
                if child:
                    carried[child] = lifted.motions[lifted.motion[child]][carried[node]]
                    order.append(child)
    capacity = topology.capacity or (Fraction(1),) * topology.arcs
    lower = min(c / int(x) for c, x in zip(capacity, load, strict=True) if x) / unit
    graph = nx.DiGraph(list(zip(topology.tail.tolist(), topology.head.tolist(), strict=True)))
    hops = dict(nx.all_pairs_shortest_path_length(graph))
    low = asked if demand is None else demand.low
    needed = sum(int(low[s, t]) * hops[s][t] for s in hops for t in hops[s])
    lengths = (topology.tail != topology.head).astype(np.int64)
    room = sum((c for c, x in zip(capacity, lengths, strict=True) if x), Fraction())
    return Certificate(
        topology=topology,
        lower=lower,
        upper=room / (needed * unit),
        lengths=lengths,
        sources=sources.astype(np.int64),
        rows=rows.astype(np.int64),
        quantum=unit,
        demand=demand,
        lifted=lifted,
        method="trees",
        **labels,
    )
