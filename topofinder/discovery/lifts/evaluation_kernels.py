"""A lift of a base graph by a group judged from m receivers, balls as words of bits.

Arc j of row r leads from (source[r, j], shift[r, j]) to (r, 0). A bit of the ball of receiver r
says whether (r, 0) has the shard of a node (w, g) already; the ball of (r, h) is the same with the
bits moved from g to h g, because (w, g) -> (w, h g) is an automorphism. Where the bits of a fibre
stand and how they move as whole runs is told by `Translations`, the argument `group`: so a step of
breadth-first broadcast needs no table of elements, and by Z_s of up to 64 elements the ball of an
in-neighbour is a row of m words, turned by the shift.

With f(v) the set of links over which v can come at a step, the busiest link of a receiver carries
max over non-empty sets P of links of #{v : f(v) within P} / |P| (theorem 19).
"""

import numpy as np

from topofinder.discovery.lifts.few_link_kernels import load_of_few
from topofinder.discovery.link_set_kernels import (
    FIELDS,
    MOST_BYTE_LINKS,
    busiest_load,
    clear_counts,
    count_word,
)
from topofinder.kernels import inner, lowest_bit, popcount

LEAST_FEW, MOST_FEW = 2, 4
"""Degrees whose links are gone through in one pass, where a fibre is one word."""
MOST_UNIONS = 5
"""Degree up to which unions of links are counted; beyond, every shard is looked at."""


@inner
def turn_words(words, i, o, count, bits, turn, seen, out):  # type: ignore[no-untyped-def]
    """out[o + w] = words[i + w], turned by `turn` among up to 64 bits, without seen[o + w]."""
    left, right = np.uint64(turn), np.uint64(bits - turn)
    full = ~np.uint64(0) >> np.uint64(64 - bits)
    if turn == 0:
        for w in range(count):
            out[o + w] = words[i + w] & ~seen[o + w]
    else:
        for w in range(count):
            word = words[i + w]
            out[o + w] = ((word << left) | (word >> right)) & full & ~seen[o + w]


@inner
def turn_long(words, i, o, count, bits, turn, seen, out):  # type: ignore[no-untyped-def]
    """The same with a single run of more bits, in `count` words, the least one first."""
    up, down = turn // 64, (bits - turn) // 64
    left, right = np.uint64(turn % 64), np.uint64((bits - turn) % 64)
    for w in range(count):
        word = np.uint64(0)
        if w >= up:
            word |= words[i + w - up] << left
        if left and w > up:
            word |= words[i + w - up - 1] >> (np.uint64(64) - left)
        if turn and w + down < count:
            word |= words[i + w + down] >> right
        if turn and right and w + down + 1 < count:
            word |= words[i + w + down + 1] << (np.uint64(64) - right)
        if w == count - 1:
            word &= ~np.uint64(0) >> np.uint64(-bits % 64)
        out[o + w] = word & ~seen[o + w]


@inner
def translate_ball(ball, group, h, seen, out):  # type: ignore[no-untyped-def]
    """out = the ball moved by the element h, without the bits of `seen`.

    A ball has the words of coset 0 in all fibres, then those of coset 1, and so on.
    """
    bits, words, coset, turn, _, _ = group
    cosets = coset.shape[1]
    size = len(ball) // cosets
    for t in range(cosets):
        i, o = t * size, coset[h, t] * size
        if words == 1:
            turn_words(ball, i, o, size, bits, turn[h, t], seen, out)
        else:
            for w in range(0, size, words):
                turn_long(ball, i + w, o + w, words, bits, turn[h, t], seen, out)


