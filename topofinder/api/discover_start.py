"""A search from plain arguments, and its outcome as a report takes it."""

from generators.cayley import parse_group
from generators.errors import InvalidInput
from generators.shown import shown
from reports.discovery import Discovered
from topofinder.api.discover import Limits, Session
from topofinder.discovery.goal import SearchGoal
from topofinder.model.candidate import LinkMode, lower_bound

MAX_JOBS = 1024
LARGEST_SEED = (1 << 63) - 1


def session(
    n: int,
    d: int,
    links: LinkMode | str = LinkMode.SIMPLEX,
    *,
    both: bool = False,
    group: str | None = None,
    seed: int = 0,
    jobs: int = 1,
    limits: Limits | None = None,
) -> Session:
    """A search that is ready to run.

    Raises InvalidInput for sizes that are not searched, a group of another order, a seed that does
    not fit 63 bits, and 0 jobs.

    >>> short = session(16, 4, seed=1, limits=Limits(trials=1000))
    >>> short.run()
    >>> [(row.steps, str(row.bandwidth)) for row in short.rows]
    [(2, '1'), (3, '15/16')]
    """
    if links not in set(LinkMode):
        raise InvalidInput(f"links: simplex or duplex, not {shown(str(links))}")
    if not 0 <= seed <= LARGEST_SEED:
        raise InvalidInput(f"seed: 0 to 2**63 - 1, not {shown(seed)}")
    if jobs == 0 or abs(jobs) > MAX_JOBS:
        told = f"1 to {MAX_JOBS} threads, or -1 for all cores"
        raise InvalidInput(f"jobs: {told}, not {shown(jobs)}")
    goal = SearchGoal(n=n, d=d, links=LinkMode(links), both=both)
    if group is not None:
        known = parse_group(group)
        if known.order != n:
            raise InvalidInput(f"group: {known} has {known.order} elements, not {n}")
        group = str(known)
    return Session(goal=goal, seed=seed, limits=limits or Limits(), jobs=jobs, group=group)


def discovered(search: Session) -> Discovered:
    """What a search found, by the time it ended."""
    goal = search.goal
    return Discovered(
        n=goal.n,
        d=goal.d,
        links=goal.links.value,
        both=goal.both,
        seed=search.seed,
        bound=lower_bound(goal.n, goal.d, goal.links),
        judged=search.judged,
        judged_before=search.before,
        finds=tuple(search.rows),
    )
