"""DistReg: the distance-regular graphs of degree 4; bandwidth-optimal by the paper's theorem 18."""

from collections.abc import Iterator

import numpy as np

from generators.distance_regular.catalogue import CATALOGUE, Entry
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.registry import Argument, Arguments, BaseProperties, Family, register_family
from generators.topology import Topology

DEGREE = 4


def distance_regular(*arguments: Argument) -> Topology:
    """The distance-regular graph of n nodes, by degree and size or by name.

    Raises InvalidInput for anything that table 8 does not list.

    >>> distance_regular(4, 35).same_arcs(distance_regular("O4"))
    True
    """
    entry = _entry(arguments)
    tail, head = np.nonzero(entry.make())
    return Topology(
        n=entry.n,
        tail=tail.astype(np.int32),
        head=head.astype(np.int32),
        orbits=np.array(entry.orbits, dtype=np.int32),
    )


def properties(*arguments: Argument) -> BaseProperties:
    """Undirected and simple, of known diameter, with a bandwidth-optimal BFB schedule."""
    entry = _entry(arguments)
    return BaseProperties(
        n=entry.n,
        d=DEGREE,
        regular=True,
        diameter=entry.diameter,
        bandwidth_optimal=True,
        reverse_symmetric=True,
        bidirectional=True,
        simple=True,
        loop_free=True,
    )


def canonical(*arguments: Argument) -> Arguments:
    """Degree and size, whatever form was offered.

    >>> canonical("GQ33")
    (4, 80)
    """
    return (DEGREE, _entry(arguments).n)


def members(n: int, d: int) -> Iterator[Arguments]:
    """The one graph of table 8 with n nodes, if there is one."""
    if d == DEGREE and any(entry.n == n for entry in CATALOGUE):
        yield (d, n)


def _entry(arguments: Arguments) -> Entry:
    for entry in CATALOGUE:
        if arguments == (DEGREE, entry.n) or _is_named(arguments, entry.name):
            return entry
    offered = ",".join(map(str, arguments))
    choices = ", ".join(f"{entry.name} ({DEGREE},{entry.n})" for entry in CATALOGUE)
    raise InvalidInput(f"DistReg has no graph {excerpt(offered)}; it has {choices}")


def _is_named(arguments: Arguments, name: str) -> bool:
    return len(arguments) == 1 and str(arguments[0]).casefold() == name.casefold()


register_family(
    Family(
        name="DistReg",
        title="distance-regular graph of degree 4",
        signature="DistReg(4,n), DistReg(name)",
        source="Zhao et al., appendix F.3, table 8",
        build=distance_regular,
        properties=properties,
        canonical=canonical,
        members=members,
        samples=tuple((DEGREE, entry.n) for entry in CATALOGUE),
    )
)
