"""The schedule that a recipe implies, composed along its tree (sections 5 and 6, appendix D).

Only base graphs and expansions whose map BFB betters, Cartesian products and balanced degree
expansions among them, are scheduled by BFB on the graph itself; every other expansion maps the
schedules of the graphs inside. The choices are those that the candidate was predicted by: it keeps
the parts it was made from. So a schedule costs what its candidate predicts, and less only where
the candidate is an upper bound. For a reduce-scatter the same composition runs over the
transposes: the expansion of a transpose is the transpose of the expansion, its arcs in another
order.
"""

from collections.abc import Callable, Sequence
from typing import cast

import numpy as np

from expansions.build import build
from expansions.isomorphic_copy import carry_schedule
from expansions.isomorphism import reverse_isomorphism
from expansions.recipe import Base, Recipe
from expansions.register import Expansion, ScheduledGraph, expansion_of, last_application
from expansions.schedule import Schedule
from generators.errors import Unsupported
from generators.topology import Topology
from topofinder.model.candidate import Candidate, Method
from topofinder.schedules.bfb.schedule import bfb_schedule
from topofinder.schedules.collectives import Allgathers, allgathers_by
from topofinder.schedules.deferral.schedule import deferred_schedule
from topofinder.schedules.synthesis.chunk_schedules import ChunkSchedule, shipped_synthesis
from topofinder.schedules.synthesis.complete_multigraphs import relayed_allgather

Allgather = tuple[Topology, Schedule]
"""A graph, and an allgather on it or on its transpose, with the same numbers of nodes and arcs."""


def allgathers_of(candidate: Candidate) -> Allgathers:
    """The allgathers of a candidate's graph and of its transpose, composed when called for."""
    return lambda back: _compose(candidate, back)[1]


def _compose(candidate: Candidate, back: bool) -> Allgather:
    """The recipe's graph G, and an allgather on G, or with `back` on `G.transpose()`."""
    recipe = candidate.recipe
    if isinstance(recipe, Base) or not candidate.parts:
        return _schedule_directly(candidate, back)
    expansion = expansion_of(recipe)
    is_bfb = candidate.method is Method.BFB and not expansion.keeps_bfb
    if expansion.schedule is None or is_bfb or candidate.method is Method.DEFERRED:
        return _schedule_directly(candidate, back)
    recipes, numbers = last_application(recipe)
    return _apply_map(expansion, _parts_with(candidate, recipes), numbers, back)


def _parts_with(candidate: Candidate, recipes: Sequence[Recipe]) -> tuple[Candidate, ...]:
    """The parts of a candidate that have these recipes: recipes merge expansions of one kind."""
    parts = candidate.parts
    while len(parts) == 1 and parts[0].recipe != recipes[0]:
        parts = parts[0].parts
    if len(parts) != len(recipes):
        raise _refuse_parts(candidate)
    return parts


def _apply_map(
    expansion: Expansion, insides: Sequence[Candidate], numbers: tuple[int, ...], back: bool
) -> Allgather:
    """The expansion of candidates' graphs, and the schedule that its map makes of their own.

    With `back` the map runs on the transposes. Its expansion has the nodes and arcs of the
    transposed expansion, but lists the arcs in another order.
    """
    composed = [_compose(inside, back) for inside in insides]
    grown = expansion.build(*(graph for graph, _ in composed), *numbers)
    parts = [
        ScheduledGraph(graph.transpose() if back else graph, schedule, _other_way(inside, back))
        for inside, (graph, schedule) in zip(insides, composed, strict=True)
    ]
    follow = cast(Callable[..., Schedule], expansion.schedule)
    schedule = follow(*parts, *numbers)
    if not back:
        return grown, schedule
    turned = expansion.build(*(part.topology for part in parts), *numbers)
    same_nodes = np.arange(grown.n, dtype=np.int32)
    return grown, carry_schedule(schedule, turned, grown.transpose(), same_nodes)


def _other_way(inside: Candidate, back: bool) -> Callable[[], Schedule]:
    """Makes the allgather on the transpose of the graph that is composed with `back`."""
    return lambda: _compose(inside, not back)[1]


def _schedule_directly(candidate: Candidate, back: bool) -> Allgather:
    """What no map makes: a shipped schedule, or BFB on the graph itself, deferred or not."""
    if candidate.method is Method.EXPANSION:
        raise _refuse_parts(candidate)
    topology = build(candidate.recipe)
    if candidate.method is Method.SYNTHESIS:
        return topology, _synthesised_allgather(candidate.recipe, topology, back)
    allgather = deferred_schedule if candidate.method is Method.DEFERRED else bfb_schedule
    return topology, allgathers_by(topology, allgather)(back)


def _synthesised_allgather(recipe: Recipe, topology: Topology, back: bool) -> Schedule:
    """By relays on a complete multigraph, which v -> -v maps to its transpose; else as it ships."""
    if not isinstance(recipe, Base) or recipe.name != "MultiK":
        return shipped_allgather(str(recipe), topology, back=back)
    forth = relayed_allgather(*cast(tuple[int, int], recipe.arguments))
    if not back:
        return forth
    image = (-np.arange(topology.n, dtype=np.int32)) % np.int32(topology.n)
    return carry_schedule(forth, topology, topology.transpose(), image)


def shipped_allgather(recipe: str, topology: Topology, *, back: bool) -> Schedule:
    """The synthesised allgather of a base graph, or with `back` of its transpose.

    Where the graph is reverse-symmetric and both cost the same, the one on the transpose is the
    renamed first one: so they are alike step by step, as appendix A.6 asks. Raises Unsupported
    where no schedule ships.

    >>> from generators.families.diamond import diamond
    >>> shipped_allgather("Diamond", diamond(), back=False).cost(diamond())
    Cost(steps=3, bandwidth=Fraction(7, 8))
    """
    found = shipped_synthesis(recipe)
    if found is None:
        raise Unsupported(f"{recipe}: no synthesised schedule ships for it")
    forth, transposed = found
    if not back:
        return from_chunks(forth)
    image = reverse_isomorphism(topology) if forth.cost == transposed.cost else None
    if image is None:
        return from_chunks(transposed)
    return carry_schedule(from_chunks(forth), topology, topology.transpose(), image)


def from_chunks(found: ChunkSchedule) -> Schedule:
    """A schedule of whole chunks in the general form: chunk c is the piece [c, c + 1) / chunks.

    >>> from_chunks(shipped_synthesis("Diamond")[0]).denominator
    2
    """
    begin = found.chunk.astype(np.int64)
    return Schedule(
        source=found.source,
        arc=found.arc,
        step=found.step,
        begin=begin,
        end=begin + 1,
        denominator=found.chunks,
    )


def _refuse_parts(candidate: Candidate) -> Unsupported:
    return Unsupported(f"{candidate.recipe}: its parts are not known, so that no map applies")
