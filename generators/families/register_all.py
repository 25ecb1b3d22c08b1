"""Importing this module fills the register with every family."""

from generators.cayley import coset_family as coset
from generators.cayley import family as cayley
from generators.distance_regular import family as distance_regular
from generators.families import (
    chords,
    circulant,
    complete,
    complete_multigraph,
    cycle_prefix,
    debruijn,
    debruijn_modified,
    diamond,
    directed_circulant,
    double_binary_tree,
    generalized_kautz,
    hamming,
    kautz,
    mesh,
    ring,
    shifted_ring,
    small,
    torus,
    twisted_cube,
    twisted_torus,
    twisted_torus3,
)
from generators.lifts import family as lifts
from generators.registry import FAMILIES

__all__ = [
    "FAMILIES",
    "cayley",
    "chords",
    "circulant",
    "complete",
    "complete_multigraph",
    "coset",
    "cycle_prefix",
    "debruijn",
    "debruijn_modified",
    "diamond",
    "directed_circulant",
    "distance_regular",
    "double_binary_tree",
    "generalized_kautz",
    "hamming",
    "kautz",
    "lifts",
    "mesh",
    "ring",
    "shifted_ring",
    "small",
    "torus",
    "twisted_cube",
    "twisted_torus",
    "twisted_torus3",
]
