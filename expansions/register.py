"""What an expansion is, and the register of all expansions.

An expansion makes a larger graph of one or several, a schedule of theirs into one of its own, and
says what that costs. It is registered once, in the file that makes its graphs; sizes, properties,
graphs, predictions, schedules and the search read the register. The next expansion is one file:
what has no notation of its own is written `Name(recipe)` or `Name(recipe,3)`.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any, NamedTuple

from expansions.cost import Cost
from expansions.recipe import Expanded, Operands, Recipe, with_numbers
from expansions.schedule import Schedule
from generators.errors import InvalidInput
from generators.families.register_all import FAMILIES
from generators.open_register import Register
from generators.topology import Topology

NAME = re.compile(r"[A-Za-wy-z][A-Za-z0-9]*")
"""What the recipe notation can tell from the product sign."""

MAX_TIMES = 64
"""Largest exponent of L^n and G^n: more than any graph of MAX_NODES nodes can use."""


class CostedGraph(NamedTuple):
    """A graph of n nodes of degree d, and what a schedule on it costs."""

    cost: Cost
    n: int
    d: int


@dataclass(frozen=True, slots=True)
class ScheduledGraph:
    """A graph, an allgather on it, and how to make one on its transpose."""

    topology: Topology
    schedule: Schedule
    make_transposed: Callable[[], Schedule]


class Source(NamedTuple):
    """A smaller size that an expansion makes one from: n nodes, d ports, and its integers.

    `published` says that the published method draws on it too, where it has the expansion.
    """

    n: int
    d: int
    duplex: bool
    numbers: tuple[int, ...] = ()
    published: bool = True


def _no_sources(n: int, d: int, duplex: bool) -> Iterator[Source]:
    return iter(())


def _accept_anything(recipe: Recipe, *graphs: Topology) -> None:
    pass


def _covers_all(*parts: Recipe) -> bool:
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Expansion:
    """One expansion: its graph, size, schedule and cost, from those of the graphs inside.

    All functions take what they need of each of the `arity` graphs inside (None: of any number),
    then the integers that `numbers` names. `size` takes (n, d) of each and gives (n, d). `build`
    makes the graph from graphs. `schedule` takes a ScheduledGraph of each and makes an allgather
    on what `build` makes; None where BFB on the graph itself is at least as good. Both must
    commute with transposition: what they make of transposes is the transpose of what they make,
    but for the order of the arcs. `cost` takes a CostedGraph of each and gives the Cost of that
    schedule, exactly, or where `exact` is false an upper bound; None where no theorem tells, so
    that the graph itself is evaluated. `covers` says of the recipes inside whether the theorem
    speaks of them. `properties` takes the recipes inside; None means that nothing is known.

    `diameter` takes that of the graph inside and the integers, and gives what the graph has at
    least, never less for more; None where the bounds on its size and degree tell no less.

    `require(recipe)` refuses what cannot be expanded as far as that is known, and
    `require(recipe, *graphs)` does so when the graphs inside have been built. `make` constructs
    the recipe of an expansion with a notation of its own. `sources(n, d, duplex)` are the smaller
    sizes that a search draws on; it takes in expansions of one graph. `candidate` takes the
    finder's candidates and gives one or None; without it one is made from `cost`.

    With `edits` what `numbers` names are lists of edits (`expansions.graft`), not integers.
    With `repeats` the integer is the number of times that all this is applied. With `keeps_bfb`
    the schedule of a BFB schedule costs what BFB does on the expanded graph. `gain` bounds how
    much less BFB can take than `cost`: (steps, n, d, *numbers) of the expanded graph to T_B.

    `letter`, `word` and `place` name it in the kinds of a report, in order. `published` says that
    the published method has the expansion too.
    """

    symbol: str
    title: str
    size: Callable[..., tuple[int, int]]
    build: Callable[..., Topology]
    signature: str = ""
    arity: int | None = 1
    numbers: tuple[str, ...] = ()
    cost: Callable[..., Cost] | None = None
    exact: bool = True
    schedule: Callable[..., Schedule] | None = None
    candidate: Callable[..., Any] | None = None
    properties: Callable[..., Any] | None = None
    covers: Callable[..., bool] = _covers_all
    require: Callable[..., None] = _accept_anything
    make: Callable[..., Recipe] | None = None
    sources: Callable[[int, int, bool], Iterator[Source]] = _no_sources
    repeats: bool = False
    edits: bool = False
    keeps_bfb: bool = False
    gain: Callable[..., Fraction] | None = None
    diameter: Callable[..., int] | None = None
    letter: str = ""
    word: str = ""
    place: int = 99
    published: bool = False

    def __post_init__(self) -> None:
        if self.make is None and not NAME.fullmatch(self.symbol):
            raise InvalidInput(
                f"symbol: letters and digits, the first a letter but x, not {self.symbol!r}"
            )
        if self.repeats and (self.arity, len(self.numbers)) != (1, 1):
            raise InvalidInput(f"repeats: {self.symbol} takes one graph and one integer for it")
        for name, value in (
            ("signature", f"{self.symbol}({','.join((*'GHIJ'[: self.arity], *self.numbers))})"),
            ("letter", self.symbol),
            ("word", self.title),
        ):
            if not getattr(self, name):
                object.__setattr__(self, name, value)

    def apply(self, function: Callable[..., Any], parts: tuple[Any, ...], *numbers: int) -> Any:
        """`function` of the parts and the integers; with `repeats` as often as the integer says.

        A repeated function that gives None is not called again.
        """
        if not self.repeats:
            return function(*parts, *numbers)
        (found,) = parts
        for _ in range(numbers[0]):
            found = None if found is None else function(found)
        return found

    def require_shape(self, parts: int, numbers: int) -> None:
        """Refuse another number of recipes or integers than the expansion takes."""
        if self.arity not in (None, parts) or parts < 1:
            raise InvalidInput(f"{self.signature}: recipes: {self.arity or 'some'}, not {parts}")
        if numbers != len(self.numbers):
            what = "kinds of edits" if self.edits else "integers"
            raise InvalidInput(f"{self.signature}: {what}: {len(self.numbers)}, not {numbers}")


EXPANSIONS: Register[Expansion] = Register(
    "expansion",
    (
        *("expansions.cartesian", "expansions.degree", "expansions.two_way"),
        *("expansions.line_graph", "expansions.graft", "expansions.parallel"),
        *("expansions.transpose", "expansions.matching", "expansions.splitting_off"),
    ),
    place=lambda expansion: expansion.place,
)
"""By symbol. The modules ask the register themselves: it imports them when it is first asked."""


def register_expansion(expansion: Expansion) -> Expansion:
    """Enter an expansion in the register; a symbol is taken once, and is no family's name."""
    if expansion.make is None and FAMILIES.is_taken(expansion.symbol):
        raise InvalidInput(f"expansion {expansion.symbol!r}: a family has this name")
    return EXPANSIONS.enter(expansion.symbol, expansion)


