"""The noun Claim: what a plan says of its end."""

from dataclasses import dataclass

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
