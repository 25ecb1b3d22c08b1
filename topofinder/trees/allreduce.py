"""What no allreduce of trees can beat: the linear program of appendix G, with a certified answer.

Source: ForestColl (NSDI 2026), appendix G, program (5). Switches stay instead of being split
off, which can only raise what it maximises, so its answer stays a bound.
"""

from fractions import Fraction

from topofinder.trees.saved import SavedForest


def allreduce_bound(saved: SavedForest) -> Fraction | None:
    """A time for a unit of weight that no allreduce of trees beats; None where it is not known."""
    return None
