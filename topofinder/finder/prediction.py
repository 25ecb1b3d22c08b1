"""The cost of any recipe, by its theorems, and by evaluating the graph where it can be built."""

from fractions import Fraction
from itertools import product as combinations

from expansions.canonical import canonical
from expansions.collective import Collective
from expansions.recipe import Base, Recipe
from expansions.register import expansion_of
from expansions.size import size
from generators.errors import TopofinderError, Unsupported
from generators.limits import LARGEST_BUILT
from topofinder.finder.base_candidates import Bases, evaluate_recipe
from topofinder.finder.candidate_maps import candidate_map
from topofinder.finder.deferrals import evaluate_deferred
from topofinder.model.candidate import Candidate, Method
from topofinder.model.frontier import frontier
from topofinder.schedules.deferral.least_costs import is_deferred_in_passing

EVALUABLE = 1 << 32
"""Largest n * n * d for which a graph is evaluated on request: some seconds."""
MOST_INSIDE = 1 << 26
"""The same of a graph inside an expansion where a theorem gives some cost: some hundredths."""


def predict(recipe: Recipe, bases: Bases | None = None) -> list[Candidate]:
    """Every kind of schedule that the theorems give for a recipe, in order of preference.

    Empty where no theorem applies: a Cartesian product of factors without BW-optimal BFB
    schedules, or a degree expansion of a graph that has self-loops or is not regular. An
    expansion of such a graph is costed from what evaluating that graph gives.

    >>> from expansions.parser import parse
    >>> [candidate.allgather for candidate in predict(parse("L(K(4,4))"))]
    [Cost(steps=3, bandwidth=Fraction(1, 1))]
    >>> predict(parse("Mesh(2,3)*2"))
    []
    """
    bases = bases or Bases()
    return sorted(_predict(recipe, bases), key=Candidate.preference)


def _origins(inner: Recipe, bases: Bases) -> list[Candidate]:
    """The candidates from which those of an expansion of `inner` are predicted.

    BFB on the graph of `inner` is one of them where no theorem says what that costs, as of Bi(G).
    """
    found = _predict(inner, bases)
    if isinstance(inner, Base) or any(one.method is Method.BFB for one in found):
        return found
    if not _evaluable(inner, MOST_INSIDE if found else EVALUABLE):
        return found
    return [*found, bases.graph(inner)]


def best_known(recipe: Recipe, *, with_deferred: bool = True) -> list[Candidate]:
    """The frontier of a recipe's own schedules: predicted ones, the exact best BFB, a deferred one.

    The exact BFB takes the place of a prediction that is only an upper bound on it; the deferred
    one is left out where that is asked for.
    Raises Unsupported where no theorem applies and the graph is too large to evaluate.
    """
    known = predict(recipe)
    settled = any(c.exact and c.method is Method.BFB for c in known)
    if not settled and _evaluable(recipe):
        try:
            known.append(evaluate_recipe(recipe))
        except Unsupported:  # too many in-neighbours; the theorems' answers stand
            if not known:
                raise
    if not known:
        n = size(recipe).n
        raise Unsupported(f"{recipe}: no theorem gives its cost, and {n} nodes are too many to try")
    return frontier([*known, *(deferred_candidates(recipe, known) if with_deferred else ())])


def choose_candidate(
    recipe: Recipe, collective: Collective, method: Method | None = None
) -> Candidate | None:
    """The predicted candidate of least bandwidth, then fewest steps; None if there is none.

    Raises Unsupported when none of them is of the method asked for.
    """
    known = predict(canonical(recipe))
    if method in (None, Method.DEFERRED):
        known += deferred_candidates(canonical(recipe), known)
    fit = [candidate for candidate in known if method in (None, candidate.method)]
    if method is not None and not fit:
        ways = ", ".join(sorted({Method.BFB.value, *(one.method.value for one in known)}))
        raise Unsupported(f"{recipe}: has no schedule by {method}; known are {ways}")

    def price(candidate: Candidate) -> tuple[Fraction, int]:
        cost = candidate.cost(collective)
        return cost.bandwidth, cost.steps

    return min(fit, key=price, default=None)


def deferred_candidates(recipe: Recipe, known: list[Candidate]) -> list[Candidate]:
    """The deferred schedule of a recipe's graph, where all that are known take more bandwidth.

    None of large graphs, nor of those that it cannot be made for.
    """
    n, d = size(recipe)
    settled = any(one.bandwidth_optimal and one.exact for one in known)
    if settled or d < 2 or not is_deferred_in_passing(n, d):
        return []
    try:
        found = evaluate_deferred(recipe)
    except TopofinderError:  # switches, self-loops alone, too many in-neighbours
        return []
    least = min((one.allreduce.bandwidth for one in known), default=None)
    return [found] if least is None or found.allreduce.bandwidth < least else []


def _evaluable(recipe: Recipe, most: int = EVALUABLE) -> bool:
    n, d = size(recipe)
    return n <= LARGEST_BUILT and n * n * d <= most


def _predict(recipe: Recipe, bases: Bases) -> list[Candidate]:
    if isinstance(recipe, Base):
        return bases.candidates(recipe)
    expansion = expansion_of(recipe)
    if not expansion.covers(*recipe.parts):
        return []  # so that what is inside need not be evaluated
    follow = candidate_map(expansion)
    choices = combinations(*(_origins(part, bases) for part in recipe.parts))
    found = (follow(choice, recipe.numbers) for choice in choices)
    return [candidate for candidate in found if candidate]
