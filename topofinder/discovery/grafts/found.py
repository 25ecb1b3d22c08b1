"""What searches for grafts find, what they are compared by, and the evaluations they may take."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from expansions.cost import Cost
from expansions.graft import graft_of_arcs
from expansions.recipe import EditList, Recipe
from expansions.tokens import LONGEST_TEXT
from generators.connectivity import unreachable_pair
from generators.topology import Topology
from topofinder.discovery.grafts.anneal_kernels import anneal_graph
from topofinder.discovery.grafts.state import DELAYS, topology_of
from topofinder.discovery.grafts.state_kernels import PEAK, AnnealedGraph
from topofinder.schedules.bfb.evaluation import evaluate

WEIGHT = Fraction(42, 5)
"""Steps of 10 us that 1 MiB takes at 100 Gbps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundGraft:
    """A recipe with its exact costs: `forth` of an allgather, `back` of one on the transpose."""

    recipe: Recipe
    forth: Cost
    back: Cost

    @property
    def steps(self) -> int:
        """T_L of an allreduce."""
        return self.forth.steps + self.back.steps

    @property
    def bandwidth(self) -> Fraction:
        """T_B of an allreduce."""
        return self.forth.bandwidth + self.back.bandwidth

    @property
    def time(self) -> Fraction:
        """What an allreduce takes, in steps of 10 us at 1 MiB and 100 Gbps."""
        return self.steps + WEIGHT * self.bandwidth


class WorkLeft:
    """How much may still be evaluated: `left` counts loads of single receivers at single steps.

    >>> work = WorkLeft(100)
    >>> work.spend(60), work.left, work.share(1, 4)
    (None, 40, 10)
    """

    def __init__(self, loads: int) -> None:
        self.left = loads

    def spend(self, loads: int) -> None:
        """Take what an evaluation took."""
        self.left -= loads

    def share(self, part: int, parts: int) -> int:
        """A part of what is left."""
        return max(self.left, 0) * part // parts


def random_state(*place: int) -> np.ndarray:
    """The random state at the start of an annealing, from all that tells it from others."""
    return np.random.SeedSequence(place).generate_state(1, np.uint64)


def anneal(
    graph: AnnealedGraph,
    heats: tuple[Fraction, Fraction],
    loads: int,
    work: WorkLeft,
    random: np.ndarray,
    goal: int = 0,
) -> tuple[int, np.ndarray]:
    """Anneal from one temperature to another, in shards; the least energy met, and its slots."""
    hottest, coldest = (int(heat * PEAK * int(graph.scale[1])) for heat in heats)
    best, tally = np.empty_like(graph.slots), np.zeros(4, np.int64)
    least = anneal_graph(graph, max(loads, 1), hottest, coldest, DELAYS, goal, random, best, tally)
    work.spend(int(tally[3]))
    return int(least), best


def exact_graft(
    symbol: str, inner: Recipe, removals: EditList, insertions: EditList, result: Topology
) -> FoundGraft | None:
    """The graft of these arcs, costed by the evaluator of all graphs.

    None where the graph is not connected, or its recipe too long to be read.
    """
    if unreachable_pair(result):
        return None
    recipe = graft_of_arcs(symbol, inner, removals, insertions, result)
    if len(str(recipe)) > LONGEST_TEXT:
        return None
    return FoundGraft(
        recipe=recipe, forth=evaluate(result).cost, back=evaluate(result.transpose()).cost
    )


def result_of(slots: np.ndarray, n: int, *, duplex: bool) -> Topology:
    """The graph of slots, its arcs as a graft lists them: by tail, then head."""
    graph = topology_of(slots, n, duplex=duplex)
    order = np.lexsort((graph.head, graph.tail))
    return Topology(n=n, tail=graph.tail[order], head=graph.head[order])


def best_grafts(found: Iterable[FoundGraft], most: int) -> list[FoundGraft]:
    """Those that no other beats in the steps and the bandwidth of an allreduce, at most so many.

    Fewest steps first; where there are more, those that take least are kept.
    """
    kept: list[FoundGraft] = []
    for one in sorted(found, key=lambda one: (one.steps, one.bandwidth, str(one.recipe))):
        if not kept or one.bandwidth < kept[-1].bandwidth:
            kept.append(one)
    chosen = sorted(kept, key=lambda one: one.time)[:most]
    return [one for one in kept if one in chosen]
