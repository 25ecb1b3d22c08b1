"""An event-driven simulation with a queue for every arc, in Fractions: slow and obvious.

What a row needs is read off its definition, row by row, not found by a sweep.
"""

from fractions import Fraction

from expansions.schedule import Schedule
from generators.topology import Topology
from tests.verify_twin import MOVING, Row, rows_of


def needs(topology: Topology, rows: list[Row], row: Row, turn: int) -> set[int]:
    """The numbers of the rows that must have arrived before `row` may be sent."""
    node = topology.tail[row.arc]
    found = set()
    for cell in row.cells:
        about = [o for o in rows if o.source == row.source and cell in o.cells]
        came = [o for o in about if topology.head[o.arc] == node and o.step < row.step]
        left = [o.step for o in about if topology.tail[o.arc] == node and o.step < row.step]
        if row.step <= turn:
            found |= {o.number for o in came if o.step >= max(left, default=0)}
        elif node == row.source:
            given = max((step for step in left if step <= turn), default=0)
            found |= {o.number for o in came if given <= o.step <= turn}
        else:
            copies = [o for o in came if o.step > turn]
            found.add(min(copies, key=lambda o: (o.step, o.number)).number)
    return found


def play(
    topology: Topology, schedule: Schedule, alpha: Fraction, shard: Fraction, rate: Fraction, *,
    rows_apart: bool, pipelined: bool = False,
) -> Fraction:  # fmt: skip
    """When the last message has arrived; `shard` in bytes, `rate` of an arc of capacity 1.

    An arc takes the next message when the last one has arrived; if pipelined, when it has left.
    """
    rows, _ = rows_of(schedule)
    kind = str(schedule.collective)
    turn = schedule.turn if kind == "allreduce" else schedule.steps if kind in MOVING else 0
    queues: dict = {}
    for row in rows:
        queue = queues.setdefault(row.arc, [])
        if rows_apart or not queue or queue[-1][-1].step != row.step:
            queue.append([])
        queue[-1].append(row)
    wanted = {row.number: needs(topology, rows, row, turn) for row in rows}
    arrived: set = set()
    flying: list = []
    now = Fraction()
    free: dict = dict.fromkeys(queues, now)
    while True:
        for arc, queue in queues.items():
            idle = queue and free[arc] <= now
            if idle and all(wanted[row.number] <= arrived for row in queue[0]):
                late, sending = _time(topology, schedule, arc, queue[0], alpha, shard / rate)
                free[arc] = now + sending + (0 if pipelined else late)
                flying.append((now + late + sending, queue.pop(0)))
        later = [when for when in (*free.values(), *(end for end, _ in flying)) if when > now]
        if not later:
            assert not any(queues.values())
            return now
        now = min(later)
        arrived |= {row.number for end, message in flying if end <= now for row in message}
        flying = [message for message in flying if message[0] > now]


def _time(topology, schedule, arc, message, alpha, whole) -> tuple:
    """Its latency, and the time of its bytes."""
    amount = sum(int(schedule.end[row.number] - schedule.begin[row.number]) for row in message)
    latency = 1 if topology.latency is None else topology.latency[arc]
    capacity = 1 if topology.capacity is None else topology.capacity[arc]
    return alpha * latency, whole * Fraction(amount, schedule.denominator) / capacity
