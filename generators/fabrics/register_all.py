"""Importing this module fills the register with every switched fabric."""

from generators.fabrics import (
    dgx,
    dgx1,
    dragonfly,
    dragonfly_plus,
    fat_tree,
    mi250,
    nvl72,
    pcie,
    rail_only,
    rail_tree,
    ring_full_switch,
    switch_grid,
    tpu,
)

__all__ = [
    "dgx",
    "dgx1",
    "dragonfly",
    "dragonfly_plus",
    "fat_tree",
    "mi250",
    "nvl72",
    "pcie",
    "rail_only",
    "rail_tree",
    "ring_full_switch",
    "switch_grid",
    "tpu",
]
