"""Fabrics that a direct-connect one is compared with: GPU boxes, rails, fat trees, dragonflies.

They are named like recipes, `DGXA100(16)`, but no recipe: no search lists them and no expansion
takes them.
"""

from generators.fabrics import (
    dgx,
    dgx1,
    dragonfly,
    fat_tree,
    mi250,
    rail_only,
    ring_full_switch,
    switch_grid,
)

__all__ = [
    "dgx",
    "dgx1",
    "dragonfly",
    "fat_tree",
    "mi250",
    "rail_only",
    "ring_full_switch",
    "switch_grid",
]
