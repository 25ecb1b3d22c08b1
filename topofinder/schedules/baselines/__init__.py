"""Well-known wirings with their own schedules, for comparison with what the search finds.

Each file holds one kind and enters it in the register; `register.BASELINES` maps names to them.
"""

from topofinder.schedules.baselines import (
    by_dimension,
    complete,
    double_binary_tree,
    doubling,
    ring,
    shifted_ring,
)

__all__ = [
    "by_dimension",
    "complete",
    "double_binary_tree",
    "doubling",
    "ring",
    "shifted_ring",
]
