"""The cost of any recipe, by its theorems, and by evaluating the graph where it can be built."""

from itertools import product as combinations

from expansions.build import build
from expansions.recipe import Base, Bi, Degree, Line, Power, Product, Recipe
from expansions.size import size
from generators.errors import Unsupported
from topofinder.candidate import Candidate, Method
from topofinder.finder import maps
from topofinder.finder.bases import Bases, both_ways, evaluated
from topofinder.pareto import frontier

EVALUABLE = 1 << 32
"""Largest n * n * d for which a graph is evaluated on request: some seconds."""


def predict(recipe: Recipe, bases: Bases | None = None) -> list[Candidate]:
    """Every kind of schedule that the theorems give for a recipe, in order of preference.

    Empty where no theorem applies: a Cartesian product of factors without BW-optimal BFB
    schedules, or a degree expansion of a graph with self-loops.

    >>> from expansions.parser import parse
    >>> [candidate.allgather for candidate in predict(parse("L(K(4,4))"))]
    [Cost(steps=3, bandwidth=Fraction(1, 1))]
    """
    bases = bases or Bases()
    found = _expanded(recipe, bases)
    return sorted(found, key=Candidate.preference)


def best_known(recipe: Recipe) -> list[Candidate]:
    """The frontier of a recipe's own schedules: predicted ones and the exact best BFB.

    The exact BFB takes the place of a prediction that is only an upper bound on it.
    Raises Unsupported where no theorem applies and the graph is too large to evaluate.
    """
    bases = Bases()
    known = predict(recipe, bases)
    n, d = size(recipe)
    settled = any(c.exact and c.method is Method.BFB for c in known)
    if not settled and n * n * d <= EVALUABLE:
        known.append(evaluate_recipe(recipe))
    if not known:
        raise Unsupported(f"{recipe}: no theorem gives its cost, and {n} nodes are too many to try")
    return frontier(known)


def evaluate_recipe(recipe: Recipe) -> Candidate:
    """The candidate of the graph's own best BFB schedule, by building the graph."""
    topology = build(recipe)
    two_way = topology.is_bidirectional
    return evaluated(
        recipe,
        both_ways(topology, two_way),
        simple=topology.is_simple,
        loop_free=not topology.has_loops,
        two_way=two_way,
        symmetric=two_way,
    )


def _expanded(recipe: Recipe, bases: Bases) -> list[Candidate]:
    match recipe:
        case Base():
            return bases.candidates(recipe)
        case Line(inner, times):
            found: list[Candidate | None] = list(_expanded(inner, bases))
            for _ in range(times):
                found = [maps.line(candidate) for candidate in found if candidate]
        case Degree(inner, copies):
            found = [maps.degree(candidate, copies) for candidate in _expanded(inner, bases)]
        case Power(inner, exponent):
            found = [maps.power(candidate, exponent) for candidate in _expanded(inner, bases)]
        case Product(factors):
            choices = combinations(*(_expanded(factor, bases) for factor in factors))
            found = [maps.product(choice, in_order=True) for choice in choices]
        case Bi(inner):
            found = [maps.two_way(candidate) for candidate in _expanded(inner, bases)]
    return [candidate for candidate in found if candidate]
