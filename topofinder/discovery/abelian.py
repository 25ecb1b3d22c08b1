"""All abelian groups of an order, as texts: one for each choice of prime powers."""

from collections.abc import Iterator
from itertools import product


def abelian_texts(n: int) -> Iterator[str]:
    """The abelian groups of order n >= 2, the cyclic one first.

    >>> list(abelian_texts(72))
    ['Z72', 'Z3xZ24', 'Z2xZ36', 'Z6xZ12', 'Z2^2xZ18', 'Z2xZ6^2']
    """
    choices = [[(p, parts) for parts in partitions(k)] for p, k in factorization(n)]
    for chosen in product(*choices):
        yield _text(_invariants(chosen))


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


def _invariants(chosen: tuple[tuple[int, tuple[int, ...]], ...]) -> list[int]:
    """Invariant factors, each a divisor of the next."""
    rank = max(len(parts) for _, parts in chosen)
    sizes = [1] * rank
    for p, parts in chosen:
        for place, exponent in enumerate(parts):
            sizes[rank - 1 - place] *= p**exponent
    return sizes


def _text(sizes: list[int]) -> str:
    words = []
    for size in sorted(set(sizes)):
        times = sizes.count(size)
        words.append(f"Z{size}" if times == 1 else f"Z{size}^{times}")
    return "x".join(words)
