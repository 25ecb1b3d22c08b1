"""The register of throughput methods: ways of bounding a maximum concurrent flow, by their price.

A method is entered once, by `register_throughput_method`; those of topofinder stand in
`topofinder.alltoall.methods`. All that knows methods reads the register: the solver, its refusals
and the help of the command line. Nothing here compiles or imports kernels.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.open_register import Register

if TYPE_CHECKING:
    from topofinder.alltoall.solver.search import ThroughputSearch

AUTO = "auto"
"""The word for all methods with `in_auto` in turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThroughputMethod:
    """A way of bounding f, with a line that describes it.

    `bound` betters what a search knows, and tells whether the search is over; where it is not,
    the next method is tried. Methods are tried by `price`, the cheapest first: with `auto` all
    that are `in_auto`, else the one that is asked for, with those of `beside`, which may prepare
    it or take its place.
    """

    name: str
    description: str
    price: int
    bound: Callable[["ThroughputSearch"], bool]
    in_auto: bool = True
    beside: tuple[str, ...] = ()


THROUGHPUT_METHODS: Register[ThroughputMethod] = Register(
    "throughput method", ("topofinder.alltoall.methods",), place=lambda method: method.price
)


def register_throughput_method(method: ThroughputMethod) -> ThroughputMethod:
    """Enter a method in the register; a name is taken once."""
    if method.name == AUTO:
        raise InvalidInput(f"throughput method {AUTO!r} is registered already")
    return THROUGHPUT_METHODS.enter(method.name, method)


def method_names() -> tuple[str, ...]:
    """What may be asked for, `auto` first, then the cheapest.

    >>> method_names()
    ('auto', 'translations', 'hops', 'lp', 'equilibrium')
    """
    return (AUTO, *THROUGHPUT_METHODS)


def methods_in_turn(name: str) -> list[ThroughputMethod]:
    """The methods that are tried where one is asked for, the cheapest first.

    Raises InvalidInput for a name that is not in the register.

    >>> [method.name for method in methods_in_turn("auto")]
    ['translations', 'hops', 'lp', 'equilibrium']
    """
    if name not in method_names():
        raise InvalidInput(f"method: {excerpt(name)} is none of {', '.join(method_names())}")
    known = THROUGHPUT_METHODS.values()
    if name == AUTO:
        return [method for method in known if method.in_auto]
    names = (name, *THROUGHPUT_METHODS[name].beside)
    return [method for method in known if method.name in names]
