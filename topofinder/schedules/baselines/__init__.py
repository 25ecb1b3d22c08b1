"""Well-known wirings with their own schedules, for comparison with what the search finds.

Each file holds one kind and enters it in the register; `register.BASELINES` maps names to them.
"""

from topofinder.schedules.baselines import complete, double_binary_tree, rings, torus

__all__ = ["complete", "double_binary_tree", "rings", "torus"]
