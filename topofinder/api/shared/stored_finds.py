"""What other searches of a database have found, for a search that is answered from it.

Graphs that `discover` has proved, and lifts and grafts that searches with an effort have
stored at other sizes, are base graphs of an answer beside its own: at the size itself, and at those
that it is grown from by one expansion or by line graphs. They are added each time the answer is
told, and no part of what is stored for its size: that depends on the size and the effort alone.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

from db.rows import CandidateRow, SizeRow
from db.store import Store
from generators.errors import InvalidInput
from generators.plugins import are_plugins_named
from topofinder.api.shared.candidate_rows import ENGINE, candidate_of, size_row
from topofinder.api.shared.stored_frontiers import StoredSizes
from topofinder.model.candidate import LinkMode
from topofinder.model.frontier import useful_candidates

if TYPE_CHECKING:
    from expansions.recipe import Recipe

EFFORT_NAMES = ("Lift(", "Graft(", "Cay(")
"""What recipes have that an effort finds; families have some of them too, which does no harm."""

DEFERRING_EFFORT = 2
"""As an effort of so much does, shards of a few finds wait for idle links."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFinds:
    """Recipes of base graphs: of `discover`, and of efforts at other sizes."""

    discovered: frozenset[str] = frozenset()
    of_efforts: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.discovered or self.of_efforts)


def stored_finds(store: Store, n: int, d: int, links: LinkMode) -> StoredFinds:
    """What the database has for an answer at (n, d), beside the answer itself.

    >>> with Store(":memory:") as store:
    ...     bool(stored_finds(store, 16, 4, LinkMode.SIMPLEX))
    False
    """
    efforts = {mode: store.finished_sizes(mode.value, effort=1) for mode in LinkMode}
    finds = store.finds(n=(2, n + 1), d=(1, d))
    others = [size for sizes in efforts.values() for size in sizes - {(n, d)}]
    others += [(row.n, row.d) for row in finds]
    if not any(may_be_source(n, d, *other) for other in others) and not (
        others and are_plugins_named()
    ):
        return StoredFinds()  # without the imports of a search, which a look-up need not wait for
    from topofinder.finder.effort import source_sizes

    sizes = source_sizes(n, d, links)
    rows = chain.from_iterable(
        store.pool(*size) or ()
        for size in sizes
        if size != (n, d, links) and size[:2] in efforts[size[2]]
    )
    return StoredFinds(
        discovered=frozenset(
            row.base for row in finds if (row.n, row.d, LinkMode(row.links)) in sizes
        ),
        of_efforts=frozenset(row.recipe for row in rows if _is_of_effort(row)),
    )


def may_be_source(n: int, d: int, nodes: int, degree: int) -> bool:
    """Whether (n, d) may be grown from a size by an expansion that comes with topofinder.

    >>> may_be_source(1024, 4, 512, 4), may_be_source(1024, 4, 96, 4)
    (True, False)
    """
    return degree <= d and (n % nodes == 0 or nodes == n + 1)


def _is_of_effort(row: CandidateRow) -> bool:
    return row.method in ("bfb", "deferred") and any(name in row.recipe for name in EFFORT_NAMES)


def with_finds(found: SizeRow, store: Store, finds: StoredFinds) -> SizeRow:
    """The answer with the candidates that these base graphs add, which are stored as candidates.

    Everything is costed anew: what a database says of a graph is taken on trust nowhere.
    """
    from topofinder.finder.effort import Gains, pool_with_gains, source_sizes
    from topofinder.finder.enumeration import Pools

    head = found.frontier
    if head.engine != ENGINE:
        return found
    links = LinkMode(head.links)
    with StoredSizes(store) as sizes:
        offered = pool_with_gains(
            Pools(sizes.pool),
            *(head.n, head.d, links),
            Gains.of(readable_recipes(chain(finds.discovered, finds.of_efforts))),
            source_sizes(head.n, head.d, links),
        )
    own = [candidate_of(row) for row in found.pool or ()]
    kept = useful_candidates([*own, *offered])
    if finds.discovered:
        from topofinder.finder.deferrals import with_deferrals

        kept = with_deferrals(kept, links, DEFERRING_EFFORT)
    joined = size_row(head.n, head.d, links, kept, head.effort, head.graphs)
    if set(joined.pool or ()) <= set(found.pool or ()):
        return found
    if not store.read_only:
        store.save_candidates(joined.pool or ())
    return joined


def readable_recipes(texts: Iterable[str]) -> "Iterator[Recipe]":
    """The recipes among texts, in order; those of a newer topofinder may be unknown."""
    from expansions.parser import parse

    for text in sorted(texts):
        try:
            yield parse(text)
        except InvalidInput:  # of a newer topofinder
            continue
