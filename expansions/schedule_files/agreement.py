"""A header says what the contents say: nothing that differs, and nothing that no one reads."""

from collections.abc import Collection, Mapping
from typing import Any

from generators.errors import InvalidInput
from generators.formats.quantities import shown

GRAPH_FIELDS = (
    "n", "arcs", "topology", "switches", "names", "capacity", "latency", "multicast", "reduce",
    "unit_rate", "unit_latency",
)  # fmt: skip
"""What headers say of a topology; those of `graph.graph_fields`."""


def require_known(header: Mapping[str, Any], known: Collection[str], within: str = "") -> None:
    """Refuse a field that is none of `known`: it would be passed over, and what it claims too.

    `within` names the object that has the fields, for the message. Raises InvalidInput.

    >>> require_known({"n": 2, "vertices": 2}, ["n"])
    Traceback (most recent call last):
    ...
    generators.errors.InvalidInput: 'vertices': such files have no such field
    """
    for name in header:
        if name not in known:
            raise InvalidInput(f"{within}{shown(name)}: such files have no such field")


def require_agreement(header: Mapping[str, Any], found: Mapping[str, object]) -> None:
    """Refuse a field that is missing or says something else than the contents: `found` by name.

    Types are compared too: 1.0 and true are not 1. Raises InvalidInput.

    >>> require_agreement({"steps": 2.0}, {"steps": 2})
    Traceback (most recent call last):
    ...
    generators.errors.InvalidInput: steps: the file says 2.0, but what it holds gives 2
    """
    for name, value in found.items():
        said = header.get(name)
        if type(said) is not type(value) or said != value:
            told = shown(value) if isinstance(value, str) and len(value) > 100 else value
            raise InvalidInput(
                f"{name}: the file says {shown(said)}, but what it holds gives {told}"
            )
