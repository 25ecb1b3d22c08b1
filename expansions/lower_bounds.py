"""What no allgather can take less than: the Moore bound on steps, theorem 4 on bandwidth."""

from fractions import Fraction
from functools import lru_cache


def moore_steps(n: int, d: int) -> int:
    """T_L*(N, d): least k with 1 + d + ... + d^k >= N (definition 10, the Moore bound).

    >>> [moore_steps(n, 4) for n in (2, 5, 6, 21, 22, 1024)]
    [1, 1, 2, 2, 3, 5]
    """
    if d == 1:
        return n - 1
    reached, layer, steps = 1, 1, 0
    while reached < n:
        layer *= d
        reached += layer
        steps += 1
    return steps


def two_way_moore_steps(n: int, d: int) -> int:
    """The Moore bound when every circuit is two-way: layers d, d(d-1), d(d-1)^2, ...

    >>> [two_way_moore_steps(n, 4) for n in (5, 17, 18, 53, 54)]
    [1, 2, 3, 3, 4]
    """
    if d <= 2:
        return n - 1 if d == 1 else n // 2
    reached, layer, steps = 1, d, 0
    while reached < n:
        reached += layer
        layer *= d - 1
        steps += 1
    return steps


@lru_cache(maxsize=1 << 14)
def least_bandwidth(n: int, d: int = 2, *, two_way: bool = False) -> Fraction:
    """T_B*(N) = (N - 1)/N, the least bandwidth time of an allgather (theorem 4).

    With `two_way` circuits a host has a port left where N d is odd, since a circuit takes two. It
    receives N - 1 shards over d - 1 ports: T_B is at least d/(d - 1) (N - 1)/N.

    >>> least_bandwidth(9, 3), least_bandwidth(9, 3, two_way=True)
    (Fraction(8, 9), Fraction(4, 3))
    """
    return Fraction(n - 1, n) * (Fraction(d, d - 1) if two_way and free_ports(n, d) else 1)


def one_step_bandwidth(n: int, d: int) -> Fraction:
    """The least bandwidth time (in M/B) of an allgather in one step, for 2 <= N <= d + 1.

    A host has its own shard alone to send then, and reaches some other by b = floor(d/(N - 1))
    links at most: T_B is at least d/(N b), the T_B* of theorem 4 only where N - 1 divides d.
    Raises ZeroDivisionError for other N, which take more steps, or none.

    >>> one_step_bandwidth(4, 8), one_step_bandwidth(5, 8)
    (Fraction(1, 1), Fraction(4, 5))
    """
    return Fraction(d, n * (d // (n - 1)))


def free_ports(n: int, d: int) -> int:
    """Ports that two-way circuits leave free where all others are in use: 1 for odd N d > N.

    >>> free_ports(9, 3), free_ports(9, 4), free_ports(10, 3)
    (1, 0, 0)
    """
    return n * d % 2 if d > 1 else 0
