"""Random recipes for property tests: small, buildable, with every operator."""

from functools import cache

from hypothesis import strategies as st

from expansions.canonical import canonical
from expansions.recipe import Base, Bi, Degree, Line, Power, Product, Recipe
from expansions.size import size
from generators.errors import InvalidInput
from generators.families import FAMILIES
from generators.topology import Topology

LARGEST_BASE = 9
OPERATORS = ("line", "degree", "power", "product", "bi")


@cache
def small_bases() -> tuple[Base, ...]:
    """The regular samples of all families, up to LARGEST_BASE nodes and degree 4."""
    return tuple(
        Base(name, tuple(family.canonical(*arguments)))
        for name, family in FAMILIES.items()
        for arguments in family.samples
        if _is_small(name, arguments)
    )


def _is_small(name: str, arguments: tuple) -> bool:
    promise = FAMILIES[name].promise(*arguments)
    if promise.n > LARGEST_BASE or promise.d > 4:
        return False
    return FAMILIES[name].build(*arguments).is_regular


@cache
def base_topology(base: Base) -> Topology:
    """The graph of a base, built once."""
    return FAMILIES[base.name].build(*base.arguments)


def has_loops(tree: Recipe) -> bool:
    """Whether some base of the tree has a self-loop: then so has the whole."""
    match tree:
        case Base():
            return base_topology(tree).has_loops
        case Product(factors):
            return any(map(has_loops, factors))
        case _:
            return has_loops(tree.inner)


@st.composite
def trees(draw: st.DrawFn, *, max_nodes: int = 64, max_degree: int = 12) -> Recipe:
    """A tree as a hand might write it, not merged: L(L(G)), G^1, (A x B) x C are welcome."""
    tree: Recipe = draw(st.sampled_from(small_bases()))
    for operator in draw(st.lists(st.sampled_from(OPERATORS), max_size=4)):
        larger = _applied(draw, operator, tree)
        if _fits(larger, max_nodes, max_degree):
            tree = larger
    return tree


def recipes(*, max_nodes: int = 64, max_degree: int = 12) -> st.SearchStrategy[Recipe]:
    """A canonical recipe that can be built: at most so many nodes, and ports a node."""
    return trees(max_nodes=max_nodes, max_degree=max_degree).map(canonical)


def _applied(draw: st.DrawFn, operator: str, tree: Recipe) -> Recipe:
    count = draw(st.integers(1, 3))
    if operator == "product":
        others = draw(st.lists(st.sampled_from(small_bases()), min_size=1, max_size=2))
        factors = [*others, tree] if draw(st.booleans()) else [tree, *others]
        return Product(tuple(factors))
    if operator == "degree" and not has_loops(tree):
        return Degree(tree, count)
    if operator == "power":
        return Power(tree, count)
    return Bi(tree) if operator == "bi" else Line(tree, count)


def _fits(tree: Recipe, max_nodes: int, max_degree: int) -> bool:
    try:
        found = size(tree)
    except InvalidInput:
        return False
    return found.n <= max_nodes and found.d <= max_degree
