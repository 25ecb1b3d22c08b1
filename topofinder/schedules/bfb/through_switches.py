"""BFB on fabrics with switches: program (14) between hosts, each link a way through switches.

Switches are split off as ForestColl does (NSDI 2026, section 5.3), so that hosts are joined by
links alone, each with the part of the fabric's capacity that its way has. What program (14) of
appendix E.3 of Zhao et al. gives for these is laid over the ways: a step becomes as many as the
longest way has arcs, and run as a pipeline they overlap. Copies for several hosts go to a switch
once if it multicasts. Sums that a switch cannot combine pass it one after the other.

The times of program (14) are those between hosts. Over the ways a few whole chunks may take less,
for links then carry as much at each hop of a step: so these are looked at too.
"""

from collections import defaultdict

import numpy as np

from expansions.schedule import Schedule
from generators.errors import InvalidInput, Unsupported
from generators.topology import Topology
from topofinder.model.host_links import HostLinks
from topofinder.schedules.bfb.unequal_links import fewest_chunks, unequal_schedule
from topofinder.schedules.collectives import collective_schedule
from topofinder.schedules.register import MadeSchedule, ScheduleTask

FEW_CHUNKS = 1, 2
"""Numbers of equal chunks that are looked at beside pieces of any size."""
Row = tuple[int, int, int, int, int]
"""Source, arc, step, begin and end."""
_Piece = tuple[int, int, tuple[int, ...]]
"""Begin, end, and the arcs that it came over."""


def schedule_through_switches(task: ScheduleTask) -> MadeSchedule:
    """The schedule over a fabric with switches; its time hangs on the size of the data.

    Unless chunks or a loss are asked for, it is the quickest of some, where the task can tell.
    Raises InvalidInput without a size, Unsupported for a broadcast or reduce.
    """
    work = task.workload
    if work is None:
        raise InvalidInput("switches: --alpha, --size and --bandwidth are needed")
    if task.collective.is_rooted:
        raise Unsupported(f"switches: a {task.collective} is scheduled by --method forest")
    unit = work.bandwidth / max(task.topology.degree, 1)
    graphs = task.topology, task.topology.transpose()
    links = [task.host_links(graph) for graph in graphs]
    fabrics = [
        (one.topology, work.alpha, work.sizes[0][0], unit * one.topology.degree) for one in links
    ]

    def make(chunks: int | None) -> MadeSchedule:
        def gather(back: bool) -> Schedule:
            made = unequal_schedule(*fabrics[back], chunks).schedule
            return lay_over_ways(made, links[back], graphs[back], sums=back)

        schedule = collective_schedule(task.topology, task.collective, gather)
        return MadeSchedule(saved=task.label(schedule, _method_name(chunks)))

    if task.loss is not None:
        return make(max(fewest_chunks(*fabric, task.loss) for fabric in fabrics))
    if task.chunks is not None or task.seconds is None:
        return make(task.chunks)
    seconds = task.seconds
    return min((make(chunks) for chunks in (None, *FEW_CHUNKS)), key=lambda one: seconds(one.saved))


def _method_name(chunks: int | None) -> str:
    if chunks is None:
        return "bfb, through switches"
    return f"bfb, through switches, {chunks} chunk{'s' * (chunks != 1)}"


def lay_over_ways(
    schedule: Schedule, links: HostLinks, topology: Topology, *, sums: bool
) -> Schedule:
    """The rows of an allgather between hosts, hop by hop over the ways of their links.

    With `sums` it is one on the transpose that will be run backwards; there those switches
    multicast that combine sums.
    """
    able = frozenset(topology.multicast)
    order = np.argsort(schedule.step, kind="stable")
    columns = (schedule.source, schedule.arc, schedule.step, schedule.begin, schedule.end)
    given = np.stack([column[order] for column in columns], axis=1).tolist()
    rows: list[Row] = []
    once: set[Row] = set()
    step, first, last = 0, 0, 0
    turns = _Turns(topology, able)
    for source, link, at, begin, end in given:
        if at != step:
            step, first, turns = at, last, _Turns(topology, able)
        way, host = links.ways[link], int(links.hosts[source])
        late = first + (turns.delay(host, way, begin, end) if sums else 0)
        last = max(last, late + len(way))
        for hop, arc in enumerate(way, 1):
            row = host, arc, late + hop, begin, end
            if int(topology.head[arc]) not in able:
                rows.append(row)
            elif row not in once:
                once.add(row)
                rows.append(row)
    table = np.array(rows, dtype=np.int64).reshape(-1, 5).T.copy()
    return Schedule(
        source=table[0].astype(np.int32),
        arc=table[1].astype(np.int32),
        step=table[2].astype(np.int32),
        begin=table[3],
        end=table[4],
        denominator=schedule.denominator,
    )


class _Turns:
    """Which pieces are at which switch when, in one step of the hosts."""

    def __init__(self, topology: Topology, able: frozenset[int]) -> None:
        self._head, self._able = topology.head.tolist(), able
        self._there: defaultdict[tuple[int, int, int], list[_Piece]] = defaultdict(list)

    def delay(self, host: int, way: tuple[int, ...], begin: int, end: int) -> int:
        """The least delay with which a piece of a host meets none of its like on the way.

        Where a switch is able, one that came all the way with it is the same.
        """
        late = 0
        while True:
            stops = [
                ((host, self._head[arc], late + hop), (begin, end, way[:hop]))
                for hop, arc in enumerate(way[:-1], 1)
            ]
            if not any(self._meets(*stop) for stop in stops):
                break
            late += 1
        for place, piece in stops:
            self._there[place].append(piece)
        return late

    def _meets(self, place: tuple[int, int, int], piece: "_Piece") -> bool:
        return any(
            begin < piece[1] and piece[0] < end and not (place[1] in self._able and other == piece)
            for other in self._there[place]
            for begin, end, _ in [other]
        )
