"""Which base graphs a search draws on: all of the register, the published ones, or a choice."""

from dataclasses import dataclass
from functools import lru_cache

from expansions.recipe import Base
from generators.families.register_all import FAMILIES
from generators.registry import BaseProperties
from topofinder.model.candidate import LinkMode


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The register's members, with `extra` ones and without some.

    With `published` only families that the published method has, and every expansion costed by
    its theorem, with no exact evaluation of expanded graphs.

    >>> [str(base) for base in Scope(published=True).members(12, 4, LinkMode.DUPLEX)]
    ['C(12,{2,3})', 'Torus(2,2,3)', 'Torus(3,4)', 'BiRing(4,12)']
    """

    published: bool = False
    without: frozenset[Base] = frozenset()
    extra: tuple[Base, ...] = ()

    def members(self, n: int, d: int, links: LinkMode) -> tuple[Base, ...]:
        """The base graphs of that size and degree which a search considers."""
        found = [
            Base(name, arguments)
            for name, family in FAMILIES.items()
            if family.published or not self.published
            for arguments in family.members(n, d)
        ]
        found += [base for base in self.extra if base not in found and _fits(base, n, d)]
        return tuple(
            base
            for base in found
            if base not in self.without
            and (links is LinkMode.SIMPLEX or base_properties(base).bidirectional)
        )


EVERYTHING = Scope()
"""What a search draws on as a rule."""


@lru_cache(maxsize=1 << 17)
def base_properties(base: Base) -> BaseProperties:
    """What the register says of a base graph."""
    return FAMILIES[base.name].properties(*base.arguments)


def cost_is_proved(properties: BaseProperties) -> bool:
    """Whether the theorem alone fixes the BFB cost, so that nothing need be built."""
    return bool(properties.bandwidth_optimal) and properties.diameter is not None


def _fits(base: Base, n: int, d: int) -> bool:
    properties = base_properties(base)
    return (properties.n, properties.d) == (n, d)