def expansions_by_letter() -> list[Expansion]:
    """All expansions, in the order in which kinds of recipes name them.

    >>> [expansion.letter for expansion in expansions_by_letter() if expansion.published]
    ['L', 'D', 'P', 'C', 'Bi']
    """
    return list(EXPANSIONS.values())


def split_family(family: str) -> list[str]:
    """The names of base graphs and symbols of expansions in the word that `recipe.family` gives.

    >>> split_family("LDirCxUniRing")
    ['L', 'DirC', 'x', 'UniRing']
    """
    return _family_words().findall(family)


@cache
def _family_words() -> re.Pattern[str]:
    names = sorted([*FAMILIES, *EXPANSIONS], key=len, reverse=True)
    return re.compile("|".join(map(re.escape, names)))


def expansion_of(recipe: Expanded) -> Expansion:
    """The outermost expansion of a recipe."""
    found = EXPANSIONS.get(recipe.symbol)
    if found is None:
        raise InvalidInput(f"{recipe}: no expansion {recipe.symbol!r} is registered")
    return found


def last_application(recipe: Expanded) -> tuple[tuple[Recipe, ...], Operands]:
    """What the outermost expansion was applied to last: the recipes inside, and its integers.

    >>> from expansions.recipe import Base, Degree, Line
    >>> last_application(Line(Base("Diamond"), 2))
    ((Line(inner=Base(name='Diamond', arguments=()), times=1),), ())
    >>> last_application(Degree(Base("Diamond"), 2))
    ((Base(name='Diamond', arguments=()),), (2,))
    """
    if not expansion_of(recipe).repeats:
        return recipe.parts, recipe.numbers
    (times,) = recipe.numbers
    return (recipe.parts if times == 1 else (with_numbers(recipe, (times - 1,)),)), ()


def require_few(name: str, value: int) -> None:
    """Refuse an exponent above MAX_TIMES, before anything is raised to it."""
    if value > MAX_TIMES:
        raise InvalidInput(f"{name}: at most {MAX_TIMES}, not {value}")
