"""Kernels that fill rounds of equal links: every node matches its in-links to chunks it lacks.

In a round every link carries one chunk. A node's candidates are the chunks that it lacks and that
the tail of some in-link has. They are taken in order; a chunk is taken if those taken so far and
itself still fit on different links, found by an augmenting path (Kuhn). What can be taken together
is a transversal matroid, so that the best in order are taken, and no link stays empty that could
have been filled. Chunks are looked at in blocks of 512, from one on that changes every round, and
another block only as long as links are empty.

Block b of node v is eight words from place 8 (b n + v) on; chunk x is bit x & 63 of word x >> 6 & 7
of block x >> 9. So a block of all nodes lies together, for all look at the same one in a round.
`has` are the chunks that have arrived, `got` those that are on their way as well. `fresh[i]` has a
bit for every block in which the tail of link i may have a chunk that its head lacks. Links are
numbered by their heads.
"""

import numpy as np

from topofinder.kernels import GOLDEN, always_inline, borrow, inner, kernel, lowest_bit, mix64
from topofinder.timetables.bit_block_kernels import (
    fill_block,
    load_block,
    nonzero_words,
    store_block,
)

MORE, DONE, STUCK = 0, 1, 2
"""Why a kernel came back: its work is used up, all is sent, or nothing more can be sent."""
FULL, SCARCE, RARE, RANDOM, LEVELS = 0, 1, 2, 3, 4
"""Orders of chunks, see `rounds.ChunkOrder`."""
PLACE_BITS = 9
"""The low bits of a key: which chunk of its block it is of."""
MOST_NEAR = 7
"""Neighbours that have a chunk are counted up to this, in three planes of bits."""
BEHIND, NEAR, LEVEL, ALIVE = 0, 3, 6, 7
"""Rows of a block: both counts in three rows each, the level in hand, what may still be taken."""
OPEN, SETTLED, SEEN = 0, 1, 2
"""States of a link: it may take a chunk, keeps its own, is on a path."""
ONE, EIGHT = np.uint64(1), np.uint64(8)


@kernel
def fill_rounds(into, out, state, tables, log, scratch, rule, work):  # type: ignore[no-untyped-def]
    """Fill rounds until so many blocks are looked at or the log is full; returns why it ended.

    `into` = (start, tail, channel, end): links by head, and the head of every channel; `out` =
    (start, link, head): links by tail. `state`, int64 (4,): the round, sends so far, how many of
    them have arrived, and how many are left. Changed in place, and so are `tables` = (got, has,
    fresh, lack, holders), where `lack[v]` counts the chunks that v has not got, `holders[x]` the
    nodes that got x, and `log` = (chunk, channel, round), rings in which send i has place i modulo
    their length. `scratch` = (links, planes, offers, heap), of shapes (4, d), (64,), (8 d,) and
    (512,), the first int64, the others uint64, for nodes of up to d links. `rule` = (seed, order
    of chunks, in how many rounds what is sent can be passed on).
    """
    into, out, tables, log = borrow(into), borrow(out), borrow(tables), borrow(log)
    state, scratch = borrow(state), borrow(scratch)
    lack, delay = tables[3], rule[2]
    first, size = state[1], len(log[0])
    while work > 0 and state[1] + len(into[1]) - min(first, state[2]) <= size:
        _let_arrive(into, out, state, tables, log, delay)
        sent = state[1]
        for v in range(len(lack)):
            if lack[v] > 0:
                work -= _fill_links(v, into, out, state, tables, log, rule, scratch)
        state[0] += 1
        if state[3] == 0:
            return DONE
        if state[1] == sent:
            if state[2] == sent:
                return STUCK
            state[0] = log[2][state[2] % size] + delay
        work -= len(lack)
    return MORE


