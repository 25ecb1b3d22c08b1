"""One path for each pair: flows rounded so that no packet needs a choice.

The fractional paths are rounded pair by pair in a random order. A pair leaves its share of the
paths and takes the one that adds least to the sum of load^64, a smooth stand-in for the largest
load; then all pairs may choose again. This follows the method of conditional probabilities for
randomised rounding (Raghavan and Thompson), with another estimate.
"""

from dataclasses import replace

import numpy as np

from generators.errors import InvalidInput
from topofinder.alltoall.routing.path_kernels import choose_paths
from topofinder.alltoall.routing.paths import Paths

PASSES = 4


def single_paths(paths: Paths, seed: int = 0) -> Paths:
    """One of the paths of every pair; the same for the same seed.

    The loss against the fractional paths is that of `rate()`. Raises InvalidInput for a seed
    below 0.
    """
    if seed < 0:
        raise InvalidInput(f"seed: 0 or more is needed, not {seed}")
    draw = np.random.default_rng(seed)
    graph = paths.topology
    capacity = graph.capacity or (1,) * graph.arcs
    room = np.array([float(c) for c in capacity])
    asked = paths.asked / paths.asked.max()
    carried = np.repeat(paths.share * np.repeat(asked, np.diff(paths.pair)), paths.hops)
    load = np.bincount(paths.arc, weights=carried, minlength=graph.arcs)
    # Loads of about 1 keep their powers within floats.
    scale = (load / room).max()
    room *= scale
    chosen = np.full(len(asked), -1, dtype=np.int64)
    best, least = chosen, np.inf
    for _ in range(PASSES):
        order = draw.permutation(len(asked))
        choose_paths(
            order, paths.pair, paths.first, paths.arc, paths.share, asked, room, load, chosen
        )  # fmt: skip
        if (load / room).max() < least:
            best, least = chosen.copy(), (load / room).max()
    return _select_paths(paths, best)


def _select_paths(paths: Paths, chosen: np.ndarray) -> Paths:
    hops = paths.hops[chosen]
    first = np.concatenate([[0], np.cumsum(hops)])
    within = np.arange(first[-1]) - np.repeat(first[:-1], hops)
    return replace(
        paths,
        source=paths.source[chosen],
        sink=paths.sink[chosen],
        weight=np.ones(len(chosen), dtype=np.int64),
        first=first,
        arc=paths.arc[np.repeat(paths.first[chosen], hops) + within],
        pair=np.arange(len(chosen) + 1),
    )
