"""Makes the graph that a recipe names."""

from expansions.bidirectional import two_way
from expansions.cartesian import cartesian_power, cartesian_product
from expansions.degree import degree_expansion
from expansions.line_graph import line_graph
from expansions.member import family_named
from expansions.recipe import Base, Bi, Degree, Line, Power, Product, Recipe
from expansions.size import LARGEST_BUILT, size
from generators.errors import InvalidInput
from generators.topology import Topology


def build(recipe: Recipe, limit: int = LARGEST_BUILT) -> Topology:
    """The topology of the recipe, if it has at most `limit` nodes.

    Raises InvalidInput for a larger one before anything is made, for a line graph of a graph
    that is not regular (theorem 7 asks for d-regular), and for a degree expansion of a graph
    with self-loops.

    >>> from expansions.parser import parse
    >>> build(parse("L^2(K(4,4))")).n
    128
    """
    n = size(recipe).n
    if n > limit:
        raise InvalidInput(f"{recipe} has {n} nodes, more than the limit of {limit}")
    return _built(recipe)


def _built(recipe: Recipe) -> Topology:
    match recipe:
        case Base(name, arguments):
            return family_named(name).build(*arguments)
        case Line(inner, times):
            return _line(_built(inner), times, recipe)
        case Degree(inner, copies):
            return degree_expansion(_built(inner), copies)
        case Power(inner, exponent):
            return cartesian_power(_built(inner), exponent)
        case Product(factors):
            return cartesian_product(*map(_built, factors))
        case Bi(inner):
            return two_way(_built(inner))


def _line(topology: Topology, times: int, recipe: Recipe) -> Topology:
    if not topology.is_regular:
        raise InvalidInput(f"{recipe}: the graph inside has nodes of unequal degree")
    for _ in range(times):
        topology = line_graph(topology)
    return topology
