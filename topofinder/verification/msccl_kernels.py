"""Kernels that run MSCCL programs: bounded FIFOs, sets of ranks, vector clocks.

Threadblocks, FIFOs and flags form a Kahn network: blocking, without choice. So whether it comes to
a halt does not depend on time, and one run proves all.
"""

import numpy as np

from topofinder.kernels import inner, kernel

READS_NOTHING, OTHER_CHUNK, TWICE = 1, 2, 3


@kernel
def play_fifo(first, sends, receives, count, waited, send_on, receive_on, slots, most, order):  # type: ignore[no-untyped-def]
    """Run threadblocks until all are done or none can go on; gives how many lines are done.

    Line x moves `count[x]` chunks in messages of at most `most`, over the connections of its
    threadblock b: `send_on[b]` if sends[x], `receive_on[b]` if receives[x], each with as many
    free `slots` at first. It waits for line waited[x], if that is not -1. `order` gets the lines
    in the order in which they are done; its entries behind these get the line at which each
    threadblock stands that is not.
    """
    blocks, connections = len(first) - 1, len(send_on)
    at, through = first[:-1].copy(), np.zeros(blocks, np.int64)
    filled = np.zeros(connections + 1, np.int64)
    sender, receiver = np.full(connections + 1, -1), np.full(connections + 1, -1)
    block_of = np.zeros(len(count), np.int64)
    for b in range(blocks):
        if send_on[b] >= 0:
            sender[send_on[b]] = b
        if receive_on[b] >= 0:
            receiver[receive_on[b]] = b
        for x in range(first[b], first[b + 1]):
            block_of[x] = b
    queue, queued = np.arange(blocks), np.ones(blocks, np.bool_)
    waiting, behind = np.full(blocks, -1), np.full(blocks, -1)
    listed = np.zeros(blocks, np.bool_)
    begin, size, done = 0, blocks, 0
    while size > 0:
        b = queue[begin]
        begin, size, queued[b] = (begin + 1) % blocks, size - 1, False
        while at[b] < first[b + 1]:
            x = at[b]
            if waited[x] >= 0 and at[block_of[waited[x]]] <= waited[x]:
                other = block_of[waited[x]]
                if not listed[b]:
                    behind[b], waiting[other], listed[b] = waiting[other], b, True
                break
            if receives[x] and filled[receive_on[b]] == 0:
                break
            if sends[x] and filled[send_on[b]] == slots:
                break
            if receives[x]:
                filled[receive_on[b]] -= 1
                size = _wake(sender[receive_on[b]], queue, queued, begin, size)
            if sends[x]:
                filled[send_on[b]] += 1
                size = _wake(receiver[send_on[b]], queue, queued, begin, size)
            through[b] += most
            if through[b] >= count[x]:
                at[b], through[b] = x + 1, 0
                order[done] = x
                done += 1
                while waiting[b] >= 0:
                    other = waiting[b]
                    waiting[b], listed[other] = behind[other], False
                    size = _wake(other, queue, queued, begin, size)
    left = done
    for b in range(blocks):
        if at[b] < first[b + 1]:
            order[left] = at[b]
            left += 1
    return done


@inner
def _wake(block, queue, queued, begin, size):  # type: ignore[no-untyped-def]
    if block < 0 or queued[block]:
        return size
    queue[(begin + size) % len(queue)] = block
    queued[block] = True
    return size + 1


