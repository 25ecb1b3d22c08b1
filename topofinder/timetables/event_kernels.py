"""Kernels of event-driven synthesis: at each instant chunks are matched to the channels then free.

Events are arrivals of chunks and releases of channels, in a heap by time. A channel that was free
before and has not been touched by an event since finds no more than it found then.
"""

from typing import Any, NamedTuple

import numpy as np

from topofinder.kernels import GOLDEN, borrow, inner, kernel, lowest_bit, mix64, sort_first
from topofinder.timetables.path_kernels import add_entry, drop_first

Array = Any
MISSING, COMING, THERE = 0, 1, 2
FAR = 1 << 62


class UsableChannels(NamedTuple):
    """Usable channels: `tail`, `head`, ticks of a chunk of amount 1 and `place` among all lengths.

    CSR: `into` and `out` (start, channels) by head and by tail, `way` (start, arcs) by channel,
    `user` (start, channels) by arc. `rate` is what a channel takes of its arcs. `size` is
    the amount of every chunk, `late`, `unit`, `hold` are as in ChannelArrays. `port` is the first
    arc: the channel comes next when as many sends have gone through it as `shift` says, modulo
    `turns`.
    """

    tail: Array
    head: Array
    place: Array
    late: Array
    unit: Array
    hold: Array
    rate: Array
    size: Array
    port: Array
    shift: Array
    turns: Array
    into: Array
    out: Array
    way: Array
    user: Array


class MatchState(NamedTuple):
    """What the matchers come back with, and go on from.

    `has[v, x]` is MISSING, COMING or THERE. `times` and `events` are the heap: event v C + x is an
    arrival, n C + e the release of channel e. `left[a]` is what no channel takes of
    arc a. `chunk`, `channel` and `begin` are the sends so far.
    `fed[v, x]`, `served[v, x]`: channels into v whose tails have x or get it, channels out of v
    whose heads do; `holders[x]`, `near[x, v]`: nodes that do, and what the nearest would take.
    Bit x of `there[v]` (uint64): node v has x; of `open[k, v]`: v lacks x, and no holder is nearer
    than `limit[k]`. They tell quickly that a channel has nothing to bring.
    `counts`: entries of the heap, sends, instants. `random` (uint64, (1,)) is the random state.
    """

    has: Array
    times: Array
    events: Array
    left: Array
    stamp: Array
    touched: Array
    chunk: Array
    channel: Array
    begin: Array
    sent: Array
    fed: Array
    served: Array
    holders: Array
    near: Array
    there: Array
    open: Array
    limit: Array
    counts: Array
    random: Array


HEAP, SENDS, INSTANTS = 0, 1, 2


@inner
def _draw(state, bound):  # type: ignore[no-untyped-def]
    """The next pseudo-random integer in 0..bound-1 (splitmix64)."""
    state.random[0] += GOLDEN
    return np.int64((mix64(state.random[0]) >> np.uint64(33)) % np.uint64(bound))


@inner
def _next_instant(net, state):  # type: ignore[no-untyped-def]
    """Let all events of the earliest time happen: (the time, channels that were touched)."""
    nodes, chunks = state.has.shape
    now, touched, instant = state.times[0], 0, state.counts[INSTANTS]
    while state.counts[HEAP] > 0 and state.times[0] == now:
        event = state.events[0]
        state.counts[HEAP] = drop_first(state.times, state.events, state.counts[HEAP])
        if event < nodes * chunks:
            v = event // chunks
            x = event % chunks
            state.has[v, x] = THERE
            state.there[v, x >> 6] |= np.uint64(1) << np.uint64(x & 63)
            for at in range(net.out[0][v], net.out[0][v + 1]):
                touched = _touch(state, net.out[1][at], instant, touched)
        else:
            channel = event - nodes * chunks
            for at in range(net.way[0][channel], net.way[0][channel + 1]):
                arc = net.way[1][at]
                state.left[arc] += net.rate[channel]
                for place in range(net.user[0][arc], net.user[0][arc + 1]):
                    touched = _touch(state, net.user[1][place], instant, touched)
    state.counts[INSTANTS] += 1
    return now, touched


@inner
def _touch(state, channel, instant, touched):  # type: ignore[no-untyped-def]
    if state.stamp[channel] != instant:
        state.stamp[channel] = instant
        state.touched[touched] = channel
        touched += 1
    return touched


