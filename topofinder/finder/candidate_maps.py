"""What each expansion makes of a candidate: its recipe, its cost and what it stays fit for.

The costs are those of the register of expansions; here the properties travel with them. Each
function gives None where the expansion does not apply. Nothing is built.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial

from expansions import canonical
from expansions.cost import Cost
from expansions.costs import line_loads, two_way_cost
from expansions.lower_bounds import least_bandwidth
from expansions.properties import properties
from expansions.recipe import Application, Base, Recipe
from expansions.register import EXPANSIONS, CostedGraph, Expansion
from expansions.size import size
from generators.errors import Unsupported
from topofinder.model.candidate import Candidate, Method

CandidateMap = Callable[[tuple[Candidate, ...], tuple[int, ...]], Candidate | None]
"""What an expansion makes of candidates, with its integers; None where it does not apply."""


def candidate_map(expansion: Expansion) -> CandidateMap:
    """What an expansion makes of candidates: by its own map, else from the cost it declares."""
    own = expansion.candidate or OWN_MAPS.get(expansion.symbol)
    if own is not None:
        return lambda parts, numbers: expansion.apply(own, parts, *numbers)
    if not expansion.repeats:
        return partial(expand, expansion)
    return lambda parts, times: expansion.apply(
        lambda one: expand(expansion, (one,)), parts, *times
    )


def expand(
    expansion: Expansion, parts: tuple[Candidate, ...], numbers: tuple[int, ...] = ()
) -> Candidate | None:
    """The candidate of the schedule that an expansion maps, from what the register says alone.

    It is fit for what the properties of its graph tell, and for nothing that only BFB schedules
    are fit for.
    """
    recipes = tuple(part.recipe for part in parts)
    if expansion.cost is None or not expansion.covers(*recipes):
        return None
    once = (1,) if expansion.repeats else numbers
    recipe = canonical.expand(expansion.symbol, recipes, once)
    known, (n, d) = properties(recipe), size(recipe)
    allgather, reduce_scatter = _costs(expansion.symbol, parts, *numbers)
    return Candidate(
        recipe=recipe,
        parts=parts,
        n=n,
        d=d,
        method=Method.EXPANSION,
        allgather=allgather,
        reduce_scatter=reduce_scatter,
        exact=expansion.exact and all(part.exact for part in parts),
        simple=bool(known.simple),
        loop_free=bool(known.loop_free),
        two_way=bool(known.bidirectional),
        symmetric=bool(known.bidirectional),
    )


def _costs(symbol: str, parts: Sequence[Candidate], *numbers: int) -> tuple[Cost, Cost]:
    """Allgather and reduce-scatter of an expansion, by the theorem that the register has."""
    cost = EXPANSIONS[symbol].cost
    if cost is None:
        raise Unsupported(f"{symbol}: no theorem gives its cost")
    forth = [CostedGraph(part.allgather, part.n, part.d) for part in parts]
    back = [CostedGraph(part.reduce_scatter, part.n, part.d) for part in parts]
    return cost(*forth, *numbers), cost(*back, *numbers)


def line(inner: Candidate) -> Candidate | None:
    """L(G), for regular G of degree 2 and more (of a ring the line graph is the ring).

    Raises InvalidInput for other graphs (theorem 7).
    """
    if inner.d < 2:
        return None
    n, d = inner.n, inner.d
    loads = inner.loads
    allgather, reduce_scatter = _costs("L", [inner])
    return replace(
        inner,
        recipe=canonical.line(inner.recipe),
        parts=(inner,),
        n=n * d,
        method=Method.BFB if inner.method is Method.BFB else Method.EXPANSION,
        allgather=allgather,
        reduce_scatter=reduce_scatter,
        exact=inner.exact and inner.method is Method.BFB and inner.line_exact > 0,
        balanced=False,
        simple=True,
        two_way=False,
        even_return=False,
        cycle=None,
        line_exact=2 if inner.line_exact == 2 else 0,
        diameter=None if inner.diameter is None else inner.diameter + 1,
        loads=loads and (line_loads(loads[0], d), line_loads(loads[1], d)),
    )


def degree(inner: Candidate, copies: int) -> Candidate | None:
    """G*copies, for regular G without self-loops.

    The schedule of definition 2 adds a step for the copies of the source; a node with fewer
    in-arcs than others would take longer for it than theorem 11 says. Where the BFB schedule
    of G is balanced and every in-neighbour of a node is equally far from it, BFB on the expanded
    graph is balanced too and needs no such step: the shards of the copies come due at the step
    of the shortest return, may use every in-link, and so never tighten theorem 19's condition.
    """
    if not inner.loop_free or not EXPANSIONS["*"].covers(inner.recipe):
        return None
    cycle, diameter = inner.cycle, inner.diameter
    if cycle is not None and diameter is not None:
        diameter = max(cycle, diameter)
    balanced = inner.balanced and inner.even_return and diameter is not None
    n = inner.n * copies
    allgather, reduce_scatter = _costs("*", [inner], copies)
    if balanced:
        allgather = reduce_scatter = Cost(diameter or 0, least_bandwidth(n))
    return replace(
        inner,
        recipe=canonical.degree(inner.recipe, copies),
        parts=(inner,),
        n=n,
        d=inner.d * copies,
        method=Method.BFB if balanced else Method.EXPANSION,
        allgather=allgather,
        reduce_scatter=reduce_scatter,
        balanced=balanced,
        line_exact=2 if balanced and inner.two_way else 0,
        diameter=diameter,
        loads=None,
    )


def power(inner: Candidate, exponent: int) -> Candidate:
    """G^exponent: definition 14, which for factors fit for theorem 13 costs what BFB does.

    Theorem 12 holds for irregular graphs too, with d their largest degree: at each step an arc
    carries n^j/k of what it carries in G, j being the dimensions that are done.
    """
    allgather, reduce_scatter = _costs("^", [inner], exponent)
    return replace(
        inner,
        recipe=canonical.power(inner.recipe, exponent),
        parts=(inner,),
        n=inner.n**exponent,
        d=inner.d * exponent,
        method=Method.BFB if inner.product_ready else Method.EXPANSION,
        allgather=allgather,
        reduce_scatter=reduce_scatter,
        balanced=inner.product_ready,
        simple=inner.simple and inner.loop_free,
        line_exact=2 if inner.product_ready and inner.two_way else 0,
        diameter=None if inner.diameter is None else exponent * inner.diameter,
        loads=None,
    )


def product(factors: Sequence[Candidate], *, in_order: bool = False) -> Candidate | None:
    """A Cartesian product of graphs that are all fit for theorem 13, smallest factor first.

    With `in_order` the factors stay as they are given.
    """
    if not all(factor.product_ready for factor in factors):
        return None
    ordered = list(factors)
    if not in_order:
        ordered.sort(key=lambda factor: (factor.n, str(factor.recipe)))
    n = 1
    for factor in ordered:
        n *= factor.n
    cycles = [factor.cycle for factor in ordered]
    known = [cycle for cycle in cycles if cycle is not None]
    two_way = all(factor.two_way for factor in ordered)
    allgather, reduce_scatter = _costs("x", ordered)
    even = all(factor.even_return for factor in ordered) and len(set(cycles)) == 1
    return Candidate(
        recipe=canonical.product(factor.recipe for factor in ordered),
        parts=tuple(ordered),
        n=n,
        d=sum(factor.d for factor in ordered),
        method=Method.BFB,
        allgather=allgather,
        reduce_scatter=reduce_scatter,
        balanced=True,
        simple=True,
        loop_free=True,
        two_way=two_way,
        symmetric=all(factor.symmetric for factor in ordered),
        even_return=even,
        cycle=min(known) if len(known) == len(cycles) else None,
        line_exact=2 if two_way else 0,
        diameter=sum(factor.allgather.steps for factor in ordered),
    )


def two_way(inner: Candidate) -> Candidate | None:
    """Bi(G): appendix A.6 where G is isomorphic to its transpose, else step by step.

    None for parallel links, as Bi(G||k) is Bi(G)||k.
    """
    if not inner.turnable or _symbol(inner.recipe) == "||":
        return None
    cost = _costs("Bi", [inner])[0]
    if not inner.symmetric and inner.loads:
        cost = two_way_cost(*inner.loads, inner.n, inner.d)
    return replace(
        inner,
        recipe=canonical.two_way(inner.recipe),
        parts=(inner,),
        d=2 * inner.d,
        method=Method.EXPANSION,
        allgather=cost,
        reduce_scatter=cost,
        balanced=False,
        simple=False,
        two_way=True,
        symmetric=True,
        even_return=inner.n > 1,
        cycle=2 if inner.loop_free else None,
        line_exact=0,
        diameter=None,
        loads=None,
    )


def parallel(inner: Candidate, cables: int) -> Candidate:
    """G||cables: every load is so many times smaller, and the node's bandwidth larger."""
    allgather, reduce_scatter = _costs("||", [inner], cables)
    loads = inner.loads
    return replace(
        inner,
        recipe=canonical.parallel(inner.recipe, cables),
        parts=(inner,),
        d=inner.d * cables,
        allgather=allgather,
        reduce_scatter=reduce_scatter,
        method=Method.BFB if inner.method is Method.BFB else Method.EXPANSION,
        simple=False,
        loads=loads and (_share_loads(loads[0], cables), _share_loads(loads[1], cables)),
    )


