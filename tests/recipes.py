"""Random recipes for property tests: small, buildable, with every operator."""

from functools import cache

from hypothesis import assume
from hypothesis import strategies as st

from expansions.canonical import canonical
from expansions.recipe import (
    Application,
    Base,
    Bi,
    Degree,
    Line,
    Parallel,
    Power,
    Product,
    Recipe,
)
from expansions.size import size
from generators.errors import InvalidInput
from generators.families.register_all import FAMILIES
from generators.topology import Topology

LARGEST_BASE = 9
OPERATORS = ("line", "degree", "power", "product", "bi", "parallel")


@cache
def small_bases(*, irregular: bool = False) -> tuple[Base, ...]:
    """The samples of all families, up to LARGEST_BASE nodes and degree 4; as a rule the regular."""
    bases = (
        Base(name, tuple(family.canonical(*arguments)))
        for name, family in FAMILIES.items()
        for arguments in family.samples
        if _is_small(name, arguments)
    )
    return tuple(base for base in bases if irregular or base_topology(base).is_regular)


def _is_small(name: str, arguments: tuple) -> bool:
    properties = FAMILIES[name].properties(*arguments)
    return properties.n <= LARGEST_BASE and properties.d <= 4


@cache
def base_topology(base: Base) -> Topology:
    """The graph of a base, built once."""
    return FAMILIES[base.name].build(*base.arguments)


def has_loops(tree: Recipe) -> bool:
    """Whether some base of the tree has a self-loop: then so has the whole."""
    if isinstance(tree, Base):
        return base_topology(tree).has_loops
    return any(map(has_loops, tree.parts))


@st.composite
def trees(
    draw: st.DrawFn,
    *,
    max_nodes: int = 64,
    max_degree: int = 12,
    irregular: bool = False,
    transposes: bool = False,
) -> Recipe:
    """A tree as a hand might write it, not merged: L(L(G)), G^1, (A x B) x C are welcome.

    With `transposes` T is among the operators; of it the canonical form may number arcs anew.
    """
    bases = small_bases(irregular=irregular)
    tree: Recipe = draw(st.sampled_from(bases))
    operators = (*OPERATORS, "transpose") if transposes else OPERATORS
    for operator in draw(st.lists(st.sampled_from(operators), max_size=4)):
        larger = _applied(draw, operator, tree, bases)
        if _fits(larger, max_nodes, max_degree):
            tree = larger
    return tree


def recipes(
    *, max_nodes: int = 64, max_degree: int = 12, irregular: bool = False
) -> st.SearchStrategy[Recipe]:
    """A canonical recipe that can be built: at most so many nodes, and ports a node."""
    return trees(
        max_nodes=max_nodes, max_degree=max_degree, irregular=irregular, transposes=True
    ).map(canonical)


@st.composite
def free_port_graphs(draw: st.DrawFn) -> Topology:
    """Two-way graphs of some ports a node, but for one that has a port less, with parallel links.

    Matchings of one node more are joined, and circuits of the last one joined in pairs.
    """
    d, n = draw(st.sampled_from([3, 5, 7, 9])), draw(st.sampled_from([3, 5, 7, 9, 11]))
    orders = [draw(st.permutations(range(n + 1))) for _ in range(d)]
    circuits = [(u, v) for one in orders for u, v in zip(one[::2], one[1::2], strict=True)]
    ends = draw(st.permutations([u + v - n for u, v in circuits if n in (u, v)]))
    kept = [pair for pair in circuits if n not in pair]
    kept += zip(ends[1::2], ends[2::2], strict=True)
    assume(all(u != v for u, v in kept))
    return Topology.from_arcs(n, [*kept, *((v, u) for u, v in kept)])


def is_regular(tree: Recipe) -> bool:
    """Whether no base of the tree is irregular: then the whole is regular."""
    if isinstance(tree, Base):
        return base_topology(tree).is_regular
    return all(map(is_regular, tree.parts))


def _applied(draw: st.DrawFn, operator: str, tree: Recipe, bases: tuple[Base, ...]) -> Recipe:
    count = draw(st.integers(1, 3))
    if operator == "product":
        others = draw(st.lists(st.sampled_from(bases), min_size=1, max_size=2))
        factors = [*others, tree] if draw(st.booleans()) else [tree, *others]
        return Product(tuple(factors))
    if operator == "degree" and not has_loops(tree):
        return Degree(tree, count)
    if operator == "transpose":
        return Application("T", (tree,))
    if operator == "parallel":
        return Parallel(tree, count)
    if operator == "power":
        return Power(tree, count)
    return Bi(tree) if operator == "bi" or not is_regular(tree) else Line(tree, count)


def _fits(tree: Recipe, max_nodes: int, max_degree: int) -> bool:
    try:
        found = size(tree)
    except InvalidInput:
        return False
    return found.n <= max_nodes and found.d <= max_degree
