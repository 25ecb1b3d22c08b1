"""Kernels of find_jump_sets: balls of circulants as bitsets, and coordinate descent on jump sets.

A set of residues mod n is kept as 2n bits in 64-bit words, its bits 0..n-1 and the same once
more, so that turning it by s is reading n bits from position n - s. `half` says whether n/2
is a jump too; it leads to the same node both ways, so it is worth using once at most.
"""

import numpy as np
from numba import njit


@njit(cache=False)
def _turned_into(out, source, n, shift, words):
    """out |= source turned by `shift` (mod n), for the first `words` words."""
    start = n - shift
    first, bit = start >> 6, np.uint64(start & 63)
    if bit == 0:
        for w in range(words):
            out[w] |= source[first + w]
    else:
        other = np.uint64(64) - bit
        for w in range(words):
            out[w] |= (source[first + w] >> bit) | (source[first + w + 1] << other)


@njit(cache=False)
def _double(out, single, n, words):
    """Write the 2n bits of out: the n bits of `single`, twice."""
    out[:] = 0
    out[:words] = single[:words]
    first, bit = n >> 6, np.uint64(n & 63)
    for w in range(words):
        out[first + w] |= single[w] << bit
        if bit:
            out[first + w + 1] |= single[w] >> (np.uint64(64) - bit)


@njit(cache=False)
def _trim(single, n, words):
    """Clear the bits from n on."""
    if n & 63:
        single[words - 1] &= (np.uint64(1) << np.uint64(n & 63)) - np.uint64(1)


@njit(cache=False)
def _count(single, n):
    """How many of the residues 0..n-1 are in the set."""
    total = 0
    for w in range((n + 63) >> 6):
        x = single[w]
        if 64 * w + 64 > n:
            x &= (np.uint64(1) << np.uint64(n & 63)) - np.uint64(1)
        x = x - ((x >> np.uint64(1)) & np.uint64(0x5555555555555555))
        low = x & np.uint64(0x3333333333333333)
        x = low + ((x >> np.uint64(2)) & np.uint64(0x3333333333333333))
        x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
        total += np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))
    return total


@njit(cache=False)
def _balls(n, jumps, skip, radius, half, balls):
    """Fill balls[0..radius], doubled, of the jump set without its entry `skip`."""
    words = (n + 63) >> 6
    single = np.zeros(words + 1, dtype=np.uint64)
    single[0] = 1
    _double(balls[0], single, n, words)
    for r in range(radius):
        single[:words] = balls[r][:words]
        _trim(single, n, words)
        for i in range(len(jumps)):
            if i != skip:
                _turned_into(single, balls[r], n, jumps[i], words)
                _turned_into(single, balls[r], n, n - jumps[i], words)
        if half:
            _turned_into(single, balls[r], n, n // 2, words)
        _trim(single, n, words)
        _double(balls[r + 1], single, n, words)


@njit(cache=False)
def _room(n, radius):
    words = (n + 63) >> 6
    return np.zeros((radius + 1, 2 * words + 2), dtype=np.uint64)


@njit(cache=False)
def diameter(n, jumps, half):
    """The diameter of C(n, jumps), with the jump n/2 too where `half`; 0 if not connected."""
    words = (n + 63) >> 6
    balls = _room(n, 1)
    single = np.zeros(words + 1, dtype=np.uint64)
    single[0] = 1
    _double(balls[0], single, n, words)
    reached, radius = 1, 0
    while reached < n:
        for jump in jumps:
            _turned_into(single, balls[0], n, jump, words)
            _turned_into(single, balls[0], n, n - jump, words)
        if half:
            _turned_into(single, balls[0], n, n // 2, words)
        _trim(single, n, words)
        before, reached = reached, _count(single, n)
        if reached == before:
            return 0
        _double(balls[0], single, n, words)
        radius += 1
    return radius


@njit(cache=False)
def _best_jump(n, jumps, place, radius, balls, cover, offset):
    """The jump for `place` that covers most; ties to the first from `offset` on."""
    # The ball is symmetric under negation: residues 0..n/2 are enough.
    some = n // 2 + 1
    words = (some + 63) >> 6
    best, most, choices = 0, -1, (n - 1) // 2
    for c in range(choices):
        a = 1 + (c + offset) % choices
        taken = False
        for i in range(len(jumps)):
            taken |= i != place and jumps[i] == a
        if taken:
            continue
        cover[:words] = balls[radius][:words]
        turn = 0
        for i in range(1, radius + 1):
            turn = (turn + a) % n
            _turned_into(cover, balls[radius - i], n, turn, words)
            _turned_into(cover, balls[radius - i], n, n - turn, words)
        reached = _count(cover, some)
        if reached > most:
            best, most = a, reached
            if reached == some:
                break
    return best, most


@njit(cache=False)
def _fresh(n, k, choices, jumps):
    """A random jump set that holds 1."""
    jumps[0] = 1
    for i in range(1, k):
        again = True
        while again:
            jumps[i] = 1 + np.random.randint(choices)
            again = False
            for j in range(i):
                again |= jumps[j] == jumps[i]


@njit(cache=False)
def descend(n, start, radius, half, restarts, seed):
    """A jump set that covers Z_n within `radius`, or zeros if none was found.

    Descends from `start`, then from `restarts` random sets. Random sets hold 1 throughout every
    other time, since a unit of Z_n among the jumps may be taken to be 1.
    """
    np.random.seed(seed & 0x7FFFFFFF)
    k, choices, some = len(start), (n - 1) // 2, n // 2 + 1
    jumps = start.copy()
    balls = _room(n, radius)
    cover = np.zeros(balls.shape[1], dtype=np.uint64)
    for attempt in range(restarts + 1):
        if attempt:
            _fresh(n, k, choices, jumps)
        first = attempt % 2
        most, stale, place = -1, 0, first
        while stale < k - first:
            _balls(n, jumps, place, radius, half, balls)
            offset = np.random.randint(choices)
            best, reached = _best_jump(n, jumps, place, radius, balls, cover, offset)
            jumps[place] = best
            if reached == some:
                return jumps
            stale = 0 if reached > most else stale + 1
            most = max(most, reached)
            place = place + 1 if place + 1 < k else first
    return np.zeros(k, dtype=np.int64)
