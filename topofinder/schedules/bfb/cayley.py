"""The exact BFB cost of Cayley digraphs, without a graph."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from generators.cayley.group import Group
from generators.errors import Unsupported
from generators.topology import Int64Array
from topofinder.schedules.bfb.evaluation import WORD_OF_LINKS, Evaluation
from topofinder.schedules.bfb.evaluation_numpy import ALWAYS, NEVER, ONCE


def evaluate_cayley(group: Group, generators: Sequence[int]) -> Evaluation:
    """What BFB costs on Cay(group; generators), elements by number, which generate the group.

    Left multiplications carry one receiver to all. The shard of a node that is v away from it, for
    an element v, may come over the arc of s when v s^-1 is one step nearer, so that one search from
    the identity tells all. Raises Unsupported beyond 63 different generators.

    >>> from generators.cayley.notation import parse_group
    >>> evaluate_cayley(parse_group("Z16"), [3, 4, 12, 13]).cost
    Cost(steps=3, bandwidth=Fraction(15, 16))
    """
    from topofinder.schedules.bfb.circulant_kernels import profile_elements

    times = Counter(generators)
    proper = [s for s in times if s != 0]
    if len(proper) > WORD_OF_LINKS:
        raise Unsupported(
            f"BFB costs need at most {WORD_OF_LINKS} in-neighbours a node, not {len(proper)}"
        )
    forth = np.stack([group.times(s) for s in proper])
    back = np.stack([group.times(int(group.inverses[s])) for s in proper])
    weights = np.array([times[s] for s in proper], np.int64)
    shards, links = np.empty((2, group.order), np.int64)
    steps, lengths = profile_elements(forth, back, weights, shards, links)
    near = 0 if times[0] else int(lengths.min())
    return Evaluation(
        n=group.order,
        d=len(generators),
        shards=tuple(shards[:steps].tolist()),
        links=tuple(links[:steps].tolist()),
        line_exact=min(_line_level(t, near, lengths, len(times)) for t in range(1, steps + 1)),
        cycle=near + 1,
    )


def _line_level(step: int, near: int, lengths: Int64Array, followers: int) -> int:
    """How far theorem 10's equality holds at a step (`profile_kernels` tells why)."""
    if near < step or (step == 1 and followers > 1):
        return ALWAYS
    return ONCE if (lengths != step).any() else NEVER
