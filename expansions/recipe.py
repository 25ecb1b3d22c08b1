"""The noun Recipe: an expression that names a topology, in the papers' own notation.

A recipe is a small immutable tree. Its `str` is canonical: the identity under which a topology
is stored and printed. `expansions.parser.parse` reads it back; `expansions.build.build` makes
the graph. The classes only hold and print; `expansions.canonical` has the constructors that
check and merge, which is what a caller should use.

Every class has `parts`, the recipes inside, and `numbers`, the integers of its operator; all but
Base have the `symbol` under which the register of expansions knows the operator. Nothing else of
the program tells the operators apart: it asks `expansions.register`.
"""

from dataclasses import dataclass
from types import UnionType
from typing import Any, ClassVar

from generators.registry import Argument, Arguments

EditList = tuple[tuple[int, ...], ...]
"""Edits of one kind, each some integers."""
Operands = tuple[Any, ...]
"""What an operator takes beside recipes: integers, or lists of edits."""
EDIT_SIGNS = "-+~"
"""How removals, insertions and switches are written."""


@dataclass(frozen=True, slots=True)
class Base:
    """A member of a registered family: `K(4,4)`, `C(16,{3,4})`, `Diamond`, `Cay(S3;1,2)`.

    A word that other arguments follow is closed by a semicolon.

    >>> str(Base("C", (16, (3, 4)))), str(Base("Cay", ("S3", 1, 2)))
    ('C(16,{3,4})', 'Cay(S3;1,2)')
    """

    name: str
    arguments: Arguments = ()

    parts: ClassVar[tuple["Recipe", ...]] = ()
    numbers: ClassVar[tuple[int, ...]] = ()

    def __str__(self) -> str:
        if not self.arguments:
            return self.name
        first, *others = self.arguments
        if isinstance(first, str) and others:
            return f"{self.name}({first};{','.join(map(_argument_text, others))})"
        return f"{self.name}({','.join(map(_argument_text, self.arguments))})"


@dataclass(frozen=True, slots=True)
class Line:
    """L^times(inner): the line graph, `times` times over (definition 12).

    >>> str(Line(Base("Diamond"), 2))
    'L^2(Diamond)'
    """

    inner: "Recipe"
    times: int = 1

    symbol: ClassVar[str] = "L"

    @property
    def parts(self) -> tuple["Recipe", ...]:
        """The recipes inside."""
        return (self.inner,)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The integers of the operator."""
        return (self.times,)

    def __str__(self) -> str:
        power = "" if self.times == 1 else f"^{self.times}"
        return f"L{power}({self.inner})"


@dataclass(frozen=True, slots=True)
class Degree:
    """inner*copies: degree expansion (definition 13).

    >>> str(Degree(Power(Base("Diamond"), 2), 3))
    'Diamond^2*3'
    """

    inner: "Recipe"
    copies: int

    symbol: ClassVar[str] = "*"

    @property
    def parts(self) -> tuple["Recipe", ...]:
        """The recipes inside."""
        return (self.inner,)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The integers of the operator."""
        return (self.copies,)

    def __str__(self) -> str:
        return f"{_bracketed_text(self.inner, Product | Parallel)}*{self.copies}"


@dataclass(frozen=True, slots=True)
class Power:
    """inner^exponent: Cartesian power (definition 14).

    >>> str(Power(Degree(Base("Diamond"), 3), 2))
    '(Diamond*3)^2'
    """

    inner: "Recipe"
    exponent: int

    symbol: ClassVar[str] = "^"

    @property
    def parts(self) -> tuple["Recipe", ...]:
        """The recipes inside."""
        return (self.inner,)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The integers of the operator."""
        return (self.exponent,)

    def __str__(self) -> str:
        # G*3^2 would be read back well, but a reader of arithmetic would take 3^2 first.
        return f"{_bracketed_text(self.inner, Product | Degree | Parallel)}^{self.exponent}"


@dataclass(frozen=True, slots=True)
class Parallel:
    """inner||cables: every arc as so many parallel ones.

    >>> str(Parallel(Power(Base("Diamond"), 2), 3)), str(Degree(Parallel(Base("Diamond"), 3), 2))
    ('Diamond^2||3', '(Diamond||3)*2')
    """

    inner: "Recipe"
    cables: int

    symbol: ClassVar[str] = "||"

    @property
    def parts(self) -> tuple["Recipe", ...]:
        """The recipes inside."""
        return (self.inner,)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The integers of the operator."""
        return (self.cables,)

    def __str__(self) -> str:
        return f"{_bracketed_text(self.inner, Product)}||{self.cables}"


