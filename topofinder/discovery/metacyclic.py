"""Metacyclic groups: a cyclic group extended by a cyclic group, split or not."""

from collections.abc import Iterator
from math import gcd


def metacyclic_texts(n: int) -> Iterator[str]:
    """The non-abelian groups Z_m:Z_k[r] and Z_m.Z_k[r|t] of order n = m k.

    (a,i)(b,j) = (a + r^i b, i + j); in the second form the k-th power of (0,1) is t. Of the r
    that generate one cyclic group of factors only the least is listed, and t only up to a factor:
    divisors of m. Actions of large order come first: the groups furthest from abelian.

    >>> list(metacyclic_texts(8))
    ['Z4:Z2[3]', 'Z4.Z2[3|2]']
    """
    sizes = [m for m in range(n // 2, 2, -1) if n % m == 0]
    actions = [(_order(r, m), m, r) for m in sizes for r in _factors(m, n // m)]
    for _, m, r in sorted(actions, key=lambda action: (-action[0], -action[1], action[2])):
        k = n // m
        yield f"Z{m}:Z{k}[{r}]"
        for t in range(1, m):
            if m % t == 0 and (r - 1) * t % m == 0:
                yield f"Z{m}.Z{k}[{r}|{t}]"


def _factors(m: int, k: int) -> list[int]:
    """The r with r^k = 1 modulo m, 1 left out: one for each cyclic group of factors."""
    found: dict[frozenset[int], int] = {}
    for r in range(2, m):
        if gcd(r, m) == 1 and pow(r, k, m) == 1:
            powers, power = {1}, r
            while power != 1:
                powers.add(power)
                power = power * r % m
            found.setdefault(frozenset(powers), r)
    return sorted(found.values())


def _order(r: int, m: int) -> int:
    power, count = r, 1
    while power != 1:
        power, count = power * r % m, count + 1
    return count
