"""The constructors of recipes: they check, and merge what names one and the same graph.

    L^a(L^b(G)) = L^(a+b)(G)      (G*a)*b = G*(ab)      (G^a)^b = G^(ab)
    A x (B x C) = A x B x C       G x G = G^2           (G||a)||b = G||(ab)
    T(T(G)) = G                   a count of one changes nothing

Both sides of each line build the same arrays, nodes and arcs in the same order (proved in the
tests), so merging never renumbers a graph that some schedule speaks of. Factors keep their
order: A x B and B x A are isomorphic, but numbered differently.

Every expansion commutes with transposition, so T stands at base graphs and grafts only: T(L(G)) is
written L(T(G)), which has the same nodes and arcs, the arcs in another order. The transpose of a
graph that is known to be isomorphic to it is written as the graph itself.
"""

from collections.abc import Iterable
from itertools import groupby

from expansions.base_graphs import base_graph
from expansions.properties import is_own_transpose
from expansions.recipe import (
    Application,
    Base,
    Bi,
    Degree,
    Expanded,
    Line,
    Operands,
    Parallel,
    Power,
    Product,
    Recipe,
)
from expansions.register import EXPANSIONS, expansion_of
from expansions.size import size
from generators.registry import require


def line(inner: Recipe, times: int = 1) -> Recipe:
    """L^times(inner). Raises InvalidInput where the graph inside is known not to be regular.

    >>> str(line(line(base_graph("K", (4, 4))), 2))
    'L^3(K(4,4))'
    """
    _count("L^n(G)", times)
    if isinstance(inner, Line):
        times, inner = inner.times + times, inner.inner
    return _require_fit(Line(inner, times))


def line_root(recipe: Line) -> Recipe:
    """G of a line graph L(G).

    >>> str(line_root(Line(base_graph("K", (4, 4)), 2)))
    'L(K(4,4))'
    """
    return recipe.inner if recipe.times == 1 else Line(recipe.inner, recipe.times - 1)


def degree(inner: Recipe, copies: int) -> Recipe:
    """inner*copies.

    >>> str(degree(degree(base_graph("K", (3,)), 2), 5))
    'K(3)*10'
    """
    _count("G*n", copies)
    if isinstance(inner, Degree):
        copies, inner = inner.copies * copies, inner.inner
    return _require_size(Degree(inner, copies)) if copies > 1 else inner


def power(inner: Recipe, exponent: int) -> Recipe:
    """inner^exponent.

    >>> str(power(power(base_graph("K", (3,)), 2), 3))
    'K(3)^6'
    """
    _count("G^n", exponent)
    if isinstance(inner, Power):
        exponent, inner = inner.exponent * exponent, inner.inner
    return _require_size(Power(inner, exponent)) if exponent > 1 else inner


def product(factors: Iterable[Recipe]) -> Recipe:
    """first x second x ..., in that order; repetitions become powers.

    >>> k2, k3 = base_graph("K", (2,)), base_graph("K", (3,))
    >>> str(product([k3, k3, k2])), str(product([k2, k3, k2, k3]))
    ('K(3)^2 x K(2)', '(K(2) x K(3))^2')
    """
    flat = [part for factor in factors for part in _parts(factor)]
    require(len(flat) > 0, "G x H: a product has at least one factor, not 0")
    period = _period(flat)
    if period < len(flat):
        return power(product(flat[:period]), len(flat) // period)
    runs = [_merge_run(list(run)) for _, run in groupby(flat, key=lambda part: _root(part)[0])]
    if len(runs) < len(flat):
        return product(runs)
    return _require_size(Product(tuple(flat))) if len(flat) > 1 else flat[0]


def parallel(inner: Recipe, cables: int) -> Recipe:
    """inner||cables.

    >>> str(parallel(parallel(base_graph("K", (3,)), 2), 3))
    'K(3)||6'
    """
    _count("G||n", cables)
    if isinstance(inner, Parallel):
        cables, inner = inner.cables * cables, inner.inner
    return _require_size(Parallel(inner, cables)) if cables > 1 else inner


def transpose(inner: Recipe) -> Recipe:
    """T(inner), with the T at base graphs that are not known to be their own transposes.

    >>> diamond = base_graph("Diamond")
    >>> str(transpose(line(product([diamond, base_graph("K", (3,))]))))
    'L(T(Diamond) x K(3))'
    >>> transpose(transpose(diamond)) == diamond
    True
    """
    if is_own_transpose(inner):
        return inner
    if isinstance(inner, Base) or expansion_of(inner).edits:
        return Application("T", (inner,))
    if inner.symbol == "T":
        return inner.parts[0]
    return expand(inner.symbol, tuple(map(transpose, inner.parts)), inner.numbers)


def two_way(inner: Recipe) -> Recipe:
    """Bi(inner).

    >>> str(two_way(base_graph("K", (3,))))
    'Bi(K(3))'
    """
    return _require_size(Bi(inner))


def canonical(recipe: Recipe) -> Recipe:
    """Any tree, checked and merged from the leaves up; a canonical one comes back equal.

    >>> str(canonical(Power(Product((Base("K", (2,)), Base("K", (2,)))), 1)))
    'K(2)^2'
    """
    if isinstance(recipe, Base):
        return _require_size(base_graph(recipe.name, recipe.arguments))
    return expand(recipe.symbol, tuple(map(canonical, recipe.parts)), recipe.numbers)


def expand(symbol: str, parts: tuple[Recipe, ...], numbers: Operands = ()) -> Recipe:
    """The expansion of that symbol in the register, of canonical recipes.

    >>> str(expand("*", (base_graph("K", (3,)),), (2,)))
    'K(3)*2'
    """
    expansion = EXPANSIONS[symbol]
    expansion.require_shape(len(parts), len(numbers))
    if expansion.make is not None:
        return expansion.make(*parts, *numbers)
    inner = parts[0]
    if expansion.repeats and isinstance(inner, Application) and inner.symbol == symbol:
        parts, numbers = inner.parts, (inner.numbers[0] + numbers[0],)
    return _require_fit(Application(symbol, parts, numbers))


def _count(operator: str, count: int) -> None:
    require(count >= 1, f"{operator}: n is at least 1, not {count}")


def _require_fit(recipe: Expanded) -> Recipe:
    expansion_of(recipe).require(recipe)
    return _require_size(recipe)


def _require_size(recipe: Recipe) -> Recipe:
    size(recipe)
    return recipe


def _parts(factor: Recipe) -> tuple[Recipe, ...]:
    return factor.factors if isinstance(factor, Product) else (factor,)


def _root(part: Recipe) -> tuple[Recipe, int]:
    return (part.inner, part.exponent) if isinstance(part, Power) else (part, 1)


def _merge_run(parts: list[Recipe]) -> Recipe:
    """Neighbouring factors that are powers of one graph, as one power."""
    return power(_root(parts[0])[0], sum(_root(part)[1] for part in parts))


def _period(flat: list[Recipe]) -> int:
    """Length of the shortest prefix whose repetition is the whole list."""
    count = len(flat)
    return next(
        p for p in range(1, count + 1) if count % p == 0 and flat == flat[:p] * (count // p)
    )
