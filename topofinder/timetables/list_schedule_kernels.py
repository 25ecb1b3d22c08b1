"""List scheduling in continuous time, over flat arrays: instant after instant, nothing waits idly.

Ends of tasks and releases of arcs are events. Begins never fall, so the events of one length of
time come in the order in which they are made: a queue for every length, and a heap of the queues'
first events. Of a channel only the first ready task counts, for all its tasks need the same arcs.
A channel that cannot begin its first task watches one arc that is kept, and is looked at again when
that is freed: so the many routes through a port of a switch are not all looked at for each send.
What takes no time ends in another round of the same instant.
"""

from typing import Any, NamedTuple

import numpy as np

from topofinder.kernels import borrow, inner, kernel, sort_first

Array = Any


class TaskColumns(NamedTuple):
    """The tasks: a TaskSet's columns, and what follows from them.

    Channel c takes `rate[c]` of `arc[start[c]:start[c + 1]]`, `alone` if no other with tasks does.
    `ranked[r]` is the task of rank r, `rank` its inverse: the least priority first, then the
    least number. `held` and `lasting` are the places of hold and duration among all lengths.
    """

    channel: Array
    hold: Array
    duration: Array
    successor_start: Array
    successor: Array
    rank: Array
    ranked: Array
    held: Array
    lasting: Array
    start: Array
    arc: Array
    rate: Array
    alone: Array


class RunState(NamedTuple):
    """What `run_tasks` comes back with, and goes on from.

    `waits`: for how many tasks each task still waits. `heap[heap_start[c]:][:size[c]]` are the keys
    of the ready tasks of channel c, `task_of` their tasks. Queue l of events: `first[l]`, `last[l]`
    and `following`; event 2 t is the release of the arcs of task t, 2 t + 1 its end. `lengths[:
    counts[0]]` is the heap of queues that are not empty, `due` their times. `counts`: that heap's
    size, tasks begun, tasks ready so far, instants. `left[a]` is the room of arc a that no task
    takes. `watcher[a]` is the first channel that watches
    arc a, `next_watcher[c]` the one after channel c, -1 for none.
    """

    begin: Array
    waits: Array
    heap: Array
    heap_start: Array
    size: Array
    task_of: Array
    first: Array
    last: Array
    following: Array
    due: Array
    lengths: Array
    left: Array
    watcher: Array
    next_watcher: Array
    touched: Array
    freed: Array
    begins_at: Array
    ends_at: Array
    ready: Array
    counts: Array


QUEUES, BEGUN, READY, INSTANT = 0, 1, 2, 3


@kernel
def run_tasks(tasks, state, first_come, latest, work):  # type: ignore[no-untyped-def]
    """Begin tasks until about `work` of them have begun; whether there is more to do.

    `first_come`: channels take tasks in the order in which they become ready, those of one instant
    by rank. Stops before the first instant after `latest`, with events left over.
    """
    tasks, state = borrow(tasks), borrow(state)
    counts = state.counts
    goal = counts[BEGUN] + work
    if counts[INSTANT] == 0:
        ready = 0
        for task in range(len(tasks.channel)):
            if state.waits[task] == 0:
                state.ready[ready] = tasks.rank[task]
                ready += 1
        _play_instant(tasks, state, first_come, 0, ready, 0)
    while counts[QUEUES] > 0 and counts[BEGUN] < goal:
        now = state.due[state.lengths[0]]
        if now > latest:
            return False
        ready, freed = 0, 0
        while counts[QUEUES] > 0 and state.due[state.lengths[0]] == now:
            event = _pop_event(tasks, state)
            if event & 1:
                ready = _end_task(tasks, state, event >> 1, ready)
            else:
                freed = _release_arcs(tasks, state, event >> 1, freed)
        _play_instant(tasks, state, first_come, now, ready, freed)
    return counts[QUEUES] > 0


@inner
def _end_task(tasks, state, task, ready):  # type: ignore[no-untyped-def]
    """Count down what waits for a task; the ranks of what is ready go to state.ready."""
    for at in range(tasks.successor_start[task], tasks.successor_start[task + 1]):
        after = tasks.successor[at]
        state.waits[after] -= 1
        if state.waits[after] == 0:
            state.ready[ready] = tasks.rank[after]
            ready += 1
    return ready