@dataclass(frozen=True, slots=True)
class Product:
    """first x second x ...: Cartesian product of distinct graphs (definition 3).

    >>> str(Product((Base("K", (2,)), Base("Diamond"))))
    'K(2) x Diamond'
    """

    factors: tuple["Recipe", ...]

    symbol: ClassVar[str] = "x"

    @property
    def parts(self) -> tuple["Recipe", ...]:
        """The recipes inside."""
        return self.factors

    @property
    def numbers(self) -> tuple[int, ...]:
        """The integers of the operator."""
        return ()

    def __str__(self) -> str:
        return " x ".join(_bracketed_text(factor, Product) for factor in self.factors)


@dataclass(frozen=True, slots=True)
class Bi:
    """Bi(inner): the graph together with its transpose, every circuit two-way (appendix A.6).

    >>> str(Bi(Base("Diamond")))
    'Bi(Diamond)'
    """

    inner: "Recipe"

    symbol: ClassVar[str] = "Bi"

    @property
    def parts(self) -> tuple["Recipe", ...]:
        """The recipes inside."""
        return (self.inner,)

    @property
    def numbers(self) -> tuple[int, ...]:
        """The integers of the operator."""
        return ()

    def __str__(self) -> str:
        return f"Bi({self.inner})"


@dataclass(frozen=True, slots=True)
class Application:
    """symbol(part, ...,number, ...): any other expansion that the register knows.

    >>> str(Application("Twin", (Power(Base("Diamond"), 2),), (3,)))
    'Twin(Diamond^2,3)'
    """

    symbol: str
    parts: tuple["Recipe", ...]
    numbers: tuple[int, ...] = ()

    def __str__(self) -> str:
        return f"{self.symbol}({','.join(map(str, (*self.parts, *self.numbers)))})"


@dataclass(frozen=True, slots=True)
class Graft:
    """symbol(inner;-17.5,+3.88,~4.97): removals, insertions and switches (`expansions.graft`).

    >>> str(Graft("Graft", Base("K", (4,)), ((3, 1),), ((0, 2, 5),), ((1, 7),)))
    'Graft(K(4);-3.1,+0.2.5,~1.7)'
    """

    symbol: str
    inner: "Recipe"
    removals: EditList = ()
    insertions: EditList = ()
    switches: EditList = ()

    @property
    def parts(self) -> tuple["Recipe", ...]:
        """The recipes inside."""
        return (self.inner,)

    @property
    def numbers(self) -> Operands:
        """The integers of the operator: a list for each kind of edit."""
        return self.removals, self.insertions, self.switches

    def __str__(self) -> str:
        edits = (
            sign + ".".join(map(str, edit))
            for sign, kind in zip(EDIT_SIGNS, self.numbers, strict=True)
            for edit in kind
        )
        return f"{self.symbol}({self.inner};{','.join(edits)})"


Expanded = Line | Degree | Power | Product | Bi | Parallel | Application | Graft
"""What an expansion makes."""
Recipe = Base | Expanded


def with_numbers(recipe: Expanded, numbers: Operands) -> Recipe:
    """The same expansion of the same recipes, with other integers.

    >>> str(with_numbers(Line(Base("Diamond"), 3), (2,)))
    'L^2(Diamond)'
    """
    if isinstance(recipe, Application):
        return Application(recipe.symbol, recipe.parts, numbers)
    if isinstance(recipe, Graft):
        return Graft(recipe.symbol, recipe.inner, *numbers)
    return type(recipe)(*recipe.parts, *numbers)  # type: ignore[arg-type]


def complexity(recipe: Recipe) -> int:
    """Number of operators and base graphs in a recipe.

    >>> complexity(Line(Base("K", (4, 4)), 2))
    2
    """
    return 1 + sum(map(complexity, recipe.parts))


def family(recipe: Recipe) -> str:
    """What a recipe is built from and with, as in the paper's figure 15: "L+C", "Pi", "x+C".

    >>> family(Line(Power(Base("Diamond"), 2), 2)), family(Product((Base("K", (2,)), Base("C"))))
    ('L^Diamond', 'CxK')
    """
    if isinstance(recipe, Base):
        return recipe.name
    inside = "x".join(sorted(set(map(family, recipe.parts))))
    return inside if isinstance(recipe, Product) else recipe.symbol + inside


def _argument_text(value: Argument) -> str:
    return "{" + ",".join(map(str, value)) + "}" if isinstance(value, tuple) else str(value)


def _bracketed_text(inner: Recipe, loose: type | UnionType) -> str:
    return f"({inner})" if isinstance(inner, loose) else str(inner)
