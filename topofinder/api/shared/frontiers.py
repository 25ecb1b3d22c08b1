"""One search, from arguments to a frontier that is stored, and looked up the next time."""

from contextlib import ExitStack
from math import inf
from os import PathLike
from typing import TYPE_CHECKING

from db.rows import CandidateRow, SizeRow
from db.store import Store
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.limits import MAX_NAMED_NODES
from generators.searched_sizes import are_finds_shipped
from topofinder.api.shared.candidate_rows import candidate_row, size_row
from topofinder.api.shared.stored_frontiers import StoredSizes
from topofinder.model.candidate import Candidate, LinkMode

if TYPE_CHECKING:
    from topofinder.finder.enumeration import Pools

MAX_DEGREE = 63
MANY_ARCS = 20_000
"""At sizes of so many arcs kernels take less time to load than graphs to evaluate without them."""


def search_size(
    n: int,
    d: int,
    links: LinkMode | str = LinkMode.SIMPLEX,
    db: str | PathLike[str] | None = None,
    effort: int = 0,
    *,
    is_patient: bool = True,
    seconds: float = inf,
) -> SizeRow:
    """The Pareto frontier at (n, d), with the pool of candidates that it was chosen from.

    With `db`, an answer that is stored there is read instead of searched for, and a new one is
    stored, together with the smaller sizes that the search went through. An answer of a newer
    engine is used where it can be read; else it is kept, and the new one is not stored. With
    `effort`, lifts and grafts are looked for first, for about so many seconds; what was searched
    with as much is an answer, and replaces what was searched with less. After `seconds` it ends
    with less effort, which its `parameters` tell. Who is not patient gets
    an answer of no effort, which its `parameters` tell, where that would wait for its kernels to
    be compiled and the process in the background can do so.
    Raises InvalidInput for impossible sizes and for files that are no topofinder database.

    >>> [str(row.recipe) for row in search_size(16, 4).frontier.members]
    ['Small(4,16)', 'C(16,{3,4})']
    """
    mode = check_size(n, d, links)
    with ExitStack() as stack:
        sizes = _open_sizes(stack, db)
        stored = sizes.answer(n, d, mode, effort=effort) if sizes else None
        return stored or _search_size(n, d, mode, sizes, effort, is_patient, seconds)


def all_candidates(
    n: int, d: int, links: LinkMode | str = LinkMode.SIMPLEX, db: str | PathLike[str] | None = None
) -> list[CandidateRow]:
    """All candidates that a search at (n, d) comes across, also those that others make useless.

    Arguments as for `search_size`. Those that it keeps come first.
    """
    from topofinder.finder.enumeration import Pools

    mode = check_size(n, d, links)
    with ExitStack() as stack:
        sizes = _open_sizes(stack, db)
        pools = Pools(sizes.pool) if sizes else Pools()
        return [candidate_row(candidate, mode) for candidate in pools.all_candidates(n, d, mode)]


def check_size(n: int, d: int, links: LinkMode | str) -> LinkMode:
    """Refuse sizes that no fabric has; returns the link mode."""
    check_nodes(n)
    check_degree(d)
    mode = check_links(links)
    if not can_connect(n, d, mode):
        raise InvalidInput(f"d: one two-way circuit a host is a matching, which connects no {n}")
    return mode


def can_connect(n: int, d: int, links: LinkMode) -> bool:
    """Whether d ports a host can connect n hosts: all but one two-way circuit of more than two.

    >>> can_connect(3, 1, LinkMode.DUPLEX), can_connect(3, 1, LinkMode.SIMPLEX)
    (False, True)
    """
    return n >= 2 and d >= 1 and (links is LinkMode.SIMPLEX or d > 1 or n == 2)


def check_nodes(n: int, most: int = MAX_NAMED_NODES) -> None:
    """Refuse a number of hosts that no fabric has, or above `most`."""
    if not 2 <= n <= most:
        raise InvalidInput(f"n: a fabric has 2 to {most} hosts, not {excerpt(n)}")


def check_degree(d: int) -> None:
    """Refuse a number of ports that no host has."""
    if not 1 <= d <= MAX_DEGREE:
        raise InvalidInput(f"d: a host has 1 to {MAX_DEGREE} ports, not {excerpt(d)}")


def check_links(links: LinkMode | str) -> LinkMode:
    """The link mode of that name; refuses any other name."""
    if links not in set(LinkMode):
        raise InvalidInput(f"links: simplex or duplex, not {excerpt(str(links))}")
    return LinkMode(links)


def _open_sizes(stack: ExitStack, db: str | PathLike[str] | None) -> StoredSizes | None:
    if db is None:
        return None
    return stack.enter_context(StoredSizes(stack.enter_context(Store(db))))


def _search_size(
    n: int,
    d: int,
    links: LinkMode,
    sizes: StoredSizes | None,
    effort: int,
    is_patient: bool,
    seconds: float,
) -> SizeRow:
    from topofinder.dispatch.kernel import expect_work
    from topofinder.finder.base_scope import EVERYTHING
    from topofinder.finder.enumeration import Pools  # which a look-up need not wait for

    if n * d >= MANY_ARCS and not EVERYTHING.is_settled(n, d, links):
        expect_work()
    if sizes:
        sizes.prepare()
    ships = effort == 1 and are_finds_shipped(n, d, links.value)
    alone = ships or not effort  # an effort weighs what smaller sizes have, as in a sweep
    pools = Pools(sizes.pool, one_size=alone) if sizes else Pools(one_size=alone)
    kept = pools.pool(n, d, links)
    if ships:
        from topofinder.finder.shipped_finds import with_shipped_deferrals

        kept = with_shipped_deferrals(kept, links)
    elif effort:
        effort, kept = _search_on(pools, n, d, links, effort, is_patient, seconds)
    found = {key: size_row(*key, pools.pool(*key)) for key in pools.fresh if can_connect(*key)}
    found[n, d, links] = size_row(n, d, links, kept, effort)
    if sizes:
        found[n, d, links] = next(sizes.with_graphs([found[n, d, links]]))
        sizes.save_after_all(found.values())
    return found[n, d, links]


def _search_on(
    pools: "Pools",
    n: int,
    d: int,
    links: LinkMode,
    effort: int,
    is_patient: bool,
    seconds: float,
) -> tuple[int, list[Candidate]]:
    """How much of an effort there was time for, and what is kept with its finds."""
    if not is_patient:
        from topofinder.finder.effort_kernels import is_left_for_later

        if is_left_for_later(pools, n, d, links, effort):
            return 0, pools.pool(n, d, links)
    from topofinder.finder.deferrals import pool_within

    return pool_within(pools, n, d, links, effort, seconds)
