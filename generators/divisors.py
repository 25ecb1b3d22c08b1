"""The divisors of an integer, and its prime factors."""

from collections import Counter
from functools import lru_cache


def divisors(n: int) -> list[int]:
    """Divisors of n in increasing order, 1 and n included.

    >>> divisors(12)
    [1, 2, 3, 4, 6, 12]
    """
    return list(_divisors(n))


@lru_cache(maxsize=1 << 12)
def _divisors(n: int) -> tuple[int, ...]:
    found = [1]
    for prime, times in Counter(prime_factors(n)).items():
        found = [one * prime**power for one in found for power in range(times + 1)]
    return tuple(sorted(found))


def prime_factors(n: int) -> tuple[int, ...]:
    """Prime factors of n in decreasing order, each as often as it divides n.

    >>> prime_factors(720), prime_factors(97), prime_factors(1)
    ((5, 3, 3, 2, 2, 2, 2), (97,), ())
    """
    found, prime = list[int](), 2
    while prime * prime <= n:
        while n % prime == 0:
            found.append(prime)
            n //= prime
        prime += 1
    if n > 1:
        found.append(n)
    return tuple(reversed(found))
