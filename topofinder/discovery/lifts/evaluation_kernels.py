"""A lift of a base graph by Z_s judged from m receivers, balls as words of s bits.

Arc j of row r leads from (source[r, j], shift[r, j]) to (r, 0). Bit g of word w of the ball of
receiver r says whether (r, 0) has the shard of (w, g) already; the ball of (r, h) is the same
words turned by h, because (w, g) -> (w, g + h) is an automorphism. So a step of breadth-first
broadcast needs no tables: the ball of each in-neighbour is a row of words, turned by the shift.

With f(v) the set of links over which v can come at a step, the busiest link of a receiver carries
max over non-empty sets P of links of #{v : f(v) within P} / |P| (theorem 19).
"""

import numpy as np

from topofinder.kernels import inner, lowest_bit, popcount

MOST_UNIONS = 5
"""Degree up to which unions of links are counted; beyond, every shard is looked at."""


@inner
def turn_words(words, s, shift, seen, out):  # type: ignore[no-untyped-def]
    """out[w] = words[w] turned by `shift` among s bits, without the bits of seen[w]."""
    left, right = np.uint64(shift), np.uint64(s - shift)
    full = ~np.uint64(0) >> np.uint64(64 - s)
    if shift == 0:
        for w in range(len(words)):
            out[w] = words[w] & ~seen[w]
    else:
        for w in range(len(words)):
            out[w] = ((words[w] << left) | (words[w] >> right)) & full & ~seen[w]


@inner
def count_in_unions(fresh, unions, inside):  # type: ignore[no-untyped-def]
    """inside[P] = shards that only links of P can bring, from fresh[j] of each link.

    `unions`, uint64 of shape (2^d, m), is scratch; its last row is the union of all links.
    """
    d, sets = len(fresh), len(inside)
    for j in range(d):
        low = 1 << j
        for links in range(low):
            one, two, out = unions[links], fresh[j], unions[low | links]
            total = 0
            for w in range(len(out)):
                word = one[w] | two[w]
                out[w] = word
                total += popcount(word)
            inside[sets - 1 - (low | links)] = -total
    whole = -inside[0]
    inside[sets - 1] = 0
    for links in range(sets):
        inside[links] += whole


@inner
def count_by_shard(fresh, union, inside):  # type: ignore[no-untyped-def]
    """The same by looking at every shard; `union`, uint64 of shape (m,), is overwritten."""
    d = len(fresh)
    for links in range(len(inside)):
        inside[links] = 0
    for w in range(len(union)):
        word = np.uint64(0)
        for j in range(d):
            word |= fresh[j, w]
        union[w] = word
        while word:
            bit, over = np.uint64(lowest_bit(word)), np.uint64(0)
            for j in range(d):
                over |= ((fresh[j, w] >> bit) & np.uint64(1)) << np.uint64(j)
            inside[over] += 1
            word &= word - np.uint64(1)
    for j in range(d):
        low = 1 << j
        for links in range(len(inside)):
            if links & low:
                inside[links] += inside[links ^ low]


@inner
def add_energy(source, shift, s, weights, limit, energy, scratch):  # type: ignore[no-untyped-def]
    """Add the energy of one direction to `energy`; returns the sum, and the pairs missing.

    weights = (scale, steps, busiest, own, miss): `scale`, int64 of shape (2^d,), is unit / |P|
    for each set P of links, of which d divides the unit; of each of the `steps` the load of the
    busiest receiver counts `busiest` times and that of every receiver `own` times, and each pair
    (receiver, node) that is apart afterwards counts `miss`, at least (busiest + own) unit / d.
    As soon as the sum is sure to be above `limit`, it is given up: the sum so far is returned.

    scratch = (balls, fresh, unions, inside): uint64 of shapes (2, m, m), (d, m), (2^d, m), and
    int64 of shape (2^d,); overwritten.
    """
    scale, steps, busiest, own, miss = weights
    balls, fresh, unions, inside = scratch
    m, d = source.shape
    sets, share = len(scale), scale[len(scale) - 1]
    for r in range(m):
        for w in range(m):
            balls[0, r, w] = 0
        balls[0, r, r] = 1
    now, then, far, left = 0, 1, 0, 0
    for _ in range(steps):
        peak, far, left = 0, 0, 0
        for r in range(m):
            seen, grown = balls[now, r], balls[then, r]
            for j in range(d):
                turn_words(balls[now, source[r, j]], s, shift[r, j], seen, fresh[j])
            union = unions[sets - 1]
            if d <= MOST_UNIONS:
                count_in_unions(fresh, unions, inside)
            else:
                count_by_shard(fresh, union, inside)
            load, missing = 0, m * s
            for links in range(1, sets):
                load = max(load, inside[links] * scale[links])
            for w in range(m):
                grown[w] = seen[w] | union[w]
                missing -= popcount(grown[w])
            energy += own * load
            peak, far, left = max(peak, load), max(far, missing), left + missing
            if energy + busiest * peak > limit:
                return energy + busiest * peak, left
        energy += busiest * peak
        now, then = then, now
        if energy + (busiest * far + own * left) * share > limit:
            return energy + (busiest * far + own * left) * share, left
    return energy + miss * left, left


@inner
def make_scratch(m, d):  # type: ignore[no-untyped-def]
    """The arrays that `add_energy` overwrites; no links make no union."""
    unions = np.zeros((1 << d, m), np.uint64)
    fresh = np.empty((d, m), np.uint64)
    return np.empty((2, m, m), np.uint64), fresh, unions, np.empty(1 << d, np.int64)