@always_inline
def _let_arrive(into, out, state, tables, log, delay):  # type: ignore[no-untyped-def]
    """Enter in `has` and `fresh` what can be passed on in this round."""
    _, has, fresh, lack, _ = tables
    end = into[3]
    start, leaving, _ = out
    chunk, channel, when = log
    at, last, ready = state[2] % len(chunk), state[1], state[0] - delay
    while state[2] < last and when[at] <= ready:
        x, u = chunk[at], end[channel[at]]
        b = x >> 9
        has[_place(b, u, lack) + np.uint64(x >> 6 & 7)] |= ONE << np.uint64(x & 63)
        bit = ONE << np.uint64(b & 63)
        for j in range(start[u], start[u + 1]):
            fresh[leaving[j], b >> 6] |= bit
        state[2] += 1
        at = at + 1 if at + 1 < len(chunk) else 0


@always_inline
def _fill_links(v, into, out, state, tables, log, rule, scratch):  # type: ignore[no-untyped-def]
    """Send chunks to node v in this round; returns how many blocks were looked at."""
    got, _, fresh, lack, holders = tables
    start, match = into[0], scratch[0][0]
    low, width, limit = start[v], start[v + 1] - start[v], len(got) // (8 * len(lack))
    for i in range(width):
        match[i] = -1
    salt = mix64(np.uint64(rule[0]) + np.uint64(state[0]) * GOLDEN)
    begin = int(np.int64(salt % np.uint64(limit)))
    salt = mix64(salt + np.uint64(v))
    looked, b, end = 1, begin, limit
    while True:
        b = _next_fresh(low, width, b, end, fresh, match)
        if b == end:
            if end == begin:
                break
            b, end = 0, begin
            continue
        looked += 1
        _match_block(v, b, into, out, tables, rule[1], salt, scratch)
        b += 1
    at = state[1] % len(log[0])
    for i in range(width):
        x = match[i]
        if x >= 0:
            at_word = _place(x >> 9, v, lack) + np.uint64(x >> 6 & 7)
            got[at_word] |= ONE << np.uint64(x & 63)
            log[0][at], log[1][at], log[2][at] = x, into[2][low + i], state[0]
            at = at + 1 if at + 1 < len(log[0]) else 0
            state[1] += 1
            state[3] -= 1
            lack[v] -= 1
            if rule[1] == FULL or rule[1] == RARE or rule[1] == SCARCE:
                holders[x] += 1
    return looked


@always_inline
def _next_fresh(low, width, b, end, fresh, match):  # type: ignore[no-untyped-def]
    """The first block from b on that is fresh for an empty link; `end` if there is none."""
    while b < end:
        word = np.uint64(0)
        for i in range(width):
            if match[i] < 0:
                word |= fresh[low + i, b >> 6]
        word >>= np.uint64(b & 63)
        if word:
            return min(end, b + lowest_bit(word))
        b = (b | 63) + 1
    return end


@always_inline
def _match_block(v, b, into, out, tables, order, salt, scratch):  # type: ignore[no-untyped-def]
    """Match empty links of node v to the candidates of a block in their order, level by level.

    `scratch` = (links, planes, offers, heap): eight words of `offers` are the candidates on a link.
    """
    planes = scratch[1]
    empty, alive, near = _count_near(v, b, into, tables, scratch)
    if empty == 0:
        return
    behind = near
    if order != SCARCE and order != RANDOM:
        behind = _count_behind(v, b, tables, out, alive)
    if order == RARE:
        for p in range(3):
            store_block(planes, np.uint64(8 * (BEHIND + p)), behind[p])
            store_block(planes, np.uint64(8 * (NEAR + p)), near[p])
    store_block(planes, np.uint64(8 * ALIVE), alive)
    by_behind, by_near = order in (FULL, LEVELS), order not in (RARE, RANDOM)
    width, followers = into[0][v + 1] - into[0][v], out[0][v + 1] - out[0][v]
    for first in range(min(MOST_NEAR, followers) + 1 if by_behind else 1):
        of_first = load_block(planes, np.uint64(8 * ALIVE))
        if by_behind:
            of_first = of_first & _mask_count(first, behind)
        if nonzero_words(of_first) == 0:
            continue
        for second in range(1, min(MOST_NEAR, width) + 1 if by_near else 2):
            level = of_first & load_block(planes, np.uint64(8 * ALIVE))
            if by_near:
                level = level & _mask_count(second, near)
            if nonzero_words(level) == 0:
                continue
            store_block(planes, np.uint64(8 * LEVEL), level)
            if order == LEVELS:
                empty -= _match_by_place(b, empty, nonzero_words(level), width, salt, scratch)
            else:
                empty -= _match_by_key(b, empty, width, tables[4], order, salt, scratch)
            if empty == 0:
                return


