"""Well-known wirings with their own schedules, for comparison with what the search finds.

Each file holds one kind and enters it in the register; `BASELINES` maps names to them.
"""

from topofinder.baselines import (
    by_dimension,
    complete,
    double_binary_tree,
    doubling,
    ring,
    shifted_ring,
)
from topofinder.baselines.register import BASELINES, Baseline, baseline_named, baselines_at

__all__ = [
    "BASELINES",
    "Baseline",
    "baseline_named",
    "baselines_at",
    "by_dimension",
    "complete",
    "double_binary_tree",
    "doubling",
    "ring",
    "shifted_ring",
]
