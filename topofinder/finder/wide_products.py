"""Cartesian products of any two graphs, of which most have to be evaluated.

A product takes as many steps as its factors together. What bandwidth time breadth-first broadcast
takes on it is known by theorem 13 only where it takes the least on each factor, both ways; on
others it may still be the least, as other shards fill the links that are idle in one dimension. The
hopeful ones take fewer steps than what is known of so little bandwidth time.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import product

from expansions import canonical
from expansions.cost import Cost
from generators.divisors import divisors
from topofinder.finder import candidate_maps
from topofinder.finder.odd_sizes import has_free_port
from topofinder.model.candidate import (
    Candidate,
    LinkMode,
    Method,
    cost_lower_bound,
    is_evaluated_in_passing,
)

FACTORS_TRIED = 4
"""Graphs of one size and as many steps that are tried as factors: which of them fits is not told by
what they cost themselves."""

Part = tuple[int, int]
"""Nodes and degree of a factor."""
FactorSource = Callable[[int, int, int | None], Iterable[Candidate]]
"""The graphs of a size and degree, in order of preference; below so many steps suffice."""


def wide_products(
    n: int,
    d: int,
    links: LinkMode,
    factors_at: FactorSource,
    enough: int | None = None,
    most_splits: int | None = None,
) -> Iterator[Candidate]:
    """Products of two graphs with n nodes and degree d in all, that take fewer than `enough` steps.

    Those of graphs that are fit for theorem 13 are exact, the others cost at most what is said of
    them. With `most_splits` of so many pairs of sizes, of the fewest steps at least. None where a
    graph takes too long to evaluate in passing.
    """
    if not is_evaluated_in_passing(n, d, cost_lower_bound(n, d, links).steps):
        return
    for first, rest in hopeful_splits(n, d, links, enough)[:most_splits]:
        ones = _fit_factors(first, links, factors_at, enough, cost_lower_bound(*rest, links).steps)
        if not ones:
            continue
        others = _fit_factors(rest, links, factors_at, enough, min(steps for steps, _ in ones))
        for (some, one), (more, other) in product(ones, others):
            if enough is None or some + more < enough:
                yield candidate_maps.product((one, other)) or wide_product(one, other)


def hopeful_splits(
    n: int, d: int, links: LinkMode, enough: int | None = None
) -> list[tuple[Part, Part]]:
    """Nodes and ports of two factors whose product may take fewer than `enough` steps.

    Each pair once, those first that take the fewest at least. No factor has a port left free where
    the whole has none: every copy of it would.

    >>> hopeful_splits(207, 4, LinkMode.SIMPLEX, 8)
    [((3, 1), (69, 3)), ((3, 2), (69, 2)), ((9, 2), (23, 2))]
    """
    found = []
    for first in divisors(n)[1:-1]:
        for ports in range(1, d):
            one, other = (first, ports), (n // first, d - ports)
            steps = sum(cost_lower_bound(*part, links).steps for part in (one, other))
            free = has_free_port(*one, links) or has_free_port(*other, links)
            hopeful = enough is None or steps < enough
            if one <= other and hopeful and free <= has_free_port(n, d, links):
                found.append((steps, one, other))
    return [(one, other) for _, one, other in sorted(found)]


def _fit_factors(
    part: Part, links: LinkMode, factors_at: FactorSource, enough: int | None, hope: int
) -> list[tuple[int, Candidate]]:
    """Graphs without self-loops, with the steps that they take at least.

    At most FACTORS_TRIED of as many steps, each once, of fewer than `enough` with `hope` more.
    """
    below = None if enough is None else enough - hope
    alike = Counter[int]()
    found = []
    for one in {one.recipe: one for one in factors_at(*part, below) if one.loop_free}.values():
        steps = one.diameter or cost_lower_bound(*part, links).steps
        alike[steps] += 1
        if alike[steps] <= FACTORS_TRIED and (below is None or steps < below):
            found.append((steps, one))
    return found


def wide_product(one: Candidate, other: Candidate) -> Candidate:
    """The product of two graphs without self-loops, with what it costs at most.

    That is one dimension after the other: in each a node has the ports of that factor alone.
    """
    first, second = sorted((one, other), key=lambda factor: (factor.n, str(factor.recipe)))
    both = first, second
    known = all(factor.diameter for factor in both)
    two_way = first.two_way and second.two_way
    return Candidate(
        recipe=canonical.product(factor.recipe for factor in both),
        parts=both,
        n=first.n * second.n,
        d=first.d + second.d,
        method=Method.EXPANSION,
        allgather=_cost_in_turn(both, [factor.allgather for factor in both]),
        reduce_scatter=_cost_in_turn(both, [factor.reduce_scatter for factor in both]),
        exact=False,
        simple=first.simple and second.simple,
        loop_free=True,
        two_way=two_way,
        symmetric=first.symmetric and second.symmetric,
        even_return=two_way,
        diameter=sum(factor.diameter or 0 for factor in both) if known else None,
    )


def _cost_in_turn(factors: tuple[Candidate, Candidate], costs: Sequence[Cost]) -> Cost:
    """What an allgather of each row and then of each column takes, or the other way round."""
    one, other = factors
    ports = one.d + other.d
    rows, columns = (
        cost.bandwidth * Fraction(ports, factor.d)
        for cost, factor in zip(costs, factors, strict=True)
    )
    least = min(rows / other.n + columns, rows + columns / one.n)
    return Cost(sum(cost.steps for cost in costs), least)
