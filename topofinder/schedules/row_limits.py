"""Whether the rows of a schedule fit a file, known before they are made."""

from collections.abc import Callable

from expansions.collective import Collective
from generators.errors import InvalidInput
from generators.memory import memory_text, require_memory
from generators.topology import Topology
from topofinder.schedules.bfb.symmetric import inverse_nodes, neighbour_translations
from topofinder.schedules.compact import compact_schedule
from topofinder.schedules.register import ScheduleTask

MANY_ROWS = 10**6
"""Above so many rows a file has the compact form unless it is told which."""
CLOSE = 64
"""Rows are counted exactly where the least number is within this factor of the limit."""
MOST_AT_ONCE = 1 << 26
"""Rows of all nodes that may be made for the sake of one."""
ROW_BYTES = 75
"""Memory of a row until it is in a file: columns of 28 bytes, sorted; measured at 10^7 rows."""
NODE_BYTES = 900
"""Memory of a node whose schedule has the compact form, for graphs of a few ports; measured."""

Obstacle = Callable[[], str | None]
"""Tells why there is no compact form, None if there is one."""


def is_compact(
    topology: Topology,
    collective: Collective,
    *,
    wish: bool | None,
    most_rows: int | None,
    obstacle: Obstacle,
    many_rows: int = MANY_ROWS,
) -> bool:
    """Whether to keep a schedule in compact form: if that is the wish, or there are `many_rows`.

    `wish` is None where either form will do, and `most_rows` where there is no file, which has all
    rows; `obstacle` is asked only where it matters. Raises InvalidInput when the wish cannot be met
    or all rows do not fit.

    >>> from generators.families.hamming import hypercube
    >>> given = {"wish": None, "most_rows": 10**6, "obstacle": lambda: None}
    >>> [is_compact(hypercube(k), Collective.ALLGATHER, **given) for k in (4, 10)]
    [False, True]
    """
    rows = least_rows(topology, collective)
    many = most_rows if most_rows is None or wish is not None else min(most_rows, many_rows)
    if not wish and (many is None or CLOSE * rows <= many):
        return False
    found = obstacle()
    if wish:
        if found is not None:
            raise InvalidInput(f"compact: {found}")
        return True
    if most_rows is None or many is None:
        return False
    if found is None and rows <= many:
        rows = compact_schedule(topology, collective).rows
    if rows <= many:
        return False
    if wish is None and found is None:
        return True
    if rows <= most_rows:
        return False
    advice = "--compact keeps those of node 0" if found is None else f"no --compact: {found}"
    told = f"such a file holds {most_rows}, but there are {rows} or more"
    told += f" ({memory_text(ROW_BYTES * rows)} of memory)"
    raise InvalidInput(f"rows: {told}; {advice}")


def takes_compact_form(task: ScheduleTask, obstacle: Obstacle) -> bool:
    """Whether the answer to a task is compact; refuses what no file can hold before it is made.

    So is what the memory cannot hold: Unsupported.
    """
    compact = is_compact(
        task.topology,
        task.collective,
        wish=task.compact,
        most_rows=task.most_rows,
        obstacle=lambda: obstacle() or compact_obstacle(task.topology, task.collective),
    )
    _require_room(task.topology, task.collective, compact=compact)
    return compact


def _require_room(topology: Topology, collective: Collective, *, compact: bool) -> None:
    if compact:
        n = topology.n
        require_memory(f"schedule: the rows of one of {n} nodes", NODE_BYTES * n)
    elif not needs_one_source(topology, collective):
        # A broadcast is cut out of an allgather where no translations are known.
        all_nodes = Collective.ALLGATHER if collective.is_rooted else collective
        rows = least_rows(topology, all_nodes)
        require_memory(f"schedule: {rows} rows", ROW_BYTES * rows, "--compact needs less if it can")


def least_rows(topology: Topology, collective: Collective) -> int:
    """The fewest rows that a schedule can have: every other host receives, or sends, a shard.

    >>> from generators.families.hamming import hypercube
    >>> least_rows(hypercube(14), Collective.ALLGATHER)
    268419072
    """
    hosts = topology.n - len(topology.switches)
    about = 1 if collective.is_rooted else hosts
    return about * (hosts - 1) * (2 if collective is Collective.ALLREDUCE else 1)


def needs_one_source(
    topology: Topology, collective: Collective, most_rows: int = MOST_AT_ONCE
) -> bool:
    """Whether a broadcast or reduce is to be made without the rows of all nodes, and can be.

    >>> from generators.families.hamming import hypercube
    >>> needs_one_source(hypercube(4), Collective.BROADCAST)
    False
    >>> needs_one_source(hypercube(4), Collective.BROADCAST, most_rows=100)
    True
    """
    if not collective.is_rooted or least_rows(topology, Collective.ALLGATHER) <= most_rows:
        return False
    return group_obstacle(topology) is None


def compact_obstacle(topology: Topology, collective: Collective) -> str | None:
    """Why there is no compact BFB schedule of a collective on a graph; None if there is one."""
    if collective.is_rooted:
        return f"a {collective} is about one node only"
    return group_obstacle(topology)


def group_obstacle(topology: Topology) -> str | None:
    """Why a graph has no group of translations; None if it has."""
    if topology.translation is None:
        return "no translations of the graph are known"
    if topology.n > 1 and inverse_nodes(neighbour_translations(topology)) is None:
        return "the known translations of the graph form no group"
    return None
