"""What two to four in-links bring a receiver of a lift by a cyclic group of up to 64 elements.

A fibre is one word then, and link j brings the words of its node's ball, turned by turns[j] among
`bits`. Words are turned, joined and counted in one pass, of which compilers make instructions for
several words at once. As links count alike, the busiest one follows from the least unions of one,
two and three links: what the others alone can bring is the rest.

Rows are uint64 of shape (words,): `seen` is what the receiver has, and `grown` becomes what it has
then. scale[P] is unit / |P| for a set P of links. All return the busiest load, and how many shards
are there then.
"""

import numpy as np

from topofinder.kernels import always_inline, inner, popcount


@always_inline
def turn_word(word, turn, rest, fresh):  # type: ignore[no-untyped-def]
    """The bits of a word turned upwards, `rest` being the others, as far as they are in `fresh`."""
    return ((word << turn) | (word >> rest)) & fresh


@always_inline
def split_turn(turn, bits):  # type: ignore[no-untyped-def]
    """By how much words are moved up, and down; neither where they are not turned."""
    return np.uint64(turn), np.uint64(bits - turn if turn else 0)


@inner
def load_of_two(a, b, turns, bits, seen, grown, scale):  # type: ignore[no-untyped-def]
    """The load of two links that bring the balls a and b."""
    full = ~np.uint64(0) >> np.uint64(64 - bits)
    up_a, down_a = split_turn(turns[0], bits)
    up_b, down_b = split_turn(turns[1], bits)
    of_a, of_b, whole, held = 0, 0, 0, 0
    for w in range(len(seen)):
        fresh = full & ~seen[w]
        x, y = turn_word(a[w], up_a, down_a, fresh), turn_word(b[w], up_b, down_b, fresh)
        new = x | y
        grown[w] = seen[w] | new
        of_a += popcount(x)
        of_b += popcount(y)
        whole += popcount(new)
        held += popcount(seen[w] | new)
    return max((whole - min(of_a, of_b)) * scale[1], whole * scale[3]), held


@inner
def load_of_three(a, b, c, turns, bits, seen, grown, scale):  # type: ignore[no-untyped-def]
    """The load of three links."""
    full = ~np.uint64(0) >> np.uint64(64 - bits)
    up_a, down_a = split_turn(turns[0], bits)
    up_b, down_b = split_turn(turns[1], bits)
    up_c, down_c = split_turn(turns[2], bits)
    of_a, of_b, of_c, of_ab, of_ac, of_bc, whole, held = 0, 0, 0, 0, 0, 0, 0, 0
    for w in range(len(seen)):
        fresh = full & ~seen[w]
        x, y = turn_word(a[w], up_a, down_a, fresh), turn_word(b[w], up_b, down_b, fresh)
        z = turn_word(c[w], up_c, down_c, fresh)
        new = x | y | z
        grown[w] = seen[w] | new
        of_a += popcount(x)
        of_b += popcount(y)
        of_c += popcount(z)
        of_ab += popcount(x | y)
        of_ac += popcount(x | z)
        of_bc += popcount(y | z)
        whole += popcount(new)
        held += popcount(seen[w] | new)
    one, two = min(of_a, of_b, of_c), min(of_ab, of_ac, of_bc)
    return max((whole - two) * scale[1], (whole - one) * scale[3], whole * scale[7]), held


@inner
def load_of_four(a, b, c, d, turns, bits, seen, grown, scale):  # type: ignore[no-untyped-def]
    """The load of four links."""
    full = ~np.uint64(0) >> np.uint64(64 - bits)
    up_a, down_a = split_turn(turns[0], bits)
    up_b, down_b = split_turn(turns[1], bits)
    up_c, down_c = split_turn(turns[2], bits)
    up_d, down_d = split_turn(turns[3], bits)
    of_a, of_b, of_c, of_d, whole, held = 0, 0, 0, 0, 0, 0
    of_ab, of_cd, of_ac, of_ad, of_bc, of_bd = 0, 0, 0, 0, 0, 0
    of_abc, of_abd, of_acd, of_bcd = 0, 0, 0, 0
    for w in range(len(seen)):
        fresh = full & ~seen[w]
        x, y = turn_word(a[w], up_a, down_a, fresh), turn_word(b[w], up_b, down_b, fresh)
        z, v = turn_word(c[w], up_c, down_c, fresh), turn_word(d[w], up_d, down_d, fresh)
        xy, zv = x | y, z | v
        new = xy | zv
        grown[w] = seen[w] | new
        of_a += popcount(x)
        of_b += popcount(y)
        of_c += popcount(z)
        of_d += popcount(v)
        of_ab += popcount(xy)
        of_cd += popcount(zv)
        of_ac += popcount(x | z)
        of_ad += popcount(x | v)
        of_bc += popcount(y | z)
        of_bd += popcount(y | v)
        of_abc += popcount(xy | z)
        of_abd += popcount(xy | v)
        of_acd += popcount(x | zv)
        of_bcd += popcount(y | zv)
        whole += popcount(new)
        held += popcount(seen[w] | new)
    one = min(of_a, of_b, of_c, of_d)
    two = min(of_ab, of_cd, of_ac, of_ad, of_bc, of_bd)
    three = min(of_abc, of_abd, of_acd, of_bcd)
    few = max((whole - three) * scale[1], (whole - two) * scale[3])
    return max(few, (whole - one) * scale[7], whole * scale[15]), held


@inner
def load_of_few(balls, source, shift, group, seen, grown, turns, scale):  # type: ignore[no-untyped-def]
    """The load of two to four links from the nodes `source`, at `shift`, int64 of shape (d,).

    `turns`, int64 of shape (d,), is scratch.
    """
    d, bits = len(source), group[0]
    for j in range(d):
        turns[j] = group[3][shift[j], 0]
    a, b = balls[source[0]], balls[source[1]]
    if d == 2:
        return load_of_two(a, b, turns, bits, seen, grown, scale)
    c = balls[source[2]]
    if d == 3:
        return load_of_three(a, b, c, turns, bits, seen, grown, scale)
    return load_of_four(a, b, c, balls[source[3]], turns, bits, seen, grown, scale)
