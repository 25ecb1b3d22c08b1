"""Importing this module fills the register with every switched fabric."""

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