@inner
def _is_free(net, state, channel):  # type: ignore[no-untyped-def]
    for at in range(net.way[0][channel], net.way[0][channel + 1]):
        if state.left[net.way[1][at]] < net.rate[channel]:
            return False
    return True


@inner
def _send(net, state, channel, x, now):  # type: ignore[no-untyped-def]
    """Put a chunk on a free channel."""
    nodes, chunks = state.has.shape
    at, v = state.counts[SENDS], net.head[channel]
    state.chunk[at], state.channel[at], state.begin[at] = x, channel, now
    state.counts[SENDS] += 1
    state.sent[net.port[channel]] += 1
    state.has[v, x] = COMING
    for place in range(net.way[0][channel], net.way[0][channel + 1]):
        state.left[net.way[1][place]] -= net.rate[channel]
    ticks, heap = net.size[x] * net.unit[channel], state.counts[HEAP]
    there, free = now + net.late[channel] + ticks, now + net.hold[channel] + ticks
    heap = add_entry(state.times, state.events, heap, there, v * chunks + x)
    heap = add_entry(state.times, state.events, heap, free, nodes * chunks + channel)
    state.counts[HEAP] = heap


@kernel
def match_random(net, state, latest, work):  # type: ignore[no-untyped-def]
    """TACOS as published (algorithm 1): pairs of a node and a chunk it lacks, in random order.

    Of the free channels into the node whose tails have the chunk one of the least `place` takes
    it. Returns whether there is more to do, after about `work` sends; stops before the first
    instant after `latest`.
    """
    net, state = borrow(net), borrow(state)
    chunks, goal = state.has.shape[1], state.counts[SENDS] + work
    pairs, tails = np.empty(64, np.int64), np.empty(len(net.tail), np.int64)
    while state.counts[HEAP] > 0 and state.counts[SENDS] < goal:
        if state.times[0] > latest:
            return False
        now, touched = _next_instant(net, state)
        for i in range(touched):
            state.touched[i] = net.head[state.touched[i]]
        sort_first(state.touched, touched)
        filled = 0
        for i in range(touched):
            v = state.touched[i]
            if i > 0 and v == state.touched[i - 1]:
                continue
            able = _list_free_tails(net, state, v, tails)
            for place in range(state.there.shape[1]):
                word = np.uint64(0)
                for at in range(able):
                    word |= state.there[tails[at], place]
                while word:
                    x = 64 * place + lowest_bit(word)
                    word &= word - np.uint64(1)
                    if state.has[v, x] == MISSING:
                        if filled == len(pairs):
                            pairs = np.concatenate((pairs, pairs))
                        pairs[filled] = v * chunks + x
                        filled += 1
        for i in range(filled):
            other = i + _draw(state, filled - i)
            pair = pairs[other]
            pairs[other] = pairs[i]
            channel = _cheapest(net, state, pair // chunks, pair % chunks)
            if channel >= 0:
                _send(net, state, channel, pair % chunks, now)
    return state.counts[HEAP] > 0


@inner
def _list_free_tails(net, state, v, tails):  # type: ignore[no-untyped-def]
    """Write the tails of the free channels into v: their number."""
    count = 0
    for at in range(net.into[0][v], net.into[0][v + 1]):
        channel = net.into[1][at]
        if _is_free(net, state, channel):
            tails[count] = net.tail[channel]
            count += 1
    return count


@inner
def _cheapest(net, state, v, x):  # type: ignore[no-untyped-def]
    """The first of the cheapest free channels that can bring chunk x to v; -1 for none."""
    best = -1
    for at in range(net.into[0][v], net.into[0][v + 1]):
        channel = net.into[1][at]
        if state.has[net.tail[channel], x] != THERE or not _is_free(net, state, channel):
            continue
        if best < 0 or net.place[channel] < net.place[best]:
            best = channel
    return best


@kernel
def match_wanted(net, state, cost, kind, far, nearest, latest, work):  # type: ignore[no-untyped-def]
    """Cheap channels before dear ones, among equal ones by rotation; each takes its best chunk.

    That is the one that fewest nodes behind the head have, then fewest in front of it, then
    fewest at all; ties by random bits. With `nearest` only where no node that has the chunk or
    gets it is nearer to the head than `cost` of the channel; `far[w, v]` is the cost from w to v.
    `kind[e]` is the k of the channel in `state.open`, with limit[k] at most its cost. Returns as
    `match_random`.
    """
    net, state, far = borrow(net), borrow(state), borrow(far)
    cost, kind = borrow(cost), borrow(kind)
    goal, count = state.counts[SENDS] + work, len(net.tail)
    widest = net.turns.max() if count > 0 else 1
    while state.counts[HEAP] > 0 and state.counts[SENDS] < goal:
        if state.times[0] > latest:
            return False
        now, touched = _next_instant(net, state)
        able = 0
        for i in range(touched):  # what cannot begin now cannot later at this instant
            channel = state.touched[i]
            if not _is_free(net, state, channel) or not _has_wanted(net, state, kind, channel):
                continue
            turn = (net.shift[channel] - state.sent[net.port[channel]]) % net.turns[channel]
            state.touched[able] = (net.place[channel] * widest + turn) * count + channel
            able += 1
        sort_first(state.touched, able)
        for i in range(able):
            channel = state.touched[i] % count
            if not _is_free(net, state, channel):
                continue
            x = _most_wanted(net, state, cost, kind, channel, nearest)
            if x >= 0:
                _send(net, state, channel, x, now)
                note_holder(net, state, far, net.head[channel], x, nearest)
    return state.counts[HEAP] > 0


@inner
def _has_wanted(net, state, kind, channel):  # type: ignore[no-untyped-def]
    """Whether the tail has a chunk that the channel might take."""
    there, wanted = state.there[net.tail[channel]], state.open[kind[channel], net.head[channel]]
    found = False
    for word in range(len(there)):
        found |= (there[word] & wanted[word]) != 0
    return found


@inner
def _most_wanted(net, state, cost, kind, channel, nearest):  # type: ignore[no-untyped-def]
    """The chunk that a channel is to take, -1 for none."""
    u, v, best, first, bits = net.tail[channel], net.head[channel], -1, 0, 0
    for place in range(state.there.shape[1]):
        word = state.there[u, place] & state.open[kind[channel], v, place]
        while word:
            x = 64 * place + lowest_bit(word)
            word &= word - np.uint64(1)
            if nearest and state.near[x, v] < cost[channel]:
                continue
            # In lexical order; each is at most the number of channels, which is below 2^20.
            key = (np.int64(state.served[v, x]) << 40) | (np.int64(state.fed[v, x]) << 20)
            key |= state.holders[x]
            if best >= 0 and key > first:
                continue
            drawn = _draw(state, 1 << 30)
            if best < 0 or key < first or drawn < bits:
                best, first, bits = x, key, drawn
    return best


@kernel
def note_holder(net, state, far, w, x, nearest):  # type: ignore[no-untyped-def]
    """Node w has chunk x or will get it."""
    state.holders[x] += 1
    for at in range(net.out[0][w], net.out[0][w + 1]):
        state.fed[net.head[net.out[1][at]], x] += 1
    for at in range(net.into[0][w], net.into[0][w + 1]):
        state.served[net.tail[net.into[1][at]], x] += 1
    place, mask = x >> 6, ~(np.uint64(1) << np.uint64(x & 63))
    for k in range(len(state.limit)):
        state.open[k, w, place] &= mask
    if nearest:
        cost, near = far[w], state.near[x]
        for v in range(len(near)):
            if cost[v] < near[v]:
                near[v] = cost[v]
                for k in range(len(state.limit)):
                    if cost[v] < state.limit[k]:
                        state.open[k, v, place] &= mask


@kernel
def channel_costs(out, head, cost, hosts, nodes):  # type: ignore[no-untyped-def]
    """`[u, v]`: the least cost of channels from u to v, FAR where none lead; int64 (nodes, nodes).

    Only the rows of `hosts` are worked out. `out`: CSR (start, channels) by tail.
    """
    far = np.full((nodes, nodes), FAR, np.int64)
    times, places = np.empty(len(head) + 1, np.int64), np.empty(len(head) + 1, np.int64)
    for u in hosts:
        far[u, u], times[0], places[0], size = 0, 0, u, 1
        while size > 0:
            now, node = times[0], places[0]
            size = drop_first(times, places, size)
            if now > far[u, node]:
                continue
            for at in range(out[0][node], out[0][node + 1]):
                channel = out[1][at]
                then = now + cost[channel]
                if then < far[u, head[channel]]:
                    far[u, head[channel]] = then
                    size = add_entry(times, places, size, then, head[channel])
    return far
