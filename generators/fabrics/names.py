"""Reads the name of a fabric, such as `DGXA100(16)` or `FatTree(16,8,4)`."""

import re

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.fabrics.register import FABRICS
from generators.topology import Topology

_NAME = re.compile(r"\s*([A-Za-z][A-Za-z0-9]*)\s*(?:\(([^()]*)\))?\s*")
_LARGEST = 10**9


def is_fabric(text: str) -> bool:
    """Whether the text begins with the name of a fabric; its arguments may still be wrong.

    >>> is_fabric("DGXA100(16)"), is_fabric("K(4,4)")
    (True, False)
    """
    found = _NAME.match(text)
    return found is not None and found[1] in FABRICS


def fabric_of(text: str) -> tuple[str, Topology]:
    """The canonical name of a fabric, and its topology.

    Raises InvalidInput for anything that is not the name of a fabric, and in the family's own
    words for impossible arguments.

    >>> name, topology = fabric_of("DGXA100( 2 )")
    >>> name, topology.n - len(topology.switches)
    ('DGXA100(2)', 16)
    """
    found = _NAME.fullmatch(text)
    if found is None or found[1] not in FABRICS:
        raise InvalidInput(f"{excerpt(text)} is no fabric; known are {', '.join(sorted(FABRICS))}")
    fabric = FABRICS[found[1]]
    inside = (found[2] or "").strip()
    arguments = [part.strip() for part in inside.split(",")] if inside else []
    wrong = InvalidInput(f"{text.strip()} does not fit {fabric.signature}")
    if len(arguments) not in fabric.counts:
        raise wrong
    if not all(part.isascii() and part.isdigit() and len(part) <= 12 for part in arguments):
        raise wrong
    values = tuple(map(int, arguments))
    if max(values, default=0) > _LARGEST:
        raise InvalidInput(f"{text.strip()}: an integer is at most {_LARGEST}")
    listed = f"({','.join(map(str, values))})" if values else ""
    return f"{fabric.name}{listed}", fabric.build(*values)
