"""Extensions of a group by a cyclic group, through automorphisms drawn at random.

Random images of the generators, of the right element orders, often make an automorphism f. Then
H.Z_k[f|t] is a group for every t that f fixes and by which f^k conjugates; with t = 1 it is the
semidirect product H:Z_k[f]. Extension upon extension reaches every solvable group.
"""

from collections.abc import Iterator

import numpy as np

from generators.cayley.group import Group, cyclic
from generators.cayley.homomorphism import automorphism
from generators.cayley.products import cyclic_extension, semidirect
from generators.errors import InvalidInput
from generators.topology import IntArray


def extensions(normal: Group, k: int, draws: int, random: np.random.Generator) -> Iterator[Group]:
    """Extensions of `normal` by Z_k that `draws` random maps lead to; the same group may recur.

    >>> from generators.cayley.notation import parse_group
    >>> found = extensions(parse_group("Z3"), 2, 4, np.random.default_rng(1))
    >>> sorted({str(group) for group in found})
    ['Z3:Z2[2]']
    """
    orders = normal.element_orders()
    choices = [np.flatnonzero(orders == orders[g]) for g in normal.generators]
    for _ in range(draws):
        images = [int(random.choice(choice)) for choice in choices]
        try:
            drawn = automorphism(normal, images)
        except InvalidInput:
            continue
        for acts in _useful_powers(normal, drawn, k):
            tails = _extension_tails(normal, acts, k)
            own = [int(acts[g]) for g in normal.generators]
            if len(tails) and tails[0] == 0:
                yield semidirect(normal, cyclic(k), [own])
            if len(tails) and tails[-1]:
                yield cyclic_extension(normal, k, own, int(random.choice(tails[tails > 0])))


def _useful_powers(normal: Group, drawn: IntArray, k: int) -> Iterator[IntArray]:
    """The first power of an automorphism whose k-th power is inner, and the first where it is 1.

    Powers that are the identity are left out.
    """
    power, inner = drawn, False
    while not np.array_equal(power, normal.elements):
        trivial = np.array_equal(_automorphism_power(power, k), normal.elements)
        if trivial or (not inner and len(_extension_tails(normal, power, k))):
            inner = True
            yield power
        if trivial:
            return
        power = drawn[power]


def _automorphism_power(acts: IntArray, k: int) -> IntArray:
    found = np.arange(len(acts), dtype=np.int32)
    for _ in range(k):
        found = acts[found]
    return found


def _extension_tails(normal: Group, acts: IntArray, k: int) -> IntArray:
    """Elements t, ascending, that `acts` fixes and with t g = f^k(g) t for all g."""
    after = _automorphism_power(acts, k)
    fixed = np.flatnonzero(acts == np.arange(len(acts))).astype(np.int32)
    for g in normal.generators:
        fixed = fixed[normal.multiply(fixed, g) == normal.multiply(int(after[g]), fixed)]
    return fixed
