"""The noun Claim: what a plan says of its end."""

from dataclasses import dataclass

import numpy as np

from generators.topology import Topology


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Claim:
    """Host `host[v]` plays node v of a topology, all of whose circuits but `missing` are there.

    `missing` are pairs of nodes; with `duplex` each pair stands for both directions.
    """

    topology: Topology
    host: tuple[int, ...]
    duplex: bool
    missing: tuple[tuple[int, int], ...] = ()

    @property
    def circuits(self) -> int:
        """Circuits of the topology between different nodes, those that are missing too."""
        arcs = int(np.count_nonzero(self.topology.tail != self.topology.head))
        return arcs // 2 if self.duplex else arcs
