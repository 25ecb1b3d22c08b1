"""The exact cost of the best BFB allgather of a topology (theorems 15, 16 and 19).

`evaluate` needs no linear program: at every step the least maximal load of a receiver is a ratio
of two small integers (`schedules.bfb.transport_kernels`), and the cost is (d / N) times the sum
over steps of the largest of them.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from expansions.cost import Cost
from generators.connectivity import refuse_disconnected
from generators.errors import InvalidInput, Unsupported
from generators.topology import IntArray, Topology
from topofinder.schedules.bfb import evaluation_numpy
from topofinder.schedules.bfb.evaluation_numpy import ALWAYS

WORD_OF_LINKS = 63
"""In-neighbours that a receiver may have beyond the first step (one machine word of links)."""


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


def evaluate(topology: Topology) -> Evaluation:
    """Evaluate the best BFB allgather exactly; links are taken as equal.

    Receivers are one a known orbit; all nodes when no symmetry is known.
    Raises InvalidInput when some node cannot reach another, Unsupported beyond 63 in-neighbours
    (unless one step is enough).

    >>> from generators.families.complete import complete
    >>> evaluate(complete(4, 4)).cost
    Cost(steps=2, bandwidth=Fraction(7, 8))
    """
    if topology.switches:
        raise InvalidInput("BFB needs a direct-connect topology; this one has switches")
    compiled = prefers_compiled(topology)
    arrays = kernel_input(topology, compiled=compiled)
    widest = int(np.diff(arrays[0]).max())
    if widest > WORD_OF_LINKS and widest < topology.n - 1:
        raise Unsupported(
            f"BFB costs need at most {WORD_OF_LINKS} in-neighbours a node, not {widest}"
        )
    asked = receivers(topology)
    profile: Callable[..., evaluation_numpy.Profile] = evaluation_numpy.profile_in_numpy
    if compiled:
        profile = _compiled_profile(topology.n, len(asked), widest)
    steps, shards, links, levels, near = profile(*arrays, asked)
    if steps < 0:
        refuse_disconnected(topology)
    return Evaluation(
        n=topology.n,
        d=topology.degree,
        shards=tuple(shards[1 : steps + 1].tolist()),
        links=tuple(links[1 : steps + 1].tolist()),
        line_exact=int(levels[1 : steps + 1].min(initial=ALWAYS)),
        cycle=int(near[asked].max()) + 1,
    )


def prefers_compiled(topology: Topology) -> bool:
    """Whether compiled kernels pay: they were called already, or numpy alone would be slow.

    Both give the same answer; loading the compiled ones takes half a second, and compiling them
    for the first time some seconds. That other kernels are loaded says nothing of these.
    """
    small = (
        topology.n <= evaluation_numpy.MOST_NODES_IN_NUMPY
        and topology.degree <= evaluation_numpy.MOST_IN_NEIGHBOURS
    )
    return (
        not small
        or _is_compiled("profile_kernels", "profile_by_bits")
        or _is_compiled("receiver_kernels", "profile_by_searches")
    )


def _is_compiled(module: str, name: str) -> bool:
    """Whether a compiled kernel is at hand, where its module was imported at all."""
    loaded = sys.modules.get(f"topofinder.schedules.bfb.{module}")
    return bool(getattr(getattr(loaded, name, None), "signatures", ()))


def _compiled_profile(
    n: int, receiving: int, widest: int
) -> Callable[..., evaluation_numpy.Profile]:
    """The compiled kernel for so many receivers: by bit sets of all nodes, or by searches."""
    from topofinder.schedules.bfb import profile_kernels, receiver_kernels

    few = receiving * (widest + 1) <= (n + 63) // 64 + widest
    chosen: Callable[..., evaluation_numpy.Profile] = (
        receiver_kernels.profile_by_searches if few else profile_kernels.profile_by_bits
    )
    return chosen


def kernel_input(topology: Topology, *, compiled: bool = True) -> tuple[NDArray[Any], ...]:
    """The arrays that all profile kernels take, receivers apart."""
    neighbours = evaluation_numpy.group_in_numpy
    if compiled:
        from topofinder.schedules.bfb.profile_kernels import group_neighbours as neighbours
    in_start, in_node, in_links = neighbours(topology.head, topology.tail, topology.n)
    out_start, out_node, _ = neighbours(topology.tail, topology.head, topology.n)
    looped = np.zeros(topology.n, dtype=np.bool_)
    looped[topology.tail[topology.tail == topology.head]] = True
    return in_start, in_node, in_links, out_start, out_node, looped


def receivers(topology: Topology) -> IntArray:
    """One node of each known orbit of automorphisms: the loads elsewhere are the same."""
    if topology.translation is not None:
        return np.zeros(1, dtype=np.int32)
    if topology.orbits is not None:
        return topology.orbits
    return np.arange(topology.n, dtype=np.int32)
