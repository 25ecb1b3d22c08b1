"""`topofinder build`: the graph that a recipe or fabric names, in a file."""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from expansions.build import build as build_recipe
from expansions.hosts import HostFabric, is_host_fabric, parse_host_fabric
from expansions.infragraph_writer import infragraph_text
from expansions.parser import parse
from expansions.recipe import Recipe
from generators.errors import InvalidInput
from generators.files import write_whole
from generators.formats.by_suffix import write_topology
from generators.topology import Topology
from topofinder.api.build_wired import build_wired
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.file_kinds import explain_wrong_file
from topofinder.api.shared.places import check_places
from topofinder.api.shared.stored_recipes import whole_recipe
from topofinder.api.shared.subjects import is_named_fabric, named_fabric

INFRAGRAPH = "infragraph"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class BuiltGraph(Answer):
    """A graph under the name it was built from, and the file it was written to, if any."""

    name: str
    topology: Topology
    file: str | None = None

    @property
    def n(self) -> int:
        """Nodes."""
        return self.topology.n

    @property
    def d(self) -> int:
        """The largest degree."""
        return self.topology.degree

    @property
    def arcs(self) -> int:
        """Arcs."""
        return self.topology.arcs

    def summary(self) -> dict[str, Any]:
        """The name, and the numbers of nodes and arcs."""
        return {"name": self.name, "n": self.n, "arcs": self.arcs}

    def to_dict(self) -> dict[str, Any]:
        """The same, with the degree and the file; the command has no JSON."""
        return {**self.summary(), "d": self.d, "file": self.file}

    def _drawn_noun(self) -> object:
        from topofinder.api.shared.drawings import NamedGraph

        return NamedGraph(name=self.name, topology=self.topology)

    def __str__(self) -> str:
        written = "" if self.file is None else f", written to {self.file}"
        return f"{self.name}: {self.n} nodes, {self.arcs} arcs{written}"


def build(
    recipe: str | Recipe,
    output: str | PathLike[str] | None = None,
    format: str | None = None,
    *,
    inventory: str | PathLike[str] | None = None,
    current: str | PathLike[str] | None = None,
    db: str | PathLike[str] | None = None,
) -> BuiltGraph:
    """The graph of a recipe, or of a fabric such as "DGXA100(2)", written to `output` if given.

    `format` says how, where the suffix does not; "infragraph" is for fabrics of hosts. In place of
    a recipe "#" and the id of a candidate in `db` will do. Raises InvalidInput for what cannot be
    read or written, and for graphs that are too large. With the files of an `inventory` and its
    `current` cross-connects, `recipe` is the host that all are, such as "HostH100".

    >>> build("L(K(4,4))")
    BuiltGraph(name='L(K(4,4))', n=32, arcs=128)
    """
    file = None if output is None else Path(output)
    check_places(None, file)
    if inventory is None and current is None:
        name, topology = _graph(whole_recipe(recipe, db))
    elif inventory is None or current is None:
        raise InvalidInput("--inventory: goes with --current, and with the host that all are")
    else:
        name, topology = build_wired(str(recipe), inventory, current)
    if file is not None and format == INFRAGRAPH:
        write_whole(file, infragraph_text(_host_fabric(name)))
    elif file is not None:
        write_topology(topology, file, format)
    return BuiltGraph(name=name, topology=topology, file=None if file is None else str(file))


def _host_fabric(name: str) -> HostFabric:
    if not is_host_fabric(name):
        raise InvalidInput(f"--format: {INFRAGRAPH} is for hosts like HostH100[K(8,8)]")
    return parse_host_fabric(name)


def _graph(recipe: str | Recipe) -> tuple[str, Topology]:
    if isinstance(recipe, str):
        if is_named_fabric(recipe):
            return named_fabric(recipe)
        with explain_wrong_file("build", recipe):
            recipe = parse(recipe)
    return str(recipe), build_recipe(recipe)
