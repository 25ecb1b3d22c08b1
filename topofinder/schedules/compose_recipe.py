"""The schedule that a recipe implies, composed along its tree (sections 5 and 6, appendix D).

Only base graphs, Cartesian products and balanced degree expansions are scheduled by BFB on the
graph itself; every other operator maps the schedule of the graph inside. The choices are those
that the candidate was predicted by: it keeps the parts it was made from. So a schedule costs what
its candidate predicts, and less only where the candidate is an upper bound. For a reduce-scatter
the same composition runs over the transposes: the expansion of a transpose is the transpose of
the expansion, its arcs in another order.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from expansions.bidirectional import two_way
from expansions.bidirectional_schedule import two_way_schedule
from expansions.build import build
from expansions.cartesian import cartesian_power
from expansions.cartesian_schedule import power_schedule
from expansions.collective import Collective
from expansions.degree import degree_expansion
from expansions.degree_schedule import degree_schedule
from expansions.isomorphism import reverse_isomorphism
from expansions.line_graph import line_graph
from expansions.line_schedule import line_schedule
from expansions.recipe import Bi, Degree, Line, Power, Recipe
from expansions.renaming import renamed
from expansions.schedule import Schedule
from generators.errors import Unsupported
from generators.topology import Topology
from topofinder.model.candidate import Candidate, Method
from topofinder.schedules.bfb.schedule import bfb_schedule
from topofinder.schedules.collectives import Gather, both_ways, collective_schedule
from topofinder.schedules.synthesis.chunk_schedules import ChunkSchedule, synthesised

Allgather = tuple[Topology, Schedule]
"""A graph, and an allgather on it or on its transpose, with the same numbers of nodes and arcs."""


def schedule_of(
    candidate: Candidate, collective: Collective = Collective.ALLGATHER, root: int | None = None
) -> Schedule:
    """The schedule whose cost a candidate predicts, on `build(candidate.recipe)`."""
    return collective_schedule(build(candidate.recipe), collective, gather_of(candidate), root)


def gather_of(candidate: Candidate) -> Gather:
    """The allgathers of a candidate's graph and of its transpose, composed when called for."""
    return lambda back: _composed(candidate, back)[1]


def _composed(candidate: Candidate, back: bool) -> Allgather:
    """The recipe's graph G, and an allgather on G, or with `back` on `G.transpose()`."""
    if not candidate.parts:
        return _scheduled(candidate, back)
    match candidate.recipe:
        case Line(inner, times):
            rest = inner if times == 1 else Line(inner, times - 1)
            return _mapped(_inside(candidate, rest), back, line_graph, line_schedule)
        case Degree(inner, copies) if candidate.method is not Method.BFB:
            grow = partial(degree_expansion, copies=copies)
            follow = partial(degree_schedule, copies=copies)
            return _mapped(_inside(candidate, inner), back, grow, follow)
        case Power(inner, exponent):
            grow = partial(cartesian_power, exponent=exponent)
            follow = partial(power_schedule, exponent=exponent)
            return _mapped(_inside(candidate, inner), back, grow, follow)
        case Bi(inner):
            one_way = _inside(candidate, inner)
            _, other = _composed(one_way, not back)
            return _mapped(one_way, back, two_way, partial(two_way_schedule, transposed=other))
    return _scheduled(candidate, back)


def _inside(candidate: Candidate, inner: Recipe) -> Candidate:
    """The part of a candidate that has a recipe: expansions of one kind are merged in recipes."""
    while candidate.recipe != inner:
        candidate = candidate.parts[0]
    return candidate


def _mapped(
    inside: Candidate,
    back: bool,
    grow: Callable[[Topology], Topology],
    follow: Callable[[Topology, Schedule], Schedule],
) -> Allgather:
    """The expansion of a candidate's graph, and the schedule that a map makes of its own.

    With `back` the map runs on the transpose. Its expansion has the nodes and arcs of the
    transposed expansion, but lists the arcs in another order.
    """
    graph, schedule = _composed(inside, back)
    grown = grow(graph)
    if not back:
        return grown, follow(graph, schedule)
    turned = graph.transpose()
    same_nodes = np.arange(grown.n, dtype=np.int32)
    return grown, renamed(follow(turned, schedule), grow(turned), grown.transpose(), same_nodes)


def _scheduled(candidate: Candidate, back: bool) -> Allgather:
    """What no map makes: a shipped schedule, or BFB on the graph itself."""
    if candidate.method is Method.EXPANSION:
        raise Unsupported(f"{candidate.recipe}: its parts are not known, so that no map applies")
    topology = build(candidate.recipe)
    if candidate.method is Method.SYNTHESIS:
        return topology, shipped_allgather(str(candidate.recipe), topology, back=back)
    return topology, both_ways(topology, bfb_schedule)(back)


def shipped_allgather(recipe: str, topology: Topology, *, back: bool) -> Schedule:
    """The synthesised allgather of a base graph, or with `back` of its transpose.

    Where the graph is reverse-symmetric and both cost the same, the one on the transpose is the
    renamed first one: so they are alike step by step, as appendix A.6 asks. Raises Unsupported
    where no schedule ships.

    >>> from generators.families.diamond import diamond
    >>> shipped_allgather("Diamond", diamond(), back=False).cost(diamond())
    Cost(steps=3, bandwidth=Fraction(7, 8))
    """
    found = synthesised(recipe)
    if found is None:
        raise Unsupported(f"{recipe}: no synthesised schedule ships for it")
    forth, transposed = found
    if not back:
        return from_chunks(forth)
    image = reverse_isomorphism(topology) if forth.cost == transposed.cost else None
    if image is None:
        return from_chunks(transposed)
    return renamed(from_chunks(forth), topology, topology.transpose(), image)


def from_chunks(found: ChunkSchedule) -> Schedule:
    """A schedule of whole chunks in the general form: chunk c is the piece [c, c + 1) / chunks.

    >>> from_chunks(synthesised("Diamond")[0]).denominator
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
