"""The exact cost of the best BFB allgather of a topology (theorems 15, 16 and 19).

`evaluate` needs no linear program: at every step the least maximal load of a receiver is a ratio
of two small integers (`schedules.bfb.transport_kernels`), and the cost is (d / N) times the sum
over steps of the largest of them.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import lcm

import numpy as np

from expansions.cost import Cost
from generators.connectivity import refuse_disconnected
from generators.errors import InvalidInput, Unsupported
from generators.topology import IntArray, Topology
from topofinder.dispatch.background import may_be_stored
from topofinder.dispatch.kernel import expect_work
from topofinder.schedules.bfb import evaluation_numpy
from topofinder.schedules.bfb.evaluation_numpy import ALWAYS, can_do_in_numpy, is_quick_in_numpy
from topofinder.schedules.bfb.grouped_arcs import GroupedArcs, group_arcs, receivers

WORD_OF_LINKS = 63
"""In-neighbours that a receiver may have beyond the first step (one machine word of links)."""

SAMPLES = (2, 8, 64)
"""Receivers that give ever better lower bounds, which take ever longer."""
LEAST_SHARE = 2
"""A sample is of fewer than one in so many of all receivers."""

LONG_WORK = 1 << 16
"""Words that a step takes, beyond which plain Python is slower than compiled kernels are loaded."""

SECONDS_IN_NUMPY = 0.4
"""Seconds in numpy alone, after which compiled kernels are worth loading for small graphs too."""
MOST_SMALL, SECONDS_OF_SLOW = 512, 0.3
"""The same of graphs of more nodes that are not quick in numpy: where there is one, more follow."""
SECONDS_BEFORE_COMPILING = 2.0
"""The same where they would have to be compiled first, which takes three."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What breadth-first broadcast costs on one topology, step by step.

    The busiest link of step t carries shards[t - 1] / links[t - 1] shards. `line_exact` says for
    how many line-graph expansions in a row theorem 10 holds with equality: 2 for all, 1 for the
    first, 0 when that is not known. `cycle` is the largest over nodes of the length of the
    shortest closed walk through the node.
    """

    n: int
    d: int
    shards: tuple[int, ...]
    links: tuple[int, ...]
    line_exact: int
    cycle: int

    @property
    def loads(self) -> tuple[Fraction, ...]:
        """Load of the busiest link at each step, in shards."""
        return tuple(map(_ratio, self.shards, self.links))

    @property
    def cost(self) -> Cost:
        """T_L = diameter, T_B = (d/N) times the sum of the loads (equation 2)."""
        common = lcm(*self.links)
        total = sum(a * (common // b) for a, b in zip(self.shards, self.links, strict=True))
        return Cost(len(self.shards), Fraction(self.d * total, self.n * common))


@lru_cache(maxsize=1 << 14)
def _ratio(shards: int, links: int) -> Fraction:
    """One Fraction for equal loads, of which there are many among the graphs of a sweep."""
    return Fraction(shards, links)


Pair = tuple[Evaluation, Evaluation]
"""What BFB costs on a graph and on its transpose."""


def evaluate(topology: Topology) -> Evaluation:
    """Evaluate the best BFB allgather exactly; links are taken as equal.

    Receivers are one a known orbit; all nodes when no symmetry is known.
    Raises InvalidInput when some node cannot reach another, Unsupported beyond 63 in-neighbours
    (unless one step is enough).

    >>> from generators.families.complete import complete
    >>> evaluate(complete(4, 4)).cost
    Cost(steps=2, bandwidth=Fraction(7, 8))
    """
    return GraphEvaluations(topology).forth()


class GraphEvaluations:
    """Evaluations of a graph and of its transpose, whose arcs are grouped once for all.

    `symmetric` says that the graph is isomorphic to its transpose, which then costs the same.
    Raises as `evaluate` does.
    """

    def __init__(self, topology: Topology, symmetric: bool = False) -> None:
        if topology.switches:
            raise InvalidInput("BFB needs a direct-connect topology; this one has switches")
        self._compiled, self._symmetric = prefers_compiled(topology), symmetric
        with _count_seconds(self._compiled):
            self._arcs = group_arcs(topology, compiled=kernels_are_loaded())

    def forth(self) -> Evaluation:
        """What BFB costs on the graph itself."""
        return self._evaluate(self._arcs)

    def pair(self) -> Pair:
        """What it costs there and on the transpose; one evaluation twice where they are alike.

        >>> from generators.families.generalized_kautz import generalized_kautz
        >>> [one.cost.steps for one in GraphEvaluations(generalized_kautz(2, 7)).pair()]
        [3, 3]
        """
        found = self.forth()
        return found, found if self._symmetric else self._evaluate(self._arcs.transpose())

    def lower_bounds(self) -> Iterator[Pair]:
        """The same of ever more receivers, those of fewest in-neighbours first: lower bounds.

        The busiest link of a step may be that of another receiver, and another may be farther away.
        Nothing where to evaluate a few takes as long as to evaluate all.

        >>> from generators.families.generalized_kautz import generalized_kautz
        >>> from generators.families.ring import one_way_ring
        >>> len(list(GraphEvaluations(generalized_kautz(2, 5000)).lower_bounds()))
        3
        >>> list(GraphEvaluations(one_way_ring(1, 5)).lower_bounds())  # one speaks for all
        []
        """
        n, widest = self._arcs.topology.n, self._arcs.widest
        if not self._compiled and is_quick_in_numpy(n, widest):
            return
        in_numpy = not kernels_are_loaded() and can_do_in_numpy(n, widest, SAMPLES[-1])
        samples = [few for few in SAMPLES if len(self._arcs.receivers) > LEAST_SHARE * few]
        for few in samples[-1:] if in_numpy else samples:
            found = _evaluate_few(self._arcs, few, not in_numpy)
            turned = self._arcs.transpose()
            yield found, found if self._symmetric else _evaluate_few(turned, few, not in_numpy)

    def _evaluate(self, arcs: GroupedArcs) -> Evaluation:
        with _count_seconds(self._compiled):
            return _evaluate_receivers(arcs, arcs.receivers, self._compiled)


def _evaluate_few(arcs: GroupedArcs, few: int, compiled: bool) -> Evaluation:
    order = np.argsort(np.diff(arcs.into.start), kind="stable").astype(np.int32)
    return _evaluate_receivers(arcs, order[:few], compiled)


def _evaluate_receivers(arcs: GroupedArcs, asked: IntArray, compiled: bool) -> Evaluation:
    n, widest = arcs.topology.n, arcs.widest
    if widest > WORD_OF_LINKS and widest < n - 1:
        raise Unsupported(
            f"BFB costs need at most {WORD_OF_LINKS} in-neighbours a node, not {widest}"
        )
    given = (*arcs.kernel_input, asked)
    found = None if compiled else evaluation_numpy.profile_in_numpy(*given)
    if found is None:
        found = _compiled_profile(n, len(asked), widest)(*given)
    steps, shards, links, levels, near = found
    if steps < 0:
        refuse_disconnected(arcs.topology.transpose() if arcs.turned else arcs.topology)
    return Evaluation(
        n=n,
        d=arcs.degree,
        shards=tuple(shards[1 : steps + 1].tolist()),
        links=tuple(links[1 : steps + 1].tolist()),
        line_exact=int(levels[1 : steps + 1].min(initial=ALWAYS)),
        cycle=int(near[asked].max()) + 1,
    )


def prefers_compiled(topology: Topology) -> bool:
    """Whether compiled kernels pay: they are loaded, or numpy alone is slow, or was for long.

    Both give the same answer; loading the compiled ones takes a quarter of a second, and compiling
    them for the first time some seconds. That other kernels are loaded says nothing of these.
    """
    return (
        not can_do_in_numpy(topology.n, topology.degree, len(receivers(topology)))
        or _numpy.spent > _patience(topology)
        or kernels_are_loaded()
    )


def kernels_are_loaded() -> bool:
    """Whether compiled kernels that evaluate graphs are at hand."""
    return _is_loaded("profile_kernels", "profile_by_bits") or _is_loaded(
        "receiver_kernels", "profile_by_searches"
    )


def _patience(topology: Topology) -> float:
    """Seconds in numpy that are less than what compiled kernels take to be there."""
    small = topology.n <= MOST_SMALL or is_quick_in_numpy(topology.n, topology.degree)
    first = SECONDS_IN_NUMPY if small else SECONDS_OF_SLOW
    if _numpy.spent <= first:
        return first
    from topofinder.schedules.bfb.profile_kernels import profile_by_bits

    is_stored = may_be_stored(profile_by_bits.py_func)
    return first if is_stored else SECONDS_BEFORE_COMPILING


class _Numpy:
    """Seconds that this process has spent in numpy instead of kernels."""

    spent = 0.0


_numpy = _Numpy()


@contextmanager
def _count_seconds(compiled: bool) -> Iterator[None]:
    """Add what is done meanwhile to the time in numpy, unless it is done by kernels."""
    if compiled:  # of which there are many, and to ask for the time is not free everywhere
        yield
        return
    began = time.thread_time()
    yield
    _numpy.spent += time.thread_time() - began


def _is_loaded(module: str, name: str) -> bool:
    """Whether a compiled kernel is at hand, where its module was imported at all."""
    loaded = sys.modules.get(f"topofinder.schedules.bfb.{module}")
    return bool(getattr(getattr(loaded, name, None), "is_ready", False))


def _compiled_profile(
    n: int, receiving: int, widest: int
) -> Callable[..., evaluation_numpy.Profile]:
    """The compiled kernel for so many receivers: by bit sets of all nodes, or by searches."""
    from topofinder.schedules.bfb import profile_kernels, receiver_kernels

    words = (n + 63) // 64
    few = receiving == 1 or receiving * max(widest, 8) <= 3 * words
    if not few and (n * words * widest > LONG_WORK or _numpy.spent > SECONDS_OF_SLOW):
        expect_work()
    chosen: Callable[..., evaluation_numpy.Profile] = (
        receiver_kernels.profile_by_searches if few else profile_kernels.profile_by_bits
    )
    return chosen