@inner
def _release_arcs(tasks, state, task, freed):  # type: ignore[no-untyped-def]
    """Free the arcs of a task; they go to state.freed."""
    channel = tasks.channel[task]
    for at in range(tasks.start[channel], tasks.start[channel + 1]):
        state.left[tasks.arc[at]] += tasks.rate[channel]
        state.freed[freed] = tasks.arc[at]
        freed += 1
    return freed


@inner
def _wake_channels(state, freed):  # type: ignore[no-untyped-def]
    """The channels that watched one of the arcs that were freed, to state.touched; how many."""
    touched = 0
    for i in range(freed):
        arc = state.freed[i]
        channel = state.watcher[arc]
        state.watcher[arc] = -1
        while channel >= 0:
            state.touched[touched] = channel
            touched += 1
            channel = state.next_watcher[channel]
    return touched


@inner
def _watch_arc(tasks, state, channel):  # type: ignore[no-untyped-def]
    """Let a channel that cannot begin a task watch one of its arcs without room."""
    for at in range(tasks.start[channel], tasks.start[channel + 1]):
        arc = tasks.arc[at]
        if state.left[arc] < tasks.rate[channel]:
            state.next_watcher[channel] = state.watcher[arc]
            state.watcher[arc] = channel
            return


@inner
def _play_instant(tasks, state, first_come, now, ready, freed):  # type: ignore[no-untyped-def]
    """Queue the ready tasks, and begin on channels that were touched all that can be begun."""
    counts, touched = state.counts, _wake_channels(state, freed)
    if first_come:
        sort_first(state.ready, ready)
    for i in range(ready):
        key, task = state.ready[i], tasks.ranked[state.ready[i]]
        if first_come:
            key = counts[READY]
            state.task_of[key] = task
            counts[READY] += 1
        if state.size[tasks.channel[task]] == 0:
            state.touched[touched] = tasks.channel[task]
            touched += 1
        _push_key(state, tasks.channel[task], key)
    contested = 0
    for i in range(touched):
        channel = state.touched[i]
        if tasks.alone[channel]:  # without arcs it begins all that is ready
            while state.size[channel] > 0 and _is_free(tasks, state, channel):
                _begin_first(tasks, state, channel, now)
        elif _is_free(tasks, state, channel):
            state.ready[contested] = state.heap[state.heap_start[channel]]
            contested += 1
    _begin_contested(tasks, state, now, contested)
    for i in range(touched):
        if state.size[state.touched[i]] > 0:
            _watch_arc(tasks, state, state.touched[i])
    counts[INSTANT] += 1


@inner
def _begin_contested(tasks, state, now, contested):  # type: ignore[no-untyped-def]
    """Begin the first tasks of channels that share arcs, the least key in state.ready first.

    That ends when no first arc, or no last one, of all these channels is left free: with most
    ports of a switch free there are far more routes than can begin.
    """
    mark, firsts, lasts = state.counts[INSTANT], 0, 0
    for i in range(contested - 1, -1, -1):
        channel = tasks.channel[state.task_of[state.ready[i]]]
        first, last = tasks.start[channel], tasks.start[channel + 1] - 1
        firsts += _mark_arc(state.begins_at, tasks.arc[first], mark)
        lasts += _mark_arc(state.ends_at, tasks.arc[last], mark)
        _sift_down(state.ready, i, contested)
    while contested > 0 and firsts > 0 and lasts > 0:
        channel = tasks.channel[state.task_of[state.ready[0]]]
        contested -= 1
        state.ready[0] = state.ready[contested]
        _sift_down(state.ready, 0, contested)
        if _is_free(tasks, state, channel):
            _begin_first(tasks, state, channel, now)
            firsts -= state.left[tasks.arc[tasks.start[channel]]] == 0
            lasts -= state.left[tasks.arc[tasks.start[channel + 1] - 1]] == 0


@inner
def _mark_arc(marks, arc, mark):  # type: ignore[no-untyped-def]
    """Whether the arc is marked for the first time."""
    fresh = marks[arc] != mark
    marks[arc] = mark
    return fresh


@inner
def _sift_down(values, at, size):  # type: ignore[no-untyped-def]
    """Move an entry down to its place in a heap with the least on top."""
    value = values[at]
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size and values[below + 1] < values[below]:
            below += 1
        if values[below] >= value:
            break
        values[at] = values[below]
        at = below
    values[at] = value


@inner
def _is_free(tasks, state, channel):  # type: ignore[no-untyped-def]
    for at in range(tasks.start[channel], tasks.start[channel + 1]):
        if state.left[tasks.arc[at]] < tasks.rate[channel]:
            return False
    return True


