"""Families of groups of an order, as texts: abelian, metacyclic, and some that are not solvable.

Abelian groups are all listed, one for each choice of prime powers. Metacyclic groups are cyclic
groups extended by cyclic groups, split or not. Of the groups that are not solvable those of order
below 2^13 are made as permutations: PSL(2,p) and PGL(2,p) act on the p + 1 points of the line over
the field of p elements, SL(2,p) on the vectors of the plane other than 0.
"""

from collections.abc import Callable, Iterator
from itertools import product
from math import gcd

from generators.cayley.permutations import Cycles, permutation_group

PRIMES = (5, 7, 11, 13, 17, 19, 23)
NAMED_GROUPS = {60: "A5", 120: "S5", 360: "A6", 720: "S6", 2520: "A7", 5040: "S7"}


def abelian_texts(n: int) -> Iterator[str]:
    """The abelian groups of order n >= 2, the cyclic one first.

    >>> list(abelian_texts(72))
    ['Z72', 'Z3xZ24', 'Z2xZ36', 'Z6xZ12', 'Z2^2xZ18', 'Z2xZ6^2']
    """
    choices = [[(p, parts) for parts in partitions(k)] for p, k in factorization(n)]
    for chosen in product(*choices):
        yield _abelian_text(_invariant_factors(chosen))


def factorization(n: int) -> list[tuple[int, int]]:
    """Primes with their exponents, ascending.

    >>> factorization(72)
    [(2, 3), (3, 2)]
    """
    found, p = [], 2
    while n > 1:
        k = 0
        while n % p == 0:
            n, k = n // p, k + 1
        if k:
            found.append((p, k))
        p = p + 1 if p * p <= n else max(n, p + 1)
    return found


def partitions(k: int, largest: int | None = None) -> Iterator[tuple[int, ...]]:
    """Partitions of k into parts that do not rise.

    >>> list(partitions(4))
    [(4,), (3, 1), (2, 2), (2, 1, 1), (1, 1, 1, 1)]
    """
    if k == 0:
        yield ()
    for first in range(min(k, largest or k), 0, -1):
        for rest in partitions(k - first, first):
            yield (first, *rest)


def _invariant_factors(chosen: tuple[tuple[int, tuple[int, ...]], ...]) -> list[int]:
    """Invariant factors, each a divisor of the next."""
    rank = max(len(parts) for _, parts in chosen)
    sizes = [1] * rank
    for p, parts in chosen:
        for place, exponent in enumerate(parts):
            sizes[rank - 1 - place] *= p**exponent
    return sizes


def _abelian_text(sizes: list[int]) -> str:
    words = []
    for size in sorted(set(sizes)):
        times = sizes.count(size)
        words.append(f"Z{size}" if times == 1 else f"Z{size}^{times}")
    return "x".join(words)


def metacyclic_texts(n: int) -> Iterator[str]:
    """The non-abelian groups Z_m:Z_k[r] and Z_m.Z_k[r|t] of order n = m k.

    (a,i)(b,j) = (a + r^i b, i + j); in the second form the k-th power of (0,1) is t. Of the r
    that generate one cyclic group of factors only the least is listed, and t only up to a factor:
    divisors of m. Actions of large order come first: the groups furthest from abelian.

    >>> list(metacyclic_texts(8))
    ['Z4:Z2[3]', 'Z4.Z2[3|2]']
    """
    sizes = [m for m in range(n // 2, 2, -1) if n % m == 0]
    actions = [
        (_multiplicative_order(r, m), m, r) for m in sizes for r in _action_factors(m, n // m)
    ]
    for _, m, r in sorted(actions, key=lambda action: (-action[0], -action[1], action[2])):
        k = n // m
        yield f"Z{m}:Z{k}[{r}]"
        for t in range(1, m):
            if m % t == 0 and (r - 1) * t % m == 0:
                yield f"Z{m}.Z{k}[{r}|{t}]"


def _action_factors(m: int, k: int) -> list[int]:
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


def _multiplicative_order(r: int, m: int) -> int:
    power, count = r, 1
    while power != 1:
        power, count = power * r % m, count + 1
    return count


def projective_texts(n: int) -> Iterator[str]:
    """The groups of order n that are named, PSL, PGL or SL.

    >>> [text.split("[")[0] for text in projective_texts(336)]
    ['P', 'P']
    """
    if n in NAMED_GROUPS:
        yield NAMED_GROUPS[n]
    for p in PRIMES:
        whole = p * (p * p - 1)
        if n == whole // 2 and p > 5:
            yield _group_text(_line_generators(p, pow(_primitive_root(p), 2, p)))
        if n == whole:
            if p > 5:
                yield _group_text(_line_generators(p, _primitive_root(p)))
            if p <= 11:
                yield _group_text(_plane_generators(p))


def _primitive_root(p: int) -> int:
    """The least primitive root modulo p."""
    return next(r for r in range(2, p) if len({pow(r, k, p) for k in range(p - 1)}) == p - 1)


def _line_generators(p: int, factor: int) -> list[Cycles]:
    """x + 1, factor x and -1/x on 0..p-1 and infinity, which is p."""
    maps: list[Callable[[int], int]] = [
        lambda x: x if x == p else (x + 1) % p,
        lambda x: x if x == p else x * factor % p,
        lambda x: {0: p, p: 0}.get(x, -pow(x, -1, p) % p if 0 < x < p else x),
    ]
    return [_cycles([act(x) for x in range(p + 1)]) for act in maps]


def _plane_generators(p: int) -> list[Cycles]:
    """(x, y) to (x + y, y) and to (y, -x), on vectors numbered p x + y - 1."""
    vectors = [(k // p, k % p) for k in range(1, p * p)]
    images = [
        [(x + y) % p * p + y - 1 for x, y in vectors],
        [y * p + -x % p - 1 for x, y in vectors],
    ]
    return [_cycles(image) for image in images]


def _cycles(image: list[int]) -> list[tuple[int, ...]]:
    found, seen = [], set()
    for start in range(len(image)):
        cycle, at = [], start
        while at not in seen:
            seen.add(at)
            cycle.append(at)
            at = image[at]
        if len(cycle) > 1:
            found.append(tuple(cycle))
    return found


def _group_text(generators: list[Cycles]) -> str:
    return permutation_group(generators).text
