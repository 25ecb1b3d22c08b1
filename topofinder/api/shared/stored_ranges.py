"""All candidates of a range of sizes that a sweep has filled, for reports over the range."""

from collections.abc import Collection, Iterable

from db.rows import CandidateRow, SizeRow
from db.store import Store
from generators.errors import InvalidInput
from topofinder.api.shared.candidate_rows import ENGINE, require_readable
from topofinder.api.shared.frontiers import search_size
from topofinder.model.candidate import LinkMode


def candidates_at(
    store: Store, hosts: Collection[int], d: int, links: LinkMode, unsaved: Iterable[SizeRow] = ()
) -> list[CandidateRow]:
    """The candidates of sizes (n, d) for each n in `hosts`, by size, cost, recipe and method.

    They are those that are stored by this engine or a newer one, but the ones of `unsaved` (what
    the sweep found and did not store) and fresh ones where what is stored cannot be read.
    """
    instead = {size.frontier.n: size for size in unsaved if size.frontier.d == d}
    unread: set[int] = set()
    kept = []
    bounds = min(hosts), max(hosts)
    stored = store.candidates(
        n=bounds, d=d, links=links.value, left_out=lambda n, reason: unread.add(n)
    )
    for row in stored:
        if row.engine >= ENGINE and row.n in hosts:
            kept.append(row)
            if row.engine > ENGINE and not _readable(row):
                unread.add(row.n)
    for n in sorted(unread.intersection(hosts) - instead.keys()):
        instead[n] = search_size(n, d, links, store.path)
    kept = [row for row in kept if row.n not in instead]
    kept += [row for size in instead.values() for row in size.pool or size.frontier.members]
    return sorted(kept, key=_order)


def _readable(row: CandidateRow) -> bool:
    try:
        require_readable(row)
    except InvalidInput:
        return False
    return True


def _order(row: CandidateRow) -> tuple[object, ...]:
    return row.n, row.steps, row.bandwidth, row.recipe, row.method
