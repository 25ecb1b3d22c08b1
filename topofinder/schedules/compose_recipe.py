"""The schedule that a recipe implies, composed along its tree (sections 5 and 6, appendix D).

Only base graphs, Cartesian products and balanced degree expansions are scheduled by BFB on the
graph itself; every other operator maps the schedule of the graph inside. The choices are those of
`finder.candidate_maps`, so that a schedule costs what its candidate predicts, and less only
where the candidate is an upper bound. For a reduce-scatter the same composition runs over the
transposes: the expansion of a transpose is the transpose of the expansion, its arcs in another
order.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np

from expansions.bidirectional import two_way
from expansions.bidirectional_schedule import two_way_schedule
from expansions.build import build
from expansions.canonical import canonical
from expansions.cartesian import cartesian_power
from expansions.cartesian_schedule import power_schedule
from expansions.collective import Collective
from expansions.cost import Cost
from expansions.degree import degree_expansion
from expansions.degree_schedule import degree_schedule
from expansions.line_graph import line_graph
from expansions.line_schedule import line_schedule
from expansions.recipe import Bi, Degree, Line, Power, Recipe
from expansions.renaming import renamed
from expansions.schedule import Schedule
from generators.errors import Unsupported
from generators.topology import Topology
from topofinder.finder import candidate_maps
from topofinder.finder.base_candidates import Bases
from topofinder.finder.prediction import origins, predict
from topofinder.model.candidate import Candidate, Method
from topofinder.schedules.base import shipped_allgather
from topofinder.schedules.bfb.schedule import bfb_schedule
from topofinder.schedules.collectives import Gather, both_ways, collective_schedule

Allgather = tuple[Topology, Schedule]
"""A graph, and an allgather on it or on its transpose, with the same numbers of nodes and arcs."""


def schedule_of(
    recipe: Recipe,
    collective: Collective = Collective.ALLGATHER,
    method: Method | None = None,
    root: int | None = None,
) -> Schedule:
    """The schedule of a collective on `build(recipe)`, in its numbering of nodes and arcs.

    Without a method it is the predicted one of least bandwidth, and BFB on the graph itself
    where no theorem predicts any; the method BFB always runs on the graph itself. Raises
    Unsupported for a method that the recipe has no schedule by, InvalidInput as `build` does and
    for a root that does not fit.

    >>> from expansions.parser import parse
    >>> recipe = parse("L(K(4,4))")
    >>> schedule_of(recipe).cost(build(recipe))
    Cost(steps=3, bandwidth=Fraction(1, 1))
    """
    candidate = None if method is Method.BFB else chosen(recipe, collective, method)
    if candidate is not None:
        return schedule_of_candidate(candidate, collective, root)
    topology = build(canonical(recipe))
    return collective_schedule(topology, collective, both_ways(topology, bfb_schedule), root)


def schedule_of_candidate(
    candidate: Candidate, collective: Collective = Collective.ALLGATHER, root: int | None = None
) -> Schedule:
    """The schedule whose cost a candidate predicts, on `build(candidate.recipe)`."""
    return collective_schedule(build(candidate.recipe), collective, gather_of(candidate), root)


def gather_of(candidate: Candidate) -> Gather:
    """The allgathers of a candidate's graph and of its transpose, composed when called for."""
    bases = Bases()
    return lambda back: _composed(candidate, back, bases)[1]


def chosen(
    recipe: Recipe, collective: Collective, method: Method | None = None
) -> Candidate | None:
    """The predicted candidate of least bandwidth, then fewest steps; None if there is none.

    Raises Unsupported when none of them is of the method asked for.
    """
    known = predict(canonical(recipe), Bases())
    fit = [candidate for candidate in known if method in (None, candidate.method)]
    if method is not None and not fit:
        ways = ", ".join(sorted({Method.BFB.value, *(one.method.value for one in known)}))
        raise Unsupported(f"{recipe}: has no schedule by {method}; known are {ways}")

    def price(candidate: Candidate) -> tuple[Fraction, int]:
        cost = cost_of(candidate, collective)
        return cost.bandwidth, cost.steps

    return min(fit, key=price, default=None)


def cost_of(candidate: Candidate, collective: Collective) -> Cost:
    """What a candidate predicts; for a broadcast or reduce the allgather it is taken from."""
    match collective:
        case Collective.ALLGATHER | Collective.BROADCAST:
            return candidate.allgather
        case Collective.REDUCE_SCATTER | Collective.REDUCE:
            return candidate.reduce_scatter
        case Collective.ALLREDUCE:
            return candidate.allreduce


def _composed(candidate: Candidate, back: bool, bases: Bases) -> Allgather:
    """The recipe's graph G, and an allgather on G, or with `back` on `G.transpose()`."""

    def inside(inner: Recipe, grown: Callable[[Candidate], Candidate | None]) -> Candidate:
        """The candidate from which this one was predicted."""
        return next(one for one in origins(inner, bases) if grown(one) == candidate)

    match candidate.recipe:
        case Line(inner, times):
            rest = inner if times == 1 else Line(inner, times - 1)
            origin = _composed(inside(rest, candidate_maps.line), back, bases)
            return _mapped(origin, back, line_graph, line_schedule)
        case Degree(inner, copies) if candidate.method is not Method.BFB:
            origin = _composed(
                inside(inner, lambda one: candidate_maps.degree(one, copies)), back, bases
            )
            grow = partial(degree_expansion, copies=copies)
            return _mapped(origin, back, grow, partial(degree_schedule, copies=copies))
        case Power(inner, exponent):
            origin = _composed(
                inside(inner, lambda one: candidate_maps.power(one, exponent)), back, bases
            )
            grow = partial(cartesian_power, exponent=exponent)
            return _mapped(origin, back, grow, partial(power_schedule, exponent=exponent))
        case Bi(inner):
            one_way = inside(inner, candidate_maps.two_way)
            _, other = _composed(one_way, not back, bases)
            follow = partial(two_way_schedule, transposed=other)
            return _mapped(_composed(one_way, back, bases), back, two_way, follow)
    return _scheduled(candidate, back)


def _mapped(
    origin: Allgather,
    back: bool,
    grow: Callable[[Topology], Topology],
    follow: Callable[[Topology, Schedule], Schedule],
) -> Allgather:
    """The expansion of a graph, and the schedule that a map makes of the one inside.

    With `back` the map runs on the transpose. Its expansion has the nodes and arcs of the
    transposed expansion, but lists the arcs in another order.
    """
    graph, schedule = origin
    grown = grow(graph)
    if not back:
        return grown, follow(graph, schedule)
    turned = graph.transpose()
    same_nodes = np.arange(grown.n, dtype=np.int32)
    return grown, renamed(follow(turned, schedule), grow(turned), grown.transpose(), same_nodes)


def _scheduled(candidate: Candidate, back: bool) -> Allgather:
    """What no map makes: a shipped schedule, or BFB on the graph itself."""
    topology = build(candidate.recipe)
    if candidate.method is Method.SYNTHESIS:
        return topology, shipped_allgather(str(candidate.recipe), topology, back=back)
    return topology, both_ways(topology, bfb_schedule)(back)
