"""The rows that every format writes: the attributes of a node, the attributes of an arc."""

from collections.abc import Iterator
from fractions import Fraction

from generators.formats.quantities import exact_text
from generators.topology import UNITS, Topology


def node_attributes(topology: Topology) -> Iterator[dict[str, str | bool | int]]:
    """For each node in order: its `name` where nodes have names, `switch` where it is one,
    `multicast` and `reduce` where it can do that, and the `tier` of a switch where that is known.

    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)], switches=(1,), names=("a", "b"))
    >>> list(node_attributes(pair))
    [{'name': 'a'}, {'name': 'b', 'switch': True}]
    """
    fields = (("switch", "switches"), ("multicast", "multicast"), ("reduce", "reduce"))
    able = [(ability, set(getattr(topology, field))) for ability, field in fields]
    for node in range(topology.n):
        attributes: dict[str, str | bool | int] = {}
        if topology.names is not None:
            attributes["name"] = topology.names[node]
        attributes |= {ability: True for ability, nodes in able if node in nodes}
        if topology.tiers is not None and topology.tiers[node]:
            attributes["tier"] = topology.tiers[node]
        yield attributes


def unit_texts(topology: Topology) -> dict[str, str]:
    """`unit_rate` in bytes a second, `unit_latency` in seconds, what hosts add: what is known.

    >>> unit_texts(Topology.from_arcs(1, [], unit_rate=10**9))
    {'unit_rate': '1000000000'}
    """
    known = {field: getattr(topology, field) for field in UNITS}
    return {field: exact_text(field, value) for field, value in known.items() if value is not None}


def arc_attributes(topology: Topology) -> Iterator[dict[str, Fraction]]:
    """For each arc in order: its `capacity` and `latency`, where the topology has them.

    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)], capacity=(1, Fraction(3, 2)))
    >>> list(arc_attributes(pair))
    [{'capacity': Fraction(1, 1)}, {'capacity': Fraction(3, 2)}]
    """
    fields = [
        (field, values)
        for field, values in (("capacity", topology.capacity), ("latency", topology.latency))
        if values is not None
    ]
    for arc in range(topology.arcs):
        yield {field: values[arc] for field, values in fields}


def arc_texts(topology: Topology) -> Iterator[dict[str, str]]:
    """As `arc_attributes`, with the numbers as the text a file holds."""
    for attributes in arc_attributes(topology):
        yield {field: exact_text(field, value) for field, value in attributes.items()}


def arc_ends(topology: Topology) -> Iterator[tuple[int, int]]:
    """For each arc in order: its tail and its head, as plain integers."""
    return zip(topology.tail.tolist(), topology.head.tolist(), strict=True)
