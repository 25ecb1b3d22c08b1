"""The noun Recipe: an expression that names a topology, in the papers' own notation.

A recipe is a small immutable tree. Its `str` is canonical: the identity under which a topology
is stored and printed. `expansions.parser.parse` reads it back; `expansions.build.build` makes
the graph. The classes only hold and print; `expansions.canonical` has the constructors that
check and merge, which is what a caller should use.
"""

from dataclasses import dataclass
from types import UnionType

from generators.registry import Argument, Arguments


@dataclass(frozen=True, slots=True)
class Base:
    """A member of a registered family: `K(4,4)`, `C(16,{3,4})`, `Diamond`, `Cay(S3;1,2)`.

    A word that other arguments follow is closed by a semicolon.

    >>> str(Base("C", (16, (3, 4)))), str(Base("Cay", ("S3", 1, 2)))
    ('C(16,{3,4})', 'Cay(S3;1,2)')
    """

    name: str
    arguments: Arguments = ()

    def __str__(self) -> str:
        if not self.arguments:
            return self.name
        first, *others = self.arguments
        if isinstance(first, str) and others:
            return f"{self.name}({first};{','.join(map(_argument, others))})"
        return f"{self.name}({','.join(map(_argument, self.arguments))})"


@dataclass(frozen=True, slots=True)
class Line:
    """L^times(inner): the line graph, `times` times over (definition 12).

    >>> str(Line(Base("Diamond"), 2))
    'L^2(Diamond)'
    """

    inner: "Recipe"
    times: int = 1

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

    def __str__(self) -> str:
        return f"{_enclosed(self.inner, Product)}*{self.copies}"


@dataclass(frozen=True, slots=True)
class Power:
    """inner^exponent: Cartesian power (definition 14).

    >>> str(Power(Degree(Base("Diamond"), 3), 2))
    '(Diamond*3)^2'
    """

    inner: "Recipe"
    exponent: int

    def __str__(self) -> str:
        # G*3^2 would be read back well, but a reader of arithmetic would take 3^2 first.
        return f"{_enclosed(self.inner, Product | Degree)}^{self.exponent}"


@dataclass(frozen=True, slots=True)
class Product:
    """first x second x ...: Cartesian product of distinct graphs (definition 3).

    >>> str(Product((Base("K", (2,)), Base("Diamond"))))
    'K(2) x Diamond'
    """

    factors: tuple["Recipe", ...]

    def __str__(self) -> str:
        return " x ".join(_enclosed(factor, Product) for factor in self.factors)


@dataclass(frozen=True, slots=True)
class Bi:
    """Bi(inner): the graph together with its transpose, every circuit two-way (appendix A.6).

    >>> str(Bi(Base("Diamond")))
    'Bi(Diamond)'
    """

    inner: "Recipe"

    def __str__(self) -> str:
        return f"Bi({self.inner})"


Recipe = Base | Line | Degree | Power | Product | Bi


def _argument(value: Argument) -> str:
    return "{" + ",".join(map(str, value)) + "}" if isinstance(value, tuple) else str(value)


def _enclosed(inner: Recipe, loose: type | UnionType) -> str:
    return f"({inner})" if isinstance(inner, loose) else str(inner)