@inner
def _count_near(v, b, into, tables, scratch):  # type: ignore[no-untyped-def]
    """How many empty links have candidates in block b, those, and how many in-neighbours have them.

    Links that are filled from other blocks keep their chunks: no path leads on from there.
    """
    got, has, fresh, lack, _ = tables
    start, tail, _, _ = into
    links, offers = scratch[0], scratch[2]
    low, width = start[v], start[v + 1] - start[v]
    missing = ~load_block(got, _place(b, v, lack))
    alive = ones = twos = fours = fill_block(False)
    empty = 0
    for i in range(width):
        word = load_block(has, _place(b, tail[low + i], lack)) & missing
        store_block(offers, np.uint64(8 * i), word)
        ones, twos, fours = _add_bits(word, ones, twos, fours)
        links[1, i] = SETTLED
        if nonzero_words(word) == 0:
            fresh[low + i, b >> 6] &= ~(ONE << np.uint64(b & 63))
        elif links[0, i] < 0:
            links[1, i] = OPEN
            alive = alive | word
            empty += 1
    return empty, alive, (ones, twos, fours)


@inner
def _place(b, v, lack):  # type: ignore[no-untyped-def]
    """Where block b of node v begins; unsigned, for that is the quicker index."""
    return np.uint64(8 * (b * len(lack) + v))


@inner
def _count_behind(v, b, tables, out, among):  # type: ignore[no-untyped-def]
    """How many out-neighbours of v got the chunks of block b that are `among` some."""
    got, lack = tables[0], tables[3]
    start, _, head = out
    ones = twos = fours = fill_block(False)
    for i in range(start[v], start[v + 1]):
        word = load_block(got, _place(b, head[i], lack)) & among
        ones, twos, fours = _add_bits(word, ones, twos, fours)
    return ones, twos, fours


@inner
def _add_bits(word, ones, twos, fours):  # type: ignore[no-untyped-def]
    """Counters in three planes, after one more where a bit of the word is set; they stop at 7."""
    word, ones = ones & word, ones ^ word
    word, twos = twos & word, twos ^ word
    over = fours & word
    return ones | over, twos | over, fours | word


@inner
def _mask_count(count, planes):  # type: ignore[no-untyped-def]
    """The chunks of a block whose counter, in three planes, is so high."""
    ones, twos, fours = planes
    word = ones ^ fill_block(count & 1 == 0)
    word = word & (twos ^ fill_block(count & 2 == 0))
    return word & (fours ^ fill_block(count & 4 == 0))


@always_inline
def _settle_links(width, scratch):  # type: ignore[no-untyped-def]
    """Leave out, of what may be taken, what is on links alone that keep their chunks."""
    links, planes, offers, _ = scratch
    alive = fill_block(False)
    for i in range(width):
        if links[1, i] != SETTLED:
            alive = alive | load_block(offers, np.uint64(8 * i))
    store_block(planes, np.uint64(8 * ALIVE), alive)


@always_inline
def _match_by_place(b, empty, words, width, salt, scratch):  # type: ignore[no-untyped-def]
    """Match chunks of a level from a random place on; returns how many links are filled.

    `words` has a bit for every word of the block that has some.
    """
    planes, before = scratch[1], empty
    turn, first = salt >> np.uint64(32) & np.uint64(63), salt & np.uint64(7)
    words = words >> first | words << (EIGHT - first)
    for _ in range(8):
        words &= np.uint64(255)
        if words == 0:
            break
        k = (np.uint64(lowest_bit(words)) + first) & np.uint64(7)
        words &= words - ONE
        word = planes[np.uint64(8 * LEVEL) + k]
        word = word >> turn | word << (np.uint64(64) - turn & np.uint64(63))
        while word:
            bit = (np.uint64(lowest_bit(word)) + turn) & np.uint64(63)
            word &= word - ONE
            if _match_chunk(k << np.uint64(6) | bit, b, width, scratch):
                empty -= 1
                if empty == 0:
                    return before
            else:
                _settle_links(width, scratch)
                left = planes[np.uint64(8 * ALIVE) + k]
                word &= left >> turn | left << (np.uint64(64) - turn & np.uint64(63))
    return before - empty


