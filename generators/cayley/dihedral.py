"""Dihedral and dicyclic groups under their own names; an element (a, i) is x^a y^i."""

from dataclasses import replace
from functools import lru_cache

from generators.cayley.group import Group, cyclic
from generators.cayley.products import cyclic_extension, semidirect
from generators.registry import require


@lru_cache(maxsize=256)
def dihedral(n: int) -> Group:
    """D_n of order 2n, the symmetries of the n-gon: x^n = y^2 = 1, y x y = x^-1.

    >>> dihedral(8).order
    16
    """
    require(n >= 2, f"D{n}: a dihedral group has n >= 2")
    return replace(semidirect(cyclic(n), cyclic(2), [[n - 1]]), text=f"D{n}")


@lru_cache(maxsize=256)
def dicyclic(n: int) -> Group:
    """Dic_n of order 4n: x^2n = 1, y^2 = x^n, y x y^-1 = x^-1; quaternions for powers of two.

    >>> dicyclic(2).element_orders().tolist()
    [1, 4, 4, 4, 2, 4, 4, 4]
    """
    require(n >= 2, f"Dic{n}: a dicyclic group has n >= 2")
    return replace(cyclic_extension(cyclic(2 * n), 2, [2 * n - 1], n), text=f"Dic{n}")
