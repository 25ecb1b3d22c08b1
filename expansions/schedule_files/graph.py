"""The topology inside a file: header fields, arrays of its arcs, and the recipe that names it."""

import operator
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from expansions.parser import parse
from expansions.schedule_files.digest import topology_digest
from expansions.size import size
from generators.distinct import share_values
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.formats.archive import ArrayRange
from generators.formats.container import LIFTS, Arrays, require_integer
from generators.formats.quantities import exact, exact_text
from generators.formats.rows import unit_texts
from generators.limits import MAX_ARCS, MAX_NODES
from generators.topology import UNITS, SharedValues, Topology

GRAPH_FIELDS = (
    "n", "arcs", "topology", "switches", "names", "capacity", "latency", "multicast", "reduce",
    "tiers",
    *UNITS,
)  # fmt: skip
"""What headers say of a topology; those of `graph_fields`."""
TEXT_COST, ARC_COST = 256, 3
"""Entries of an array that take as long as one capacity to be read, and as that of one arc."""
MOST_DIGITS = 1 << 25
"""Characters that the capacities of all arcs of an ordinary file have together."""


def graph_fields(topology: Topology) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Header fields and arrays; what is known of the symmetry is not among them."""
    arrays = {"tail": topology.tail, "head": topology.head}
    values = {}
    for name in ("capacity", "latency"):
        values[name], which = _distinct_values(name, getattr(topology, name))
        if which is not None:
            arrays[f"{name}_of_arc"] = which
    header = {
        "n": topology.n,
        "arcs": topology.arcs,
        "topology": topology_digest(topology),
        "switches": list(topology.switches),
        "names": None if topology.names is None else list(topology.names),
        **values,
    }
    able = {name: list(getattr(topology, name)) for name in ("multicast", "reduce")}
    # Only where there is something to say: other files stay as they have always been.
    header |= {name: nodes for name, nodes in able.items() if nodes}
    if topology.tiers is not None:
        header["tiers"] = list(topology.tiers)
    return header | unit_texts(topology), arrays


def graph_lengths(header: Mapping[str, Any]) -> dict[str, int]:
    """The arrays that a header announces, and their lengths; n and arcs are checked first."""
    require_integer(header, "n", 1, MAX_NODES)
    arcs = require_integer(header, "arcs", 0, MAX_ARCS)
    wanted = {"tail": arcs, "head": arcs}
    for name in ("capacity", "latency"):
        if header.get(name) is not None:
            wanted[f"{name}_of_arc"] = arcs
    return wanted


def graph_ranges(header: Mapping[str, Any]) -> dict[str, ArrayRange]:
    """The entries that the arrays of `graph_lengths` may have, of those and of no others."""
    return {name: ArrayRange(most=header["n"] - 1) for name in ("tail", "head")}


def graph_values(header: Mapping[str, Any]) -> int:
    """What the different capacities and latencies of a header cost, in entries of an array."""
    texts = [header.get(name) for name in ("capacity", "latency")]
    return sum(
        TEXT_COST * len(each) + ARC_COST * header["arcs"]
        for each in texts
        if isinstance(each, list)
    )


def require_ordinary_graph(topology: Topology, *, most_digits: int = MOST_DIGITS) -> None:
    """Refuse capacities and latencies whose texts, those of all arcs together, are very long.

    They are hashed. Raises InvalidInput.
    """
    for name in ("capacity", "latency"):
        shared = share_values(getattr(topology, name) or ())
        lengths = [len(exact_text(name, value)) for value in shared.values]
        arcs = np.bincount(shared.which, minlength=len(lengths)).tolist()
        if (count := sum(map(operator.mul, lengths, arcs))) > most_digits:
            told = f"{count} characters for all arcs, more than {most_digits}"
            raise InvalidInput(f"{name}: {told}; {LIFTS}")


def restore_graph(header: Mapping[str, Any], arrays: Arrays) -> Topology:
    """The topology; `arrays` are as `graph_lengths` asks. Raises InvalidInput."""
    names = header.get("names")
    if names is not None and not isinstance(names, list):
        raise InvalidInput(f"names: a list or null is needed, not {excerpt(names)}")
    return Topology(
        n=require_integer(header, "n", 1, MAX_NODES),
        tail=arrays["tail"],
        head=arrays["head"],
        capacity=_values_of_arcs(header, arrays, "capacity"),  # type: ignore[arg-type]
        latency=_values_of_arcs(header, arrays, "latency"),  # type: ignore[arg-type]
        switches=_nodes(header, "switches"),
        names=None if names is None else tuple(names),
        multicast=_nodes(header, "multicast", ()),
        reduce=_nodes(header, "reduce", ()),
        tiers=_nodes(header, "tiers") if "tiers" in header else None,
        **{name: _unit(header, name) for name in UNITS},  # type: ignore[arg-type]
    )


def canonical_recipe(text: object, topology: Topology) -> str:
    """The text of the recipe that names a topology, as far as its size tells.

    Raises InvalidInput when it cannot be read or has another number of nodes.
    """
    if not isinstance(text, str):
        raise InvalidInput(f"recipe: text is needed, not {excerpt(text)}")
    try:
        recipe = parse(text)
    except InvalidInput as error:
        raise InvalidInput(f"recipe: {str(error).splitlines()[0]}") from None
    if size(recipe).n != topology.n:
        raise InvalidInput(
            f"recipe: {recipe} has {size(recipe).n} nodes, but the topology {topology.n}"
        )
    return str(recipe)


def _nodes(header: Mapping[str, Any], name: str, missing: object = None) -> tuple[int, ...]:
    nodes = header.get(name, missing)
    if nodes == ():
        return ()
    if not isinstance(nodes, list) or any(type(node) is not int for node in nodes):
        raise InvalidInput(f"{name}: a list of nodes is needed, not {excerpt(nodes)}")
    return tuple(nodes)


def _unit(header: Mapping[str, Any], name: str) -> Fraction | None:
    value = header.get(name)
    if value is not None and not isinstance(value, str):
        raise InvalidInput(f"{name}: a text such as '3/2' is needed, not {excerpt(value)}")
    return None if value is None else exact(name, value)


def _distinct_values(
    name: str, values: tuple[Fraction, ...] | None
) -> tuple[list[str] | None, NDArray[Any] | None]:
    """The different values as text, and which of them each arc has."""
    if values is None:
        return None, None
    shared = share_values(values)
    texts = [exact_text(name, value) for value in shared.values]
    return texts, shared.which.astype(np.int32)


def _values_of_arcs(header: Mapping[str, Any], arrays: Arrays, name: str) -> SharedValues | None:
    texts = header.get(name)
    if texts is None:
        return None
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise InvalidInput(f"{name}: a list of texts such as '3/2' is needed, not {excerpt(texts)}")
    values = [exact(name, text) for text in texts]
    which = arrays[f"{name}_of_arc"]
    wrong = which[(which < 0) | (which >= len(values))]
    if len(wrong):
        raise InvalidInput(f"{name}_of_arc: {wrong[0]} is not in 0..{len(values) - 1}")
    idle = np.setdiff1d(np.arange(len(values)), which)
    if len(idle):
        raise InvalidInput(f"{name}: {excerpt(texts[idle[0]])} is that of no arc")
    return SharedValues(values, which)