@inner
def _begin_first(tasks, state, channel, now):  # type: ignore[no-untyped-def]
    """Begin the first ready task of a channel whose arcs are free."""
    task = state.task_of[_pop_key(state, channel)]
    state.begin[task] = now
    state.counts[BEGUN] += 1
    for at in range(tasks.start[channel], tasks.start[channel + 1]):
        state.left[tasks.arc[at]] -= tasks.rate[channel]
    _add_event(tasks, state, 2 * task, tasks.held[task])
    _add_event(tasks, state, 2 * task + 1, tasks.lasting[task])


@inner
def _push_key(state, channel, key):  # type: ignore[no-untyped-def]
    """Add a key to the heap of a channel."""
    base, at = state.heap_start[channel], state.size[channel]
    state.size[channel] += 1
    while at > 0:
        above = (at - 1) >> 1
        if state.heap[base + above] <= key:
            break
        state.heap[base + at] = state.heap[base + above]
        at = above
    state.heap[base + at] = key


@inner
def _pop_key(state, channel):  # type: ignore[no-untyped-def]
    """Take the least key from the heap of a channel."""
    base = state.heap_start[channel]
    state.size[channel] -= 1
    size = state.size[channel]
    least, moved, at = state.heap[base], state.heap[base + size], 0
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if below + 1 < size and state.heap[base + below + 1] < state.heap[base + below]:
            below += 1
        if state.heap[base + below] >= moved:
            break
        state.heap[base + at] = state.heap[base + below]
        at = below
    state.heap[base + at] = moved
    return least


@inner
def _event_time(tasks, state, event):  # type: ignore[no-untyped-def]
    task = event >> 1
    return state.begin[task] + (tasks.duration[task] if event & 1 else tasks.hold[task])


@inner
def _add_event(tasks, state, event, length):  # type: ignore[no-untyped-def]
    """Add an event to the queue of its length of time, which is that of the latest times."""
    state.following[event] = -1
    if state.first[length] >= 0:
        state.following[state.last[length]] = event
        state.last[length] = event
        return
    state.first[length] = state.last[length] = event
    state.due[length] = _event_time(tasks, state, event)
    at = state.counts[QUEUES]
    state.counts[QUEUES] += 1
    while at > 0:
        above = (at - 1) >> 1
        if state.due[state.lengths[above]] <= state.due[length]:
            break
        state.lengths[at] = state.lengths[above]
        at = above
    state.lengths[at] = length


@inner
def _pop_event(tasks, state):  # type: ignore[no-untyped-def]
    """Take one of the earliest events."""
    length = state.lengths[0]
    event = state.first[length]
    state.first[length] = state.following[event]
    if state.first[length] >= 0:
        state.due[length] = _event_time(tasks, state, state.first[length])
    else:
        state.counts[QUEUES] -= 1
        length = state.lengths[state.counts[QUEUES]]
    size, at = state.counts[QUEUES], 0
    while 2 * at + 1 < size:
        below = 2 * at + 1
        if (
            below + 1 < size
            and state.due[state.lengths[below + 1]] < state.due[state.lengths[below]]
        ):
            below += 1
        if state.due[state.lengths[below]] >= state.due[length]:
            break
        state.lengths[at] = state.lengths[below]
        at = below
    state.lengths[at] = length
    return event


@kernel
def longest_ways(start, successor, duration, waits, queue):  # type: ignore[no-untyped-def]
    """Ticks from the begin of each task until all that waits for it can have ended, int64 (tasks,).

    `waits`, how many tasks each waits for, is counted down; `queue`, int64 (tasks,), is scratch.
    Returns how many tasks have a place in an order, all unless they wait for each other, too.
    """
    filled, done = 0, 0
    for task in range(len(duration)):
        if waits[task] == 0:
            queue[filled] = task
            filled += 1
    while done < filled:
        task = queue[done]
        done += 1
        for at in range(start[task], start[task + 1]):
            waits[successor[at]] -= 1
            if waits[successor[at]] == 0:
                queue[filled] = successor[at]
                filled += 1
    way = np.zeros(len(duration), np.int64)
    for i in range(filled - 1, -1, -1):
        task = queue[i]
        for at in range(start[task], start[task + 1]):
            way[task] = max(way[task], way[successor[at]])
        way[task] += duration[task]
    return way, filled