def _share_loads(loads: Sequence[Fraction], cables: int) -> tuple[Fraction, ...]:
    return tuple(load / cables for load in loads)


def transpose(inner: Candidate) -> Candidate:
    """T(G): the costs exchanged (theorem 1).

    T stands at base graphs, and so in the parts of what is expanded.
    """
    recipe = canonical.transpose(inner.recipe)
    if recipe == inner.recipe:
        return inner
    loads = inner.loads
    return replace(
        inner,
        recipe=recipe,
        parts=(inner,) if recipe == Application("T", (inner.recipe,)) else _other_parts(inner),
        method=Method.BFB if inner.method is Method.BFB else Method.EXPANSION,
        allgather=inner.reduce_scatter,
        reduce_scatter=inner.allgather,
        even_return=inner.two_way,
        loads=loads and (loads[1], loads[0]),
    )


def _other_parts(inner: Candidate) -> tuple[Candidate, ...]:
    return () if _symbol(inner.recipe) == "T" else tuple(map(transpose, inner.parts))


def _symbol(recipe: Recipe) -> str | None:
    return None if isinstance(recipe, Base) else recipe.symbol


OWN_MAPS: dict[str, Callable[..., Candidate | None]] = {
    "L": line,
    "*": degree,
    "^": power,
    "x": lambda *factors: product(factors, in_order=True),
    "Bi": two_way,
    "||": parallel,
    "T": transpose,
}
"""What each built-in expansion makes of candidates: more than a cost tells of BFB schedules."""
