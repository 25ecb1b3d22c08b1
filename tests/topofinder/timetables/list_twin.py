"""List scheduling by Fractions and plain loops over all ready tasks: slow and obvious."""

from fractions import Fraction

from topofinder.timetables.list_schedule import TaskSet


def begins(tasks: TaskSet, *, first_come: bool = False) -> list[Fraction]:
    """The begin of every task."""
    n, now = tasks.tasks, Fraction(0)
    arcs = [tasks.arc[tasks.start[c] : tasks.start[c + 1]].tolist() for c in tasks.channel]
    room = tasks.room.tolist()
    rate = [min((room[a] for a in own), default=0) for own in arcs]
    bounds = tasks.successor_start.tolist()
    before: list[set[int]] = [set() for _ in range(n)]
    for task in range(n):
        for after in tasks.successor[bounds[task] : bounds[task + 1]].tolist():
            before[after].add(task)
    found: dict[int, Fraction] = {}
    came: dict[int, int] = {}
    rounds = 0
    while len(found) < n:
        rounds += 1
        ended = {t for t, begin in found.items() if begin + int(tasks.duration[t]) <= now}
        left = list(room)
        for t, begin in found.items():
            if begin + int(tasks.hold[t]) > now:
                for a in arcs[t]:
                    left[a] -= rate[t]
        ready = [t for t in range(n) if t not in found and before[t] <= ended]
        for t in ready:
            came.setdefault(t, rounds)
        key = {t: (came[t] if first_come else 0, int(tasks.priority[t]), t) for t in ready}
        again = False
        for t in sorted(ready, key=key.__getitem__):
            if all(left[a] >= rate[t] for a in arcs[t]):
                found[t] = now
                for a in arcs[t]:
                    left[a] -= rate[t]
                again |= not tasks.hold[t] * tasks.duration[t]
        if again:
            continue
        ends = [b + int(x) for t, b in found.items() for x in (tasks.hold[t], tasks.duration[t])]
        now = min((end for end in ends if end > now), default=now)
    return [found[t] for t in range(n)]
