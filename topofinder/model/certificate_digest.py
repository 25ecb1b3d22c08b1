"""Hashes of certificates and of demands: of their numbers, whatever the container."""

import hashlib
import json
from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from generators.topology import Int64Array

VERSION = 1
"""Version of the hashed content and of the files; it grows when their meaning changes."""


def hashed(texts: Mapping[str, str], arrays: Mapping[str, Int64Array]) -> str:
    """SHA-256, in hexadecimal, of canonical JSON and then of the arrays, by name.

    The JSON holds the texts, the shape of each array and the version; arrays follow as
    little-endian integers of 64 bits.

    >>> len(hashed({"lower": "1/2"}, {"lengths": np.arange(3)}))
    64
    """
    names = sorted(arrays)
    shapes = {name: list(arrays[name].shape) for name in names}
    described = {"texts": dict(texts), "shapes": shapes, "version": VERSION}
    found = hashlib.sha256(json.dumps(described, sort_keys=True).encode("ascii"))
    for name in names:
        found.update(np.ascontiguousarray(arrays[name], dtype="<i8").data)
    return found.hexdigest()


def demand_digest(low: Int64Array, high: Int64Array, unit: Fraction) -> str:
    """SHA-256 of a demand matrix: the same for the same enclosed amounts."""
    return hashed({"unit": str(unit)}, {"low": low, "high": high})
