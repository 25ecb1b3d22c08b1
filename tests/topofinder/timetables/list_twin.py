"""List scheduling by Fractions and plain loops over all ready tasks: slow and obvious."""

from fractions import Fraction

from topofinder.timetables.list_schedule import TaskSet


def begins(tasks: TaskSet, *, first_come: bool = False) -> list[Fraction]:
    """The begin of every task."""
    n, now = tasks.tasks, Fraction(0)
    arcs = [set(tasks.arc[tasks.start[c] : tasks.start[c + 1]].tolist()) for c in tasks.channel]
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
        busy = set()
        for t, begin in found.items():
            if begin + int(tasks.hold[t]) > now:
                busy |= arcs[t]
        ready = [t for t in range(n) if t not in found and before[t] <= ended]
        for t in ready:
            came.setdefault(t, rounds)
        key = {t: (came[t] if first_come else 0, int(tasks.priority[t]), t) for t in ready}
        again = False
        for t in sorted(ready, key=key.__getitem__):
            if not arcs[t] & busy:
                found[t] = now
                busy |= arcs[t]
                again |= not tasks.hold[t] * tasks.duration[t]
        if again:
            continue
        ends = [b + int(x) for t, b in found.items() for x in (tasks.hold[t], tasks.duration[t])]
        now = min((end for end in ends if end > now), default=now)
    return [found[t] for t in range(n)]
