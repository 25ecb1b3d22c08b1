"""What `topofinder verify` finds out about a timetable in a file."""

from fractions import Fraction

from reports.timetable_check import TimetableCheck
from topofinder.api.shared.same_graph import other_damaged_graph
from topofinder.model.timetable import Timetable
from topofinder.model.timetable_files import timetable_digest
from topofinder.verification.timetable_bounds import port_bound
from topofinder.verification.timetables import verify_timetable


def check_timetable(saved: Timetable, on: str | None = None) -> TimetableCheck:
    """Replay a timetable on its own graph, which must be that of its recipe and of `on`.

    A bound of the file must not exceed the time that it takes. Raises InvalidInput when `on`
    cannot be read.
    """
    graph = saved.topology
    verdict = verify_timetable(saved)
    other = other_damaged_graph(graph, saved.recipe, saved.damage, on)
    violation = other or verdict.violation
    copies = 1 if saved.translations is None else graph.n
    return TimetableCheck(
        collective=saved.collective.value,
        recipe=saved.recipe,
        damage=None if saved.recipe is None else saved.damage,
        method=saved.method,
        model=saved.model.value,
        hosts=graph.n - len(graph.switches),
        chunks=saved.chunks * copies,
        chunk_bytes=saved.chunk_bytes,
        sends=saved.sends * copies,
        stored_sends=saved.sends,
        tick=verdict.tick,
        makespan=verdict.makespan,
        bounds=() if violation else bounds(saved),
        claimed=None if saved.bound is None else Fraction(saved.bound),
        digest=timetable_digest(saved),
        violation=violation,
    )


def bounds(timetable: Timetable) -> tuple[tuple[str, Fraction], ...]:
    """The names and seconds of the bounds that are worked out anew for what it carries out."""
    return (("ports", port_bound(timetable)),)