@kernel
def play_values(  # type: ignore[no-untyped-def]
    order,
    kind,
    source,
    target,
    count,
    block,
    send_on,
    receive_on,
    capacity,
    slots,
    chunk,
    ranks,
    carried,
    start,
):
    """Move values in the order of lines; gives (fault, line, chunk of it), fault 0 for none.

    Place y holds the sum, over the bits of ranks[y] (uint64 words), of chunk number chunk[y]; -1
    is nothing. `source` and `target` are places, `kind` indices into KINDS. A connection c keeps
    `slots` messages of up to capacity[c] chunks. `carried[start[x] + j]` gets the chunk that line
    x sends as its j-th. `chunk` and `ranks` end as they are at the end.
    """
    words = ranks.shape[1]
    base = np.zeros(len(capacity) + 1, np.int64)
    for c in range(len(capacity)):
        base[c + 1] = base[c] + slots * capacity[c]
    held, summed = np.empty(base[-1], np.int64), np.empty((base[-1], words), np.uint64)
    sent, received = np.zeros(len(capacity), np.int64), np.zeros(len(capacity), np.int64)
    part = np.zeros(words, np.uint64)
    for number in range(len(order)):
        x = order[number]
        b, k = block[x], kind[x]
        if k == 8:
            continue
        takes, gives = 1 <= k <= 5, k == 0 or k == 2 or k == 4 or k == 5
        adds = k == 3 or k == 4 or k == 5 or k == 7
        c, d = receive_on[b], send_on[b]
        for j in range(count[x]):
            s, t = source[x] + j, target[x] + j
            if takes:
                at = base[c] + received[c] % slots * capacity[c] + j
                value = held[at]
                for w in range(words):
                    part[w] = summed[at, w]
            else:
                value = chunk[s]
                for w in range(words):
                    part[w] = ranks[s, w]
                if value < 0:
                    return READS_NOTHING, x, j
            if adds:
                y = t if k == 7 else s
                if chunk[y] < 0:
                    return READS_NOTHING, x, j
                if chunk[y] != value:
                    return OTHER_CHUNK, x, j
                for w in range(words):
                    if part[w] & ranks[y, w]:
                        return TWICE, x, j
                    part[w] |= ranks[y, w]
            if k != 0 and k != 4:
                chunk[t] = value
                for w in range(words):
                    ranks[t, w] = part[w]
            if gives:
                at = base[d] + sent[d] % slots * capacity[d] + j
                held[at] = value
                carried[start[x] + j] = value
                for w in range(words):
                    summed[at, w] = part[w]
        if takes:
            received[c] += 1
        if gives:
            sent[d] += 1
    return 0, -1, -1


@kernel
def find_race(  # type: ignore[no-untyped-def]
    order, before, partner, waited, rank_of, local, blocks_of, reads, writes, count, base, places
):
    """Two accesses of a place that no chain of waiting orders; (line, line, place) or -1s.

    `before[x]` is the line before x in its threadblock, partner[x] the line that sends what x
    receives, waited[x] the one it waits for; -1 is none. `order` has all lines, after all of
    these. Line x of rank rank_of[x] is of its threadblock local[x] of blocks_of[rank]. It reads
    the places reads[x].. and writes writes[x].., `count[x]` of each, -1 for none; rank r has the
    places base[r] to base[r + 1].
    """
    lines = len(order)
    widest = 1
    for r in range(len(blocks_of)):
        widest = max(widest, blocks_of[r])
    clock = np.zeros((lines, widest), np.int32)
    place = np.zeros(lines, np.int64)
    for number in range(lines):
        x = order[number]
        place[x] = 1 if before[x] < 0 else place[before[x]] + 1
    last, head = np.empty(places, np.int64), np.empty(places, np.int64)
    most = 0
    for x in range(lines):
        most += count[x]
    reader, behind = np.empty(most + 1, np.int64), np.empty(most + 1, np.int64)
    for r in range(len(blocks_of)):
        width, used = blocks_of[r], 0
        for y in range(base[r], base[r + 1]):
            last[y] = head[y] = -1
        for number in range(lines):
            x = order[number]
            for w in range(width):
                clock[x, w] = 0
            for y in (before[x], partner[x], waited[x]):
                if y >= 0:
                    for w in range(width):
                        clock[x, w] = max(clock[x, w], clock[y, w])
            if rank_of[x] != r:
                continue
            clock[x, local[x]] = place[x]
            if reads[x] >= 0:
                for y in range(reads[x], reads[x] + count[x]):
                    z = last[y]
                    if z >= 0 and clock[x, local[z]] < place[z]:
                        return z, x, y
                    reader[used], behind[used], head[y] = x, head[y], used
                    used += 1
            if writes[x] >= 0:
                for y in range(writes[x], writes[x] + count[x]):
                    z = last[y]
                    if z >= 0 and clock[x, local[z]] < place[z]:
                        return z, x, y
                    node = head[y]
                    while node >= 0:
                        z = reader[node]
                        if clock[x, local[z]] < place[z]:
                            return z, x, y
                        node = behind[node]
                    last[y], head[y] = x, -1
    return -1, -1, -1
