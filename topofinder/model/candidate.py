"""The noun Candidate: a recipe with one kind of schedule, what it costs and what it is fit for."""

from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache

from expansions.collective import Collective
from expansions.collective_costs import TwoPhaseAllreduce
from expansions.cost import Cost
from expansions.degree_diameter import least_diameter
from expansions.lower_bounds import least_bandwidth, one_step_bandwidth
from expansions.recipe import Recipe, complexity
from generators.errors import Unsupported

LINE_OPEN_KEPT = 128
"""Up to this size every graph whose line graph may gain is kept for expansion."""

PASSING_WORK = 1 << 25
"""Largest n * n * d that is evaluated in passing: about ten milliseconds."""
STEPPED_WORK = 1 << 30
"""The same times the steps that the formula takes, where these are many: a third of a second."""


class LinkMode(StrEnum):
    """How circuits may be wired: each fibre on its own, or every circuit a two-way pair."""

    SIMPLEX = "simplex"
    DUPLEX = "duplex"


class Method(StrEnum):
    """Where a candidate's schedule comes from."""

    BFB = "bfb"
    """The best breadth-first broadcast on the graph itself."""
    EXPANSION = "expansion"
    """The schedule that the expansion maps from the inner graph's schedule."""
    SYNTHESIS = "synthesis"
    """With delayed or longer routes: found by the exact synthesizer, or by relays on `MultiK`."""
    DEFERRED = "deferred"
    """Broadcast on shortest paths on the graph itself, in which shards wait for idle links."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate(TwoPhaseAllreduce):
    """One recipe, one kind of schedule.

    `allgather` is the cost on the graph, `reduce_scatter` that of an allgather on its transpose.
    With `exact` both are what the schedule takes; otherwise they are upper bounds by theorem 7.

    Fit for expansions: `balanced`: the BFB schedule is BW-optimal in both directions; `simple`,
    `loop_free`, `two_way` as in Topology; `symmetric`: isomorphic to its transpose;
    `even_return`: every in-neighbour of a node is equally far from it, at `cycle` - 1 hops;
    `cycle`: the longest of the shortest closed walks through each node, where known;
    `line_exact`: for how many line-graph expansions theorem 10 is an equality (2 means all);
    `loads`: loads of the busiest links by step, forth and transposed, where a BFB schedule is
    not the same both ways.

    `parts` are the candidates that an expansion made this one from; a schedule is composed along
    them. They are not compared, and none are known of a candidate from a database.
    """

    recipe: Recipe
    n: int
    d: int
    method: Method
    allgather: Cost
    reduce_scatter: Cost
    exact: bool = True
    balanced: bool = False
    simple: bool = False
    loop_free: bool = False
    two_way: bool = False
    symmetric: bool = False
    even_return: bool = False
    cycle: int | None = None
    line_exact: int = 0
    diameter: int | None = None
    loads: tuple[tuple[Fraction, ...], tuple[Fraction, ...]] | None = field(
        default=None, repr=False
    )
    parts: "tuple[Candidate, ...]" = field(default=(), repr=False, compare=False)
    _order: tuple[object, ...] | None = field(default=None, init=False, repr=False, compare=False)

    def cost(self, collective: Collective) -> Cost:
        """What is predicted; for a broadcast or reduce that of the allgather it is taken from."""
        match collective:
            case Collective.ALLGATHER | Collective.BROADCAST:
                return self.allgather
            case Collective.REDUCE_SCATTER | Collective.REDUCE:
                return self.reduce_scatter
            case Collective.ALLREDUCE:
                return self.allreduce
            case Collective.ALLTOALL:
                raise Unsupported("all-to-all: has no steps to be costed")

    @property
    def bandwidth_optimal(self) -> bool:
        """Whether the allgather meets T_B*(N), which is (N-1)/N but for a port left free."""
        least = least_bandwidth(self.n, self.d, two_way=self.two_way)
        return self.allgather.bandwidth == least

    @property
    def moore_optimal(self) -> bool:
        """Whether the allgather meets T_L*(N, d), the least diameter that digraphs may have."""
        return self.allgather.steps == least_diameter(self.n, self.d).steps

    @property
    def product_ready(self) -> bool:
        """Whether theorem 13 takes this graph as a factor."""
        return self.balanced and self.simple and self.loop_free

    @property
    def line_open(self) -> bool:
        """Whether its line graph may be found to be BW-optimal, against the formula of theorem 10.

        One that is too large to be evaluated in passing costs what the theorem says.
        """
        return (
            self.balanced
            and self.exact
            and self.line_exact == 0
            and self.d > 1
            and is_evaluated_in_passing(self.n * self.d, self.d, self.allgather.steps + 1)
        )

    @property
    def turnable(self) -> bool:
        """Whether a two-way version can be costed (A.6 or step by step)."""
        return self.symmetric or self.loads is not None

    def beats(self, other: "Candidate") -> bool:
        """Whether `other` is of no use beside this one, for itself or for later expansions.

        This one must be no worse in allgather and in allreduce, and must have every property
        that an expansion asks for and the other has.
        """
        return (
            self.allgather.weakly_beats(other.allgather)
            and self.loop_free >= other.loop_free
            and self.product_ready >= other.product_ready
            and self.turnable >= other.turnable
            and (not other.line_open or self._stands_in_for(other))
            and (
                self.reduce_scatter.weakly_beats(other.reduce_scatter)
                or self.allreduce.weakly_beats(other.allreduce)
            )
        )

    def _stands_in_for(self, other: "Candidate") -> bool:
        """Whether the line graph of a cheaper graph makes that of a line-open one needless.

        Which of them gains is only known once it is evaluated, so small graphs are all kept;
        of large ones, only the line-open graph with the fewest steps.
        """
        return self.recipe == other.recipe or (self.line_open and other.n > LINE_OPEN_KEPT)

    def preference(self) -> tuple[object, ...]:
        """Order among candidates of equal use: the better known and the plainer first."""
        if self._order is None:  # asked for by every sort
            object.__setattr__(self, "_order", self._find_order())
        return self._order or ()

    def _find_order(self) -> tuple[object, ...]:
        text = str(self.recipe)
        return (
            self.allgather.steps,
            self.allgather.bandwidth,
            self.reduce_scatter.steps,
            self.reduce_scatter.bandwidth,
            not self.exact,
            complexity(self.recipe),
            len(text),
            text,
            self.method,
        )


def is_evaluated_in_passing(n: int, d: int, steps: int) -> bool:
    """Whether a search evaluates a graph whose formula takes so many steps, to better the formula.

    >>> is_evaluated_in_passing(1024, 4, 6), is_evaluated_in_passing(21600, 12, 5)
    (True, False)
    """
    work = n * n * d
    return work <= PASSING_WORK and work * steps <= STEPPED_WORK


@lru_cache(maxsize=1 << 12)
def cost_lower_bound(n: int, d: int, links: LinkMode) -> Cost:
    """T_L*(N, d), the least diameter of the link mode, and T_B*(N).

    >>> cost_lower_bound(9, 3, LinkMode.DUPLEX)
    Cost(steps=3, bandwidth=Fraction(4, 3))
    """
    two_way = links is LinkMode.DUPLEX
    steps = least_diameter(n, d, two_way=two_way).steps
    return Cost(steps, least_bandwidth(n, d, two_way=two_way))


def quickest_lower_bound(n: int, d: int, links: LinkMode, weight: Fraction) -> Cost:
    """The cost of least T_L + weight T_B that no proved bound forbids; no allgather takes less.

    Where one step takes more bandwidth time than two must, it is that of either.

    >>> quickest_lower_bound(4, 8, LinkMode.SIMPLEX, Fraction(9))
    Cost(steps=2, bandwidth=Fraction(3, 4))
    """
    bound = cost_lower_bound(n, d, links)
    if bound.steps > 1:
        return bound
    both = Cost(1, one_step_bandwidth(n, d)), Cost(2, bound.bandwidth)
    return min(both, key=lambda cost: cost.steps + weight * cost.bandwidth)
