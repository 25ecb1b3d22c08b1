"""Schedules carried over to an isomorphic topology (definition 7)."""

from dataclasses import replace

import numpy as np

from expansions.automorphisms import ArcImages
from expansions.schedule import Schedule
from generators.errors import InvalidInput
from generators.topology import IntArray, Topology


def carry_schedule(
    schedule: Schedule, topology: Topology, onto: Topology, image: IntArray
) -> Schedule:
    """The schedule for `onto` that does what `schedule` does on `topology`.

    `image[v]` is the node of `onto` that takes the place of node v; parallel arcs keep their
    order. Raises InvalidInput unless it is an isomorphism of the arcs. Capacities are not
    compared.

    >>> ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    >>> row = Schedule(source=[0], arc=[0], step=[1], begin=[0], end=[1])
    >>> carry_schedule(row, ring, ring.transpose(), np.array([0, 2, 1])).arc.tolist()
    [2]
    """
    if (topology.n, topology.arcs) != (onto.n, onto.arcs):
        raise InvalidInput(
            f"isomorphism: {topology.n} nodes and {topology.arcs} arcs cannot be carried to "
            f"{onto.n} and {onto.arcs}"
        )
    image = np.asarray(image)
    if not np.array_equal(np.sort(image), np.arange(topology.n)):
        raise InvalidInput("isomorphism: the image is no permutation of the nodes")
    schedule.require_fit(topology)
    arcs = ArcImages(topology, np.arange(topology.arcs), onto).under(image)
    return replace(
        schedule,
        source=image[schedule.source],
        arc=arcs[schedule.arc].astype(np.int32),
        root=None if schedule.root is None else int(image[schedule.root]),
    )
