"""Importing this module fills the register with every family."""

from generators import (
    circulant,
    complete,
    debruijn,
    debruijn_modified,
    diamond,
    directed_circulant,
    distance_regular,
    double_binary_tree,
    generalized_kautz,
    hamming,
    kautz,
    mesh,
    ring,
    shifted_ring,
    torus,
    twisted_cube,
    twisted_torus,
)
from generators.registry import FAMILIES

__all__ = [
    "FAMILIES",
    "circulant",
    "complete",
    "debruijn",
    "debruijn_modified",
    "diamond",
    "directed_circulant",
    "distance_regular",
    "double_binary_tree",
    "generalized_kautz",
    "hamming",
    "kautz",
    "mesh",
    "ring",
    "shifted_ring",
    "torus",
    "twisted_cube",
    "twisted_torus",
]
