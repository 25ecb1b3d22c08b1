"""Switched fabrics that a direct-connect one is compared with: GPU boxes, rails, fat trees.

They are named like recipes, `DGXA100(16)`, but no recipe: no search lists them and no expansion
takes them.
"""

from generators.fabrics import dgx, fat_tree, mi250, rail_only

__all__ = ["dgx", "fat_tree", "mi250", "rail_only"]
