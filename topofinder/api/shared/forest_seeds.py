"""Several seeds of packing: of the forests that they give, the one that takes least is kept."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from reports.forest_choices import ForestChoice, SeedsTried
from topofinder.api.shared.forest_choices import is_best
from topofinder.api.shared.forest_times import Transfer, forest_time
from topofinder.forests.collectives.make_forest import ForestOptions
from topofinder.model.forest import Forest

MOST_SEEDS = 1 << 16
"""Seeds that may be asked for."""

Key = tuple[bool, Fraction, Fraction, int, int]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WeighedForest:
    """A forest, what it was weighed against, and the seeds that were tried."""

    forest: Forest
    choices: tuple[ForestChoice, ...] = ()
    seeds: SeedsTried | None = None


Maker = Callable[[ForestOptions], tuple[Forest, tuple[ForestChoice, ...]]]


def try_seeds(
    make: Maker, wish: ForestOptions, tries: int, transfer: Transfer | None
) -> WeighedForest:
    """The best forest that `make` gives with so many seeds, from that of `wish` on.

    The least time of the transfer is best; without one, and among equals, the highest rate, then
    the lowest trees, then the fewest. Ends before where trees cannot be lower, or the time of the
    clock is over. Raises InvalidInput for a number of seeds that is out of range.
    """
    if not 1 <= tries <= MOST_SEEDS:
        raise InvalidInput(f"--tries: 1 to {MOST_SEEDS}, not {excerpt(tries)}")
    found: list[tuple[Key, int, WeighedForest]] = []
    for seed in range(wish.seed, wish.seed + tries):
        forest, choices = make(replace(wish, seed=seed))
        made = WeighedForest(forest=forest, choices=choices)
        key = _rank(forest, wish, transfer) if tries > 1 else _NO_RANK
        found.append((key, seed, made))
        if is_best(forest):
            tries = len(found)
        if len(found) == tries or wish.clock.is_over:
            break
    _, best, made = min(found, key=lambda each: each[:2])
    seeds = SeedsTried(first=wish.seed, tried=len(found), asked=tries, best=best)
    return replace(made, seeds=seeds)


_NO_RANK: Key = (False, Fraction(), Fraction(), 0, 0)


def _rank(forest: Forest, wish: ForestOptions, transfer: Transfer | None) -> Key:
    """Less is better."""
    seconds = None if transfer is None else forest_time(forest, transfer).best
    rate = forest.together if wish.overlap else forest.inverse_rate
    height = max(int(phase.trees.heights().max(initial=0)) for phase in forest.phases)
    trees = sum(phase.trees.trees for phase in forest.phases)
    return seconds is None, seconds or Fraction(), rate, height, trees