@inner
def _match_by_key(b, empty, width, holders, order, salt, scratch):  # type: ignore[no-untyped-def]
    """Match chunks of a level, those with the least key first; how many links are filled.

    A key has, from the top: holders, then counts of neighbours, and 12 random bits or more.
    """
    planes, heap = scratch[1], scratch[3]
    before, rest = empty, 0
    for k in range(8):
        word = planes[8 * LEVEL + k]
        while word:
            bit = np.uint64(lowest_bit(word))
            word &= word - ONE
            place = np.uint64(64 * k) | bit
            x = np.uint64(512 * b) | place
            key = mix64(salt ^ x) >> np.uint64(PLACE_BITS)
            if order != RANDOM:
                key = key >> np.uint64(43) | np.uint64(holders[x]) << np.uint64(18)
            if order == RARE:
                for p in range(3):
                    key |= (planes[8 * (BEHIND + p) + k] >> bit & ONE) << np.uint64(15 + p)
                    key |= (planes[8 * (NEAR + p) + k] >> bit & ONE) << np.uint64(12 + p)
            heap[rest] = key << np.uint64(PLACE_BITS) | place
            rest += 1
    for top in range(rest // 2 - 1, -1, -1):
        _sift_down(heap, top, rest)
    while empty > 0 and rest > 0:
        least = heap[0] & np.uint64(511)
        rest -= 1
        heap[0] = heap[rest]
        _sift_down(heap, 0, rest)
        empty -= _match_chunk(least, b, width, scratch)
    _settle_links(width, scratch)
    return before - empty


@inner
def _sift_down(heap, hole, count):  # type: ignore[no-untyped-def]
    """Bring the entry at `hole` to its place in a heap with the least on top."""
    if hole >= count:
        return
    value, below = heap[hole], 2 * hole + 1
    while below < count:
        if below + 1 < count and heap[below + 1] < heap[below]:
            below += 1
        if heap[below] >= value:
            break
        heap[hole] = heap[below]
        hole, below = below, 2 * below + 1
    heap[hole] = value


@always_inline
def _match_chunk(place, b, width, scratch):  # type: ignore[no-untyped-def]
    """Give a chunk of block b a link where those taken can make room; how many links it fills.

    Links from which no path leads to an empty one keep their chunks from then on: they are settled.
    """
    links, offers = scratch[0], scratch[2]
    match, mark, before, queue = links[0], links[1], links[2], links[3]
    k, bit = np.uint64(place) >> np.uint64(6), np.uint64(place) & np.uint64(63)
    x = 512 * b + np.int64(place)
    for i in range(width):
        if match[i] < 0 and offers[np.uint64(8 * i) + k] >> bit & ONE:
            match[i] = x
            return 1
    filled, reached, last, y = 0, 0, -1, x
    while y >= 0:
        k, bit = np.uint64(y >> 6 & 7), np.uint64(y & 63)
        for i in range(width):
            if mark[i] == OPEN and offers[np.uint64(8 * i) + k] >> bit & ONE:
                mark[i], before[i], queue[filled] = SEEN, last, i
                filled += 1
        if reached == filled:
            break
        last = queue[reached]
        reached += 1
        y = match[last]
    for i in range(filled):
        mark[queue[i]] = SETTLED if y >= 0 else OPEN
    if y >= 0:
        return 0
    while before[last] >= 0:
        match[last] = match[before[last]]
        last = before[last]
    match[last] = x
    return 1
