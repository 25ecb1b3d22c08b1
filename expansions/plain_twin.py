"""One recipe for some that stand for the same graph, up to the numbers of its nodes.

Expansions of one-way rings have many names: UniRing(1,m)||k is UniRing(k,m), and UniRing(1,m)*k,
whose nodes are a place and a copy, is L(UniRing(k,m)), whose nodes are a place and a cable. Cables
may be laid before or after: (G||k)*c is (G*c)||k, and L(G||k) is L(G)*k.
"""

from expansions import canonical
from expansions.recipe import Base, Degree, Line, Parallel, Recipe


def plain_twin(recipe: Recipe) -> Recipe:
    """A recipe of the same graph, by the rules above as far as they go.

    >>> from expansions.parser import parse
    >>> [str(plain_twin(parse(text))) for text in ("L^2(UniRing(1,5)*3)", "L(K(4)||2)", "K(4)")]
    ['L^3(UniRing(3,5))', 'L(K(4))*2', 'K(4)']
    """
    if isinstance(recipe, Line):
        return _line(plain_twin(canonical.line_root(recipe)))
    if isinstance(recipe, Degree):
        return _degree(plain_twin(recipe.inner), recipe.copies)
    if isinstance(recipe, Parallel):
        return _parallel(plain_twin(recipe.inner), recipe.cables)
    return recipe


def read_one_way_ring(recipe: Recipe) -> tuple[int, int] | None:
    """d and m of UniRing(d,m); None for other recipes.

    >>> read_one_way_ring(Base("UniRing", (2, 5))), read_one_way_ring(Base("Diamond"))
    ((2, 5), None)
    """
    if not isinstance(recipe, Base) or recipe.name != "UniRing":
        return None
    d, m = (number for number in recipe.arguments if isinstance(number, int))
    return d, m


def _line(inner: Recipe) -> Recipe:
    if isinstance(inner, Parallel):
        return _degree(_line(inner.inner), inner.cables)
    return canonical.line(inner)


def _degree(inner: Recipe, copies: int) -> Recipe:
    if isinstance(inner, Parallel):
        return _parallel(_degree(inner.inner, copies), inner.cables)
    if isinstance(inner, Line) and inner.times == 1 and read_one_way_ring(inner.inner):
        return canonical.line(_parallel(inner.inner, copies))
    ring = read_one_way_ring(inner)
    if ring is None:
        return canonical.degree(inner, copies)
    cables, m = ring
    return _parallel(canonical.line(_one_way_ring(copies, m)), cables)


def _parallel(inner: Recipe, cables: int) -> Recipe:
    ring = read_one_way_ring(inner)
    if ring is None:
        return canonical.parallel(inner, cables)
    d, m = ring
    return _one_way_ring(d * cables, m)


def _one_way_ring(d: int, m: int) -> Base:
    return Base("UniRing", (d, m))
