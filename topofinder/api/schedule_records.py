"""A schedule that was made, as a report tells it and as the database keeps it."""

from pathlib import Path

from db.schedule_rows import ScheduleRow
from db.store import Store
from expansions.schedule_files import read_schedule, topology_digest
from generators.topology import Topology
from reports.schedule import Made
from reports.schedule_file import Described
from topofinder.api.schedule import Answer, Request
from topofinder.schedules.collectives import KnownIsomorphism


def made(request: Request, found: Answer, seconds: float, file: str) -> Made:
    """What there is to say of an answer that took `seconds` and was written to a file."""
    saved, candidate = found.saved, found.candidate
    rooted = request.collective.is_rooted
    return Made(
        subject=saved.recipe or request.subject,
        recipe=saved.recipe,
        n=saved.topology.n,
        d=saved.topology.degree,
        collective=request.collective.value,
        root=request.root,
        method=saved.method or "",
        rows=saved.schedule.rows,
        stored_rows=saved.stored_rows,
        cost=saved.cost,
        predicted=candidate.cost(request.collective) if candidate and not rooted else None,
        exact=candidate is not None and candidate.exact,
        denominator=saved.schedule.denominator,
        runtime=found.runtime,
        seconds=seconds,
        digest=saved.digest,
        file=file,
        rounding=found.rounding,
        turned=found.image is not None,
    )


def stored(request: Request, found: Answer, path: Path) -> ScheduleRow:
    """The row of the database for an answer that was written to a file."""
    saved = found.saved
    return ScheduleRow(
        path=str(path.resolve()),
        content=saved.digest,
        topology=saved.topology_digest,
        recipe=saved.recipe,
        collective=request.collective.value,
        root=request.root,
        method=saved.method or "",
        n=saved.topology.n,
        d=saved.topology.degree,
        rows=saved.schedule.rows,
        steps=saved.cost.steps,
        bandwidth=saved.cost.bandwidth,
    )


def keep(store: Store, request: Request, found: Answer, path: Path) -> None:
    """Store what an answer's file holds, and the isomorphism that it was reversed through."""
    store.save_schedule(stored(request, found, path))
    if found.image is not None:
        saved = found.saved
        store.save_reversal(saved.topology_digest, saved.recipe, found.image.tolist())


def kept_in(database: Path) -> KnownIsomorphism:
    """Tells the isomorphisms that are stored in a database; none if there is no such file."""

    def known(topology: Topology) -> list[int] | None:
        if not database.exists():
            return None
        with Store(database, create=False) as store:
            return store.reversal(topology_digest(topology))

    return known


def described(path: Path) -> Described:
    """What a schedule file says of itself. Raises InvalidInput when it cannot be read."""
    saved = read_schedule(path)
    schedule = saved.schedule
    return Described(
        file=str(path),
        recipe=saved.recipe,
        n=saved.topology.n,
        d=saved.topology.degree,
        collective=schedule.collective.value,
        root=schedule.root,
        method=saved.method,
        rows=schedule.rows,
        stored_rows=saved.stored_rows,
        denominator=schedule.denominator,
        cost=saved.cost,
        loads=schedule.loads(saved.topology),
        digest=saved.digest,
    )
