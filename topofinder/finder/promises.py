"""What the register promises of base graphs, asked for once each."""

from functools import lru_cache

from expansions.recipe import Base
from generators.families.register_all import FAMILIES
from generators.registry import Promise


@lru_cache(maxsize=1 << 17)
def promise_of(base: Base) -> Promise:
    """What the register says of a base graph."""
    return FAMILIES[base.name].promise(*base.arguments)


def settled(promise: Promise) -> bool:
    """Whether the theorem alone fixes the BFB cost, so that nothing need be built."""
    return bool(promise.bandwidth_optimal) and promise.diameter is not None
