"""Groups of order below 2^13 that are not solvable, as permutations.

PSL(2,p) and PGL(2,p) act on the p + 1 points of the line over the field of p elements, SL(2,p) on
the vectors of the plane other than 0.
"""

from collections.abc import Callable, Iterator

from generators.cayley.permutations import Cycles, permutation_group

PRIMES = (5, 7, 11, 13, 17, 19, 23)
NAMED = {60: "A5", 120: "S5", 360: "A6", 720: "S6", 2520: "A7", 5040: "S7"}


def projective_texts(n: int) -> Iterator[str]:
    """The groups of order n that are named, PSL, PGL or SL.

    >>> [text.split("[")[0] for text in projective_texts(336)]
    ['P', 'P']
    """
    if n in NAMED:
        yield NAMED[n]
    for p in PRIMES:
        whole = p * (p * p - 1)
        if n == whole // 2 and p > 5:
            yield _written(_line(p, pow(_root(p), 2, p)))
        if n == whole:
            if p > 5:
                yield _written(_line(p, _root(p)))
            if p <= 11:
                yield _written(_plane(p))


def _root(p: int) -> int:
    """The least primitive root modulo p."""
    return next(r for r in range(2, p) if len({pow(r, k, p) for k in range(p - 1)}) == p - 1)


def _line(p: int, factor: int) -> list[Cycles]:
    """x + 1, factor x and -1/x on 0..p-1 and infinity, which is p."""
    maps: list[Callable[[int], int]] = [
        lambda x: x if x == p else (x + 1) % p,
        lambda x: x if x == p else x * factor % p,
        lambda x: {0: p, p: 0}.get(x, -pow(x, -1, p) % p if 0 < x < p else x),
    ]
    return [_cycles([act(x) for x in range(p + 1)]) for act in maps]


def _plane(p: int) -> list[Cycles]:
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


def _written(generators: list[Cycles]) -> str:
    return permutation_group(generators).text
