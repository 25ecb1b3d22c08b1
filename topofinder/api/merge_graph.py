"""A graph of somebody's own, from a file and under a name, on the stored frontier of its size."""

import os
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from db.named_graphs import GraphOfOthers
from db.rows import CandidateRow, SizeRow
from db.store import Store
from expansions.cost import Cost
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.formats.by_suffix import read_topology
from generators.topology import Topology
from reports.merge import merged_graph_text
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.candidate_rows import ENGINE, candidate_row
from topofinder.api.shared.default_effort import effort_or_default
from topofinder.api.shared.frontiers import check_links, check_size, search_size
from topofinder.api.shared.merged_graphs import join_graphs, recipe_of_graph
from topofinder.api.shared.stored_frontiers import StoredSizes
from topofinder.finder.base_candidates import evaluate_recipe
from topofinder.finder.prediction import EVALUABLE
from topofinder.model.candidate import LinkMode


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class MergedGraph(Answer):
    """What became of a graph: its row, costed anew, and the frontier of its size.

    `better` is the member of the frontier that takes no more steps and no more bandwidth, for which
    the graph was left out; None where it was stored.
    """

    name: str
    file: str
    row: CandidateRow
    found: SizeRow
    better: CandidateRow | None = None

    @property
    def agrees(self) -> bool:
        """Whether the graph is on the frontier."""
        return self.better is None

    def summary(self) -> dict[str, Any]:
        """Name, size, and whether it is stored."""
        return {"name": self.name, "n": self.row.n, "d": self.row.d, "stored": self.agrees}

    def to_dict(self) -> dict[str, Any]:
        """The fields that `merge --json` prints."""
        return {
            **{"name": self.name, "file": self.file, "n": self.row.n, "d": self.row.d},
            **{"links": self.row.links, "recipe": self.row.recipe, "id": self.row.id},
            **{"steps": self.row.steps, "bandwidth": str(self.row.bandwidth)},
            **{"stored": self.agrees, "better": self.better and self.better.recipe},
        }

    def __str__(self) -> str:
        return merged_graph_text(self.name, self.row, self.better)

    def complaints(self) -> str:
        """Why it was left out; nothing where it is stored."""
        return "" if self.agrees else str(self)


def merge_graph(
    file: str | os.PathLike[str],
    name: str,
    into: str | os.PathLike[str],
    *,
    links: LinkMode | str = LinkMode.SIMPLEX,
) -> MergedGraph:
    """Put a graph of one's own on the stored frontier of its size, if it belongs there.

    The graph is costed anew, whatever its maker says. Its size is searched first, as `search` does
    it, unless that is stored. Where no member takes as few steps at as little bandwidth, the graph
    is stored under its `name`, with the recipe of its arcs; else nothing is. Searches that replace
    the size later keep it as long as it is as good. Raises InvalidInput for files that are no
    graphs of alike hosts and links, names that are taken, and databases that cannot be written.
    """
    mode = check_links(links)
    topology, digest = _read_graph(Path(file))
    try:
        check_size(topology.n, topology.degree, mode)
        if topology.n * topology.arcs > EVALUABLE:
            raise InvalidInput(f"{topology.arcs} arcs of {topology.n} hosts are too many to cost")
        recipe = recipe_of_graph(topology, mode)
    except InvalidInput as error:
        raise InvalidInput(f"{file}: {str(error).splitlines()[0]}") from None
    graph = GraphOfOthers(name=name, recipe=str(recipe), digest=digest)
    row = candidate_row(evaluate_recipe(recipe), mode)
    with Store(into) as store:
        store.require_writable()
        _require_free(store, graph)
        answer = MergedGraph(name=name, file=str(file), row=row, found=_answer(row, into))
        if answer.found.frontier.names.get(graph.recipe) == name:
            return answer
        joined = join_graphs(answer.found, [graph])
        if graph not in joined.frontier.graphs:
            return replace(answer, better=_better(answer.found, row.allgather))
        with StoredSizes(store) as sizes:
            sizes.save([joined])
    return replace(answer, found=joined)


def _read_graph(file: Path) -> tuple[Topology, str]:
    """The graph in a file, and the SHA-256 of its bytes."""
    topology = read_topology(file)
    return topology, sha256(file.read_bytes()).hexdigest()


def _require_free(store: Store, graph: GraphOfOthers) -> None:
    """Refuse a name that another graph has, and another name for the same arcs."""
    for (n, d, links), graphs in store.named_graphs().items():
        for one in graphs:
            size = f"n {n}, d {d}, {links}"
            if one.name == graph.name and one.recipe != graph.recipe:
                raise InvalidInput(f"--name: {excerpt(one.name)} is another graph, {size}")
            if one.recipe == graph.recipe and one.name != graph.name:
                raise InvalidInput(f"--name: the graph is here by the name {excerpt(one.name)}")


def _answer(row: CandidateRow, into: str | os.PathLike[str]) -> SizeRow:
    """The stored answer at the size of a row, searched where it is missing."""
    found = search_size(row.n, row.d, row.links, into, max(1, effort_or_default(None)))
    if found.frontier.engine != ENGINE:
        raise InvalidInput(f"{into}: a newer topofinder searched this size, and only it can add")
    return found


def _better(found: SizeRow, cost: Cost) -> CandidateRow:
    """The member with the least bandwidth of those that take no more steps."""
    return [each for each in found.frontier.members if each.steps <= cost.steps][-1]
