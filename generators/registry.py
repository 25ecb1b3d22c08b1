"""What a family of base graphs is, what theorems prove of it, and the register of all families.

A family is registered once, in the file that makes its graphs. Everything else reads the
register: the recipe parser (names and parameters), the search (members of a given size and
degree), the property tests (every properties, on every sample) and the documentation.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from generators.errors import InvalidInput
from generators.open_register import Register

if TYPE_CHECKING:  # a recipe's classes need the register, but not numpy
    from generators.topology import Topology

Argument = int | tuple[int, ...] | str
Arguments = tuple[Argument, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphProperties:
    """What is known of any graph before it is built. `None` means that nothing is proved.

    `regular`, `bidirectional`, `simple` and `loop_free` are as in Topology; `transitive` is
    vertex-transitivity. Expansions say what becomes of these (`expansions.properties`).
    """

    regular: bool | None = None
    bidirectional: bool | None = None
    simple: bool | None = None
    loop_free: bool | None = None
    transitive: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseProperties(GraphProperties):
    """What is known of a base graph besides, by the theorems of its family.

    `bandwidth_optimal` speaks of the best BFB allgather; with `diameter` it fixes the cost.
    `max_diameter` is an upper bound where no equality is known; `reverse_symmetric`: isomorphic
    to its transpose.
    """

    n: int
    d: int
    diameter: int | None = None
    max_diameter: int | None = None
    bandwidth_optimal: bool | None = None
    reverse_symmetric: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """One family of base graphs: how to make a member, and what a theorem says of it.

    `build` and `properties` take the recipe's arguments and raise InvalidInput, in the same words,
    for impossible ones. `canonical` maps arguments to the form that is printed and stored.
    `members(n, d)` yields the arguments of the members with n nodes and degree d that a search
    should consider. `samples` are arguments on which the tests check every property. `published`
    says that the method of direct-connect topologies (table 9) has the family too; the others
    are left out of the frontier that ours is compared with. With `only_duplex` the search considers
    members only where links are two-way. With `reads_word` the arguments are two
    words, before and after a semicolon, of which the family reads the second one itself.
    """

    name: str
    title: str
    signature: str
    source: str
    build: Callable[..., "Topology"]
    properties: Callable[..., BaseProperties]
    members: Callable[[int, int], Iterator[Arguments]]
    samples: tuple[Arguments, ...]
    canonical: Callable[..., Arguments] = lambda *arguments: arguments
    baseline: bool = False
    published: bool = True
    only_duplex: bool = False
    reads_word: bool = False


FAMILIES: Register[Family] = Register("family", ("generators.families.register_all",))
"""By name. What comes with topofinder is entered when the register is first asked."""


def register_family(family: Family) -> Family:
    """Enter a family in the register; a name is taken once."""
    return FAMILIES.enter(family.name, family)


def no_searched_members(n: int, d: int) -> Iterator[Arguments]:
    """Members of a family that the search leaves out."""
    return iter(())


def require(condition: bool, message: str) -> None:
    """Refuse arguments with `message` unless `condition` holds."""
    if not condition:
        raise InvalidInput(message)