@inner
def count_in_unions(fresh, unions, inside, scale):  # type: ignore[no-untyped-def]
    """The busiest load where link j brings fresh[j], from the union of each set of links.

    inside[P] becomes the number of shards that only links of P can bring. `unions`, uint64 of shape
    (2^d, columns), is scratch; its last row is the union of all links.
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
    whole, load = -inside[0], np.int64(0)
    inside[sets - 1] = 0
    for links in range(1, sets):
        inside[links] += whole
        load = max(load, inside[links] * scale[links])
    return load


@inner
def count_by_shard(fresh, union, counts, scale):  # type: ignore[no-untyped-def]
    """The same, shards being counted by the links that bring them.

    `union`, uint64 of shape (columns,), becomes what all links bring. Up to eight links words are
    transposed, else every shard is looked at.
    """
    d = len(fresh)
    fields, none = clear_counts(counts), np.uint64(0)
    for w in range(len(union)):
        union[w] = none
        for j in range(d):
            union[w] |= fresh[j, w]
        word = union[w]
        if word and d <= MOST_BYTE_LINKS:
            count_word(
                fresh[0, w],
                fresh[1, w],
                fresh[2, w],
                fresh[3, w],
                fresh[4, w] if d > 4 else none,
                fresh[5, w] if d > 5 else none,
                fresh[6, w] if d > 6 else none,
                fresh[7, w] if d > 7 else none,
                fields,
            )
            continue
        while word:
            bit, over = np.uint64(lowest_bit(word)), none
            for j in range(d):
                over |= ((fresh[j, w] >> bit) & np.uint64(1)) << np.uint64(j)
            fields[over] += np.uint16(1)
            word &= word - np.uint64(1)
    fields[0] = 0
    return busiest_load(counts, scale)


@inner
def join_words(one, other, out):  # type: ignore[no-untyped-def]
    """out = one | other, and how many bits are set."""
    held = 0
    for w in range(len(out)):
        out[w] = one[w] | other[w]
        held += popcount(out[w])
    return held


@inner
def add_energy(source, shift, group, weights, limit, energy, scratch):  # type: ignore[no-untyped-def]
    """Add the energy of one direction to `energy`; returns the sum, and the pairs missing.

    weights = (scale, steps, busiest, own, miss): `scale`, int64 of shape (2^d,), is unit / |P|
    for each set P of links, of which d divides the unit; of each of the `steps` the load of the
    busiest receiver counts `busiest` times and that of every receiver `own` times, and each pair
    (receiver, node) that is apart afterwards counts `miss`, at least (busiest + own) unit / d.
    As soon as the sum is sure to be above `limit`, it is given up: the sum so far is returned.

    scratch = (balls, fresh, unions, inside, counts): uint64 of shapes (2, m, columns), (d, columns)
    and (2^d, columns), int64 of shape (2^d,), and uint64 of shape (packed_words(d),); overwritten.
    A row has the words of a ball.
    """
    scale, steps, busiest, own, miss = weights
    balls, fresh, unions, inside, counts = scratch
    m, d = source.shape
    sets, share = len(scale), scale[len(scale) - 1]
    columns, n = balls.shape[2], m * len(group[2])
    in_one_pass = LEAST_FEW <= d <= MOST_FEW and group[1] * group[2].shape[1] == 1
    for r in range(m):
        for w in range(columns):
            balls[0, r, w] = 0
        balls[0, r, r * group[1]] = 1
    now, then, far, left = 0, 1, 0, 0
    for _ in range(steps):
        peak, far, left = 0, 0, 0
        for r in range(m):
            seen, grown = balls[now, r], balls[then, r]
            if in_one_pass:
                ends, turns = source[r], shift[r]
                load, held = load_of_few(balls[now], ends, turns, group, seen, grown, inside, scale)
            else:
                for j in range(d):
                    translate_ball(balls[now, source[r, j]], group, shift[r, j], seen, fresh[j])
                if d <= MOST_UNIONS:
                    load = count_in_unions(fresh, unions, inside, scale)
                else:
                    load = count_by_shard(fresh, unions[sets - 1], counts, scale)
                held = join_words(seen, unions[sets - 1], grown)
            missing = n - held
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
def make_scratch(m, d, group):  # type: ignore[no-untyped-def]
    """The arrays that `add_energy` overwrites; no links make no union."""
    columns = m * group[1] * group[2].shape[1]
    unions = np.zeros((1 << d, columns), np.uint64)
    fresh = np.empty((d, columns), np.uint64)
    inside, counts = np.empty(1 << d, np.int64), np.empty(max(1, (1 << d) // FIELDS), np.uint64)
    return np.empty((2, m, columns), np.uint64), fresh, unions, inside, counts
