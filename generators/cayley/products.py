"""Groups from two groups: direct and semidirect products, and extensions by a cyclic group.

An element is a pair (a, b), numbered a |B| + b, and the product of (a, 0) and (0, b). Iterated
extensions by cyclic groups reach every solvable group (polycyclic presentations).
"""

from collections.abc import Sequence
from itertools import groupby

import numpy as np

from generators.cayley.group import MAX_ORDER, Elements, Extension, Group, Law, cyclic
from generators.cayley.homomorphism import action, automorphism, compose_maps
from generators.errors import InvalidInput


def direct(first: Group, second: Group) -> Group:
    """first x second: (a, b)(c, d) = (a c, b d).

    >>> from generators.cayley.group import cyclic
    >>> str(direct(direct(cyclic(2), cyclic(4)), cyclic(4)))
    'Z2xZ4^2'
    """
    factors = (first.factors or (first,)) + (second.factors or (second,))
    text = "x".join(_run(list(run), place) for place, (_, run) in enumerate(groupby(factors)))
    _require_room(text, first, second)
    size = np.int32(second.order)

    def law(left: Elements, right: Elements) -> Elements:
        (a, b), (c, d) = np.divmod(left, size), np.divmod(right, size)
        return first.law(a, c) * size + second.law(b, d)

    inverses = (first.inverses[:, None] * size + second.inverses).ravel()
    return _pairs(text, first, second, law, inverses, factors)


def semidirect(normal: Group, acting: Group, images: Sequence[Sequence[int]]) -> Group:
    """normal : acting, (a, b)(c, d) = (a b(c), b d), where b acts on `normal`.

    `images` lists, for each generator of `acting`, what it makes of each generator of `normal`.
    Raises InvalidInput when that is no action by automorphisms.

    >>> from generators.cayley.group import cyclic
    >>> semidirect(cyclic(64), cyclic(16), [[3]]).order
    1024
    """
    shown = "|".join(_elements_text(normal, row) for row in images)
    text = f"{normal}:{part_text(acting)}[{shown}]"
    _require_room(text, normal, acting)
    acts, size = action(acting, normal, images), np.int32(acting.order)

    def law(left: Elements, right: Elements) -> Elements:
        (a, b), (c, d) = np.divmod(left, size), np.divmod(right, size)
        return normal.law(a, acts[b, c]) * size + acting.law(b, d)

    turned = acts[acting.inverses[None, :], normal.inverses[:, None]]
    return _pairs(text, normal, acting, law, (turned * size + acting.inverses).ravel())


def cyclic_extension(normal: Group, n: int, images: Sequence[int], tail: int) -> Group:
    """normal . Z_n: elements a x^i with x a x^-1 = f(a) and x^n = `tail`, an element of `normal`.

    `images` are those of the generators of `normal` under f. Raises InvalidInput unless f is an
    automorphism that fixes the tail and f^n is conjugation by the tail.

    >>> from generators.cayley.group import cyclic
    >>> quaternions = cyclic_extension(cyclic(4), 2, [3], 2)
    >>> str(quaternions), quaternions.element_orders().tolist()
    ('Z4.Z2[3|2]', [1, 4, 4, 4, 2, 4, 4, 4])
    """
    tail = normal.number(tail)
    text = f"{normal}.Z{n}[{_elements_text(normal, images)}|{_elements_text(normal, [tail])}]"
    top = cyclic(n)
    _require_room(text, normal, top)
    once = automorphism(normal, images)
    acts = top.extension(compose_maps, normal.elements, [once])
    turned = normal.multiply(normal.multiply(tail, normal.elements), normal.inverses[tail])
    if once[tail] != tail or not np.array_equal(once[acts[n - 1]], turned):
        raise InvalidInput(f"{text}: the tail is no {n}th power of what acts so")
    carry, size = np.array([0, tail], dtype=np.int32), np.int32(n)

    def law(left: Elements, right: Elements) -> Elements:
        (a, i), (b, j) = np.divmod(left, size), np.divmod(right, size)
        over, k = np.divmod(i + j, size)
        return normal.law(normal.law(a, acts[i, b]), carry[over]) * size + k

    # (a x^i)^-1 = f^(n-i)(tail^-1 a^-1) x^(n-i) for i > 0.
    back = normal.multiply(normal.inverses[tail], normal.inverses)
    inverses = acts[top.inverses[None, :], back[:, None]] * size + top.inverses
    inverses[:, 0] = normal.inverses * size
    return _pairs(text, normal, top, law, inverses.ravel())


def part_text(group: Group) -> str:
    """The group's text as one part: in brackets, unless it is a name or a power of one.

    >>> from generators.cayley.group import cyclic
    >>> part_text(cyclic(4)), part_text(direct(cyclic(2), cyclic(4)))
    ('Z4', '(Z2xZ4)')
    """
    depth, bare = 0, True
    for sign in group.text:
        depth += (sign in "([") - (sign in ")]")
        bare = bare and (depth > 0 or sign not in "x:.")
    return group.text if bare else f"({group.text})"


def _run(factors: list[Group], place: int) -> str:
    """Equal neighbouring factors; what stands first needs no brackets: parts bind leftward."""
    if len(factors) > 1:
        return f"{part_text(factors[0])}^{len(factors)}"
    return part_text(factors[0]) if place else factors[0].text


def _elements_text(group: Group, elements: Sequence[int]) -> str:
    """Elements as an action lists them: coordinates in brackets where there are several."""
    vectors = [group.coordinates(group.number(element)) for element in elements]
    many = len(group.radix) > 1
    return ",".join(
        "(" + ",".join(map(str, vector)) + ")" if many else str(vector[0]) for vector in vectors
    )


def _require_room(text: str, first: Group, second: Group) -> None:
    if first.order * second.order > MAX_ORDER:
        raise InvalidInput(
            f"{text}: at most {MAX_ORDER} elements, not {first.order * second.order}"
        )


def _pairs(
    text: str,
    first: Group,
    second: Group,
    law: Law,
    inverses: Elements,
    factors: tuple[Group, ...] = (),
) -> Group:
    size = second.order
    return Group(
        text=text,
        radix=first.radix + second.radix,
        generators=(*(g * size for g in first.generators), *second.generators),
        law=law,
        inverses=inverses.astype(np.int32),
        extension=_extension(first, second),
        factors=factors,
    )


def _extension(first: Group, second: Group) -> Extension:
    """Images of pairs: that of (a, 0) times that of (0, b)."""
    count = len(first.generators)

    def extension(product: Law, one: Elements, images: Sequence[Elements]) -> Elements:
        left = first.extension(product, one, images[:count])
        right = second.extension(product, one, images[count:])
        both = product(left[:, None], right[None])
        return both.reshape(-1, *one.shape)

    return extension
