"""Homomorphisms from the images of generators: automorphisms of a group, actions on a group.

Images of the standard generators extend to the whole group in at most one way. The extension is
made first, along one word for each element, and then checked: a map f is a homomorphism when
f(g s) = f(g) f(s) for every element g and every generator s (induction on the length of words).
"""

from collections.abc import Sequence

import numpy as np

from generators.cayley.group import Elements, Group, Law
from generators.errors import InvalidInput


def homomorphism(
    group: Group, product: Law, one: Elements, images: Sequence[Elements]
) -> Elements | None:
    """The homomorphism with these images of the standard generators, or None if there is none.

    `one` is the identity of the target and `product` its law. The shape of the answer is
    (order, *one.shape): row g is the image of g.

    >>> from generators.cayley.group import cyclic
    >>> doubled = homomorphism(cyclic(3), cyclic(6).law, np.int32(0), [np.int32(2)])
    >>> doubled.tolist(), homomorphism(cyclic(3), cyclic(6).law, np.int32(0), [np.int32(1)])
    ([0, 2, 4], None)
    """
    found = group.extension(product, one, images)
    for generator in group.generators:
        expected = product(found, found[generator][None])
        if not np.array_equal(found[group.times(generator)], expected):
            return None
    return found


def automorphism(group: Group, images: Sequence[int]) -> Elements:
    """The automorphism with these images of the standard generators; shape (order,).

    Raises InvalidInput when there is none.

    >>> from generators.cayley.group import cyclic
    >>> automorphism(cyclic(8), [3]).tolist()
    [0, 3, 6, 1, 4, 7, 2, 5]
    """
    shown = ",".join(map(str, images))
    if len(images) != len(group.generators):
        raise InvalidInput(
            f"[{shown}]: {group} has {len(group.generators)} generators, not {len(images)}"
        )
    targets = [np.array(group.number(image), dtype=np.int32) for image in images]
    found = homomorphism(group, group.law, np.zeros((), dtype=np.int32), targets)
    if found is None or len(set(found.tolist())) < group.order:
        raise InvalidInput(f"[{shown}] is no automorphism of {group}")
    return found


def compose_maps(outer: Elements, inner: Elements) -> Elements:
    """The maps outer(inner(x)), along the last axis: the law of automorphisms.

    >>> compose_maps(np.array([1, 2, 0]), np.array([0, 2, 1])).tolist()
    [1, 0, 2]
    """
    return np.take_along_axis(outer, inner, axis=-1)


def action(acting: Group, normal: Group, images: Sequence[Sequence[int]]) -> Elements:
    """How each element of `acting` permutes `normal`: entry [b, a] is what b makes of a.

    `images` lists, for each generator of `acting`, the images of the generators of `normal`.
    Raises InvalidInput when one is no automorphism, or they break a relation of `acting`.

    >>> from generators.cayley.group import cyclic
    >>> action(cyclic(2), cyclic(5), [[4]]).tolist()
    [[0, 1, 2, 3, 4], [0, 4, 3, 2, 1]]
    """
    if len(images) != len(acting.generators):
        raise InvalidInput(
            f"{acting} has {len(acting.generators)} generators; {len(images)} act on {normal}"
        )
    rows = [automorphism(normal, image) for image in images]
    found = homomorphism(acting, compose_maps, normal.elements, rows)
    if found is None:
        shown = "|".join(",".join(map(str, image)) for image in images)
        raise InvalidInput(f"[{shown}] is no action of {acting} on {normal}: a relation is broken")
    return found
