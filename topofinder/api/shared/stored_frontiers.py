"""What a database holds of sizes: used where this version can read it, else left as it is.

A file may be shared with a newer topofinder. Its answers count as answers here too, but never as
pools: what is stored under this engine's number must not depend on who else wrote to the file. A
size that cannot be read, or that a newer engine found, is named in a remark, worked out anew and
not stored: nothing of it is changed.
"""

import logging
from collections.abc import Collection, Iterable, Iterator
from types import TracebackType

from db.opening import Unavailable, unusable_file
from db.rows import SizeRow
from db.store import Store
from generators.errors import InvalidInput
from topofinder.api.shared.candidate_rows import ENGINE, candidate_of, require_readable
from topofinder.model.candidate import Candidate, LinkMode

LOGGER = logging.getLogger("topofinder.finder")

MOST_REMARKS = 10
"""How many sizes are named; of the rest the number is told."""

UNSTORED = "cannot be written; what is found is not stored"

Size = tuple[int, int, LinkMode]


class StoredSizes:
    """The sizes of one open database, for the length of a `with` block.

    >>> with Store(":memory:") as store, StoredSizes(store) as sizes:
    ...     sizes.answer(8, 2, LinkMode.SIMPLEX)
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self._kept: set[Size] = set()
        self._named: set[Size] = set()

    def __enter__(self) -> "StoredSizes":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        more = len(self._named) - MOST_REMARKS
        if more > 0 and kind is None:
            LOGGER.warning("database %r: %d more sizes like these", self.store.path, more)

    def answer(
        self, n: int, d: int, links: LinkMode, least: int | None = None, effort: int = 0
    ) -> SizeRow | None:
        """The frontier and pool that this engine or a newer one found, None where there is none.

        With `least`, engines from that one on count; with `effort`, searches with as much.
        """
        key = n, d, links
        engine = self.store.engine(n, d, links.value)
        if engine is None or engine < (ENGINE if least is None else least) or key in self._kept:
            return None
        try:
            found = self._read(key)
        except Unavailable:
            raise
        except InvalidInput as error:
            self._keep(key, error)
            return None
        if found.frontier.effort < effort:
            return None
        if engine > ENGINE:
            self._tell(key, f"is used as engine {engine} found it; this one is {ENGINE}")
        return found

    def pool(self, n: int, d: int, links: LinkMode) -> list[Candidate] | None:
        """The pool that this engine found without lifts (topofinder.finder.enumeration.Loader)."""
        key = n, d, links
        if key in self._kept:
            return None
        try:
            return read_pool(self.store, n, d, links)
        except Unavailable:
            raise
        except InvalidInput as error:
            self._keep(key, error)
            return None

    def keep(self, unreadable: Iterable[tuple[Size, str]]) -> None:
        """Leave sizes as they are which a worker could not read, for the reasons that it gave."""
        for key, reason in unreadable:
            self._keep(key, reason)

    def newer(self, links: LinkMode, wanted: Collection[tuple[int, int]]) -> set[tuple[int, int]]:
        """Those of the sizes (n, d) that a newer engine found, as far as they can be read."""
        found = sorted(self.store.newer(links.value, ENGINE).intersection(wanted))
        return {(n, d) for n, d in found if self.answer(n, d, links) is not None}

    def save(self, found: Iterable[SizeRow]) -> list[SizeRow]:
        """Store sizes; gives back those in whose place something else is kept."""
        offered = {_key(size): size for size in self.with_graphs(found)}
        fresh = [size for key, size in offered.items() if key not in self._kept]
        for size, reason in self.store.save_or_keep(fresh):
            self._keep(_key(size), reason)
        return [size for key, size in offered.items() if key in self._kept]

    def with_graphs(self, found: Iterable[SizeRow]) -> Iterator[SizeRow]:
        """The sizes with the graphs that stand there by name, which are costed anew."""
        graphs = self.store.named_graphs()
        for size in found:
            head = size.frontier
            missing = set(graphs.get((head.n, head.d, head.links), ())) - set(head.graphs)
            if missing:  # what builds graphs is not imported where a look-up needs none
                from topofinder.api.shared.merged_graphs import join_graphs

                size = join_graphs(size, missing)
            yield size

    def prepare(self) -> None:
        """Before the work: wait until answers can be stored, or tell that they will not be."""
        if self.store.read_only:
            LOGGER.warning("%s", unusable_file(self.store.path, UNSTORED))
        else:
            self.store.require_writable()

    def save_after_all(self, found: Iterable[SizeRow]) -> None:
        """Store what was found, where that is possible: the answer is told in any case."""
        if self.store.read_only:
            return
        try:
            self.save(found)
        except Unavailable as error:
            LOGGER.error("%s; the answer is not stored", error)

    def _read(self, key: Size) -> SizeRow:
        n, d, links = key
        frontier = self.store.frontier(n, d, links.value)
        if frontier is None:
            raise InvalidInput("is gone")
        found = SizeRow(frontier=frontier, pool=self.store.pool(n, d, links.value))
        written = self.store.identities(n, d, links.value)
        for row in (*frontier.members, *(found.pool or ())):
            require_readable(row, written)
        return found

    def _keep(self, key: Size, reason: object) -> None:
        """Leave a size as it is from now on."""
        self._kept.add(key)
        said = str(reason)
        for prefix in (str(unusable_file(self.store.path, "")), f"{_title(key)} "):
            said = said.removeprefix(prefix)
        self._tell(key, f"{said}; it is kept, and what is found instead is not stored")

    def _tell(self, key: Size, remark: str) -> None:
        """Tell of a size, once, and only of the first few."""
        if key in self._named:
            return
        self._named.add(key)
        if len(self._named) <= MOST_REMARKS:
            LOGGER.warning("%s", unusable_file(self.store.path, f"{_title(key)}: {remark}"))


def read_pool(store: Store, n: int, d: int, links: LinkMode) -> list[Candidate] | None:
    """The pool that this engine found without lifts; InvalidInput where it cannot be read."""
    if store.effort(n, d, links.value):
        return None
    rows = store.pool(n, d, links.value, ENGINE)
    return None if rows is None else [candidate_of(row) for row in rows]


def _key(size: SizeRow) -> Size:
    return size.frontier.n, size.frontier.d, LinkMode(size.frontier.links)


def _title(key: Size) -> str:
    n, d, links = key
    return f"n {n}, d {d}, {links}"
