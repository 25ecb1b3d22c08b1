"""The identity of a candidate: a hash of what defines it, and of nothing else."""

import hashlib
from functools import lru_cache

from db.values import canonical_json

FORMAT = 1
"""Version of the hashed text; it grows when the meaning of its fields changes."""

LENGTH = 32
"""Hexadecimal digits kept of the SHA-256, 128 bits."""


def identity_text(recipe: str, links: str, method: str) -> str:
    """The text that is hashed: canonical JSON, so that no order of keys matters.

    >>> identity_text("K(4,4)", "duplex", "bfb")
    '{"format":1,"links":"duplex","method":"bfb","recipe":"K(4,4)"}'
    """
    named = {"format": FORMAT, "recipe": recipe, "links": links, "method": method}
    return canonical_json(named)


@lru_cache(maxsize=1 << 14)
def candidate_id(recipe: str, links: str, method: str) -> str:
    """The primary key of a candidate: first 32 hexadecimal digits of the text's SHA-256.

    The cost is no part of it: one recipe, costed by one method, has one row.

    >>> candidate_id("K(4,4)", "duplex", "bfb")
    'f9f6309c2ac68f9ce1a6417661b254f6'
    """
    digest = hashlib.sha256(identity_text(recipe, links, method).encode("ascii"))
    return digest.hexdigest()[:LENGTH]
