"""Whether the graph inside a file is the one that its labels, or the user, say it is."""

from dataclasses import replace

from expansions.build import build
from expansions.parser import parse
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.topology import MAX_NODES, Topology
from topofinder.api.shared.subjects import subject_of


def other_graph(graph: Topology, recipe: str | None, on: str | None = None) -> str | None:
    """A line when a graph is not that of the file's recipe, or not that of `on`; else None.

    A recipe is built whatever its size, which the file's own graph has. Raises InvalidInput when
    `on` cannot be read.
    """
    found = None
    if recipe is not None:
        try:
            found = _difference(graph, build(parse(recipe), MAX_NODES), recipe)
        except InvalidInput as error:
            reason = str(error).splitlines()[0]
            found = f"the file's recipe {excerpt(recipe)} names no graph: {reason}"
    if found is None and on is not None:
        found = _difference(graph, subject_of(on)[1], on)
    return found


def _difference(graph: Topology, other: Topology, name: str) -> str | None:
    if replace(graph, names=None).same_wiring(replace(other, names=None)):
        return None
    return f"the file's graph is not that of {name}"
