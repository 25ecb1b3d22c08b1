"""The noun HostLinks: links between hosts, and their ways through switches."""

from dataclasses import dataclass

from generators.errors import InvalidInput
from generators.topology import IntArray, Topology


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HostLinks:
    """A topology whose node v is node `hosts[v]` of a fabric, and whose arc e is its way `ways[e]`.

    A way lists arcs of the fabric, one after the other; the first begins at a host, the last ends
    at one, and all between are switches. Ways together keep to the capacities of the fabric.
    Raises InvalidInput where there is not one host a node and one way an arc.
    """

    topology: Topology
    hosts: IntArray
    ways: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        if len(self.hosts) != self.topology.n or len(self.ways) != self.topology.arcs:
            raise InvalidInput("ways: one a link, and one host a node, are needed")
