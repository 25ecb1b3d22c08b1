"""The divisors of an integer, and its prime factors."""

from math import isqrt


def divisors(n: int) -> list[int]:
    """Divisors of n in increasing order, 1 and n included.

    >>> divisors(12)
    [1, 2, 3, 4, 6, 12]
    """
    low = [k for k in range(1, isqrt(n) + 1) if n % k == 0]
    return low + [n // k for k in reversed(low) if k * k != n]


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
