"""The divisors of an integer."""

from math import isqrt


def divisors(n: int) -> list[int]:
    """Divisors of n in increasing order, 1 and n included.

    >>> divisors(12)
    [1, 2, 3, 4, 6, 12]
    """
    low = [k for k in range(1, isqrt(n) + 1) if n % k == 0]
    return low + [n // k for k in reversed(low) if k * k != n]
