"""What discoveries start from: the catalogue, what `search` has stored, and what it would find."""

from collections.abc import Iterator, Sequence
from fractions import Fraction

from db.discovery_rows import FindRow
from db.rows import CandidateRow
from db.store import Store
from expansions.parser import parse
from expansions.recipe import Base
from generators.cayley.catalogue import ShippedDigraph, shipped_digraphs
from generators.errors import InvalidInput
from topofinder.api.discover_records import better_rows
from topofinder.api.shared.candidate_rows import ENGINE, candidate_of, candidate_row
from topofinder.api.shared.frontiers import can_connect
from topofinder.api.shared.stored_finds import readable_recipes
from topofinder.api.shared.stored_frontiers import StoredSizes
from topofinder.discovery.goal import SearchGoal
from topofinder.finder.effort import Gains, pool_with_gains, source_sizes
from topofinder.finder.enumeration import Pools, PoolSize
from topofinder.model.candidate import Candidate, LinkMode, Method


class PlainGraphs:
    """What a search without an effort has at any size, or with one if a database tells so.

    Graphs count with their own breadth-first broadcast, or what a theorem gives exactly.

    >>> with Store(":memory:") as store:
    ...     [row.steps for row in PlainGraphs(store).rows(16, 4, LinkMode.SIMPLEX)][:2]
    [2, 3]
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._pools = Pools(StoredSizes(store).pool)
        self._rows = dict[PoolSize, list[FindRow]]()
        self._candidates = dict[PoolSize, list[Candidate]]()

    @property
    def pools(self) -> Pools:
        """The pools that they come from."""
        return self._pools

    def rows(self, n: int, d: int, links: LinkMode) -> list[FindRow]:
        """The graphs at a size, as finds of no search; none where none can be connected."""
        key = n, d, links
        if key not in self._rows:
            found = [plain_row(one, links) for one in self.candidates(*key) if _is_plain(one)]
            self._rows[key] = better_rows(found)
        return self._rows[key]

    def candidates(self, n: int, d: int, links: LinkMode) -> list[Candidate]:
        """The candidates that a search keeps, and those that one with an effort has stored."""
        key = n, d, links
        if key not in self._candidates:
            found = list(self._pools.pool(*key)) if can_connect(*key) else []
            found += map(candidate_of, _readable_rows(self._store, key))
            self._candidates[key] = list(dict.fromkeys(found))
        return self._candidates[key]


def _readable_rows(store: Store, key: PoolSize) -> Iterator[CandidateRow]:
    n, d, links = key
    for row in store.pool(n, d, links.value) or ():
        if row.engine <= ENGINE:
            yield row


def _is_plain(one: Candidate) -> bool:
    same = one.allgather.steps == one.reduce_scatter.steps
    return one.exact and same and one.method is not Method.DEFERRED


def plain_row(one: Candidate, links: LinkMode) -> FindRow:
    """The row of a candidate, as if it were found by a search of no trials."""
    return FindRow(
        recipe=str(one.recipe),
        base=str(one.recipe),
        links=links.value,
        n=one.n,
        d=one.d,
        steps=one.allgather.steps,
        bandwidth=one.allgather.bandwidth,
        rs_bandwidth=one.reduce_scatter.bandwidth,
        seed=0,
        trials=0,
    )


def known_rows(goal: SearchGoal, store: Store, group: str | None = None) -> list[FindRow]:
    """Cayley digraphs of the size that are known before the search, of one group or of all.

    The costs are those of the catalogue and of the stored pool: tests prove the one, the evaluation
    made the other.

    >>> with Store(":memory:") as store:
    ...     [(row.recipe, row.steps) for row in known_rows(SearchGoal(n=17, d=2), store)]
    [('Cay(Z17;1,3)', 6)]
    """
    found = {row.recipe: row for row in (*stored_rows(goal, store), *_shipped_rows(goal))}
    return [row for row in found.values() if group is None or _group_of(row) == group]


def _shipped_rows(goal: SearchGoal) -> Iterator[FindRow]:
    for one in shipped_digraphs(goal.n, goal.d):
        if one.two_way or goal.links is LinkMode.SIMPLEX:
            recipe = f"Cay({one.group};{','.join(map(str, one.generators))})"
            yield FindRow(
                recipe=recipe,
                base=recipe,
                links=goal.links.value,
                n=one.n,
                d=one.d,
                steps=len(one.forth),
                bandwidth=_bandwidth(one, one.forth),
                rs_bandwidth=_bandwidth(one, one.back),
                seed=one.seed,
                trials=one.trials,
            )


def _bandwidth(one: ShippedDigraph, loads: tuple[int, ...]) -> Fraction:
    return Fraction(one.d * sum(loads), one.n * one.unit)


def stored_rows(goal: SearchGoal, store: Store) -> Iterator[FindRow]:
    """Members of the pool that a search has stored which are Cayley digraphs, costed exactly."""
    links = goal.links.value
    for row in store.pool(goal.n, goal.d, links) or ():
        if (
            row.exact
            and row.method == "bfb"
            and row.steps == row.rs_steps
            and _is_cayley(row.recipe)
        ):
            yield FindRow(
                recipe=row.recipe,
                base=row.recipe,
                links=links,
                n=goal.n,
                d=goal.d,
                steps=row.steps,
                bandwidth=row.bandwidth,
                rs_bandwidth=row.rs_bandwidth,
                seed=0,
                trials=0,
            )


def _is_cayley(text: str) -> bool:
    try:
        recipe = parse(text)
    except InvalidInput:  # of a newer topofinder
        return False
    return isinstance(recipe, Base) and recipe.name == "Cay"


def _group_of(row: FindRow) -> str:
    return row.recipe.removeprefix("Cay(").split(";")[0]


def save_shown(
    store: Store, plain: PlainGraphs, goal: SearchGoal, rows: Sequence[FindRow]
) -> dict[str, str]:
    """Store the graphs that are told as candidates, so that `#id` names them; the ids by recipe.

    They are stored as a search stores them which has the finds.
    """
    size = goal.n, goal.d, goal.links
    bases = Gains.of(readable_recipes({row.base for row in rows if row.trials}))
    offered = pool_with_gains(plain.pools, *size, bases, source_sizes(*size))
    known = {
        (str(one.recipe), one.allgather): one
        for one in [*offered, *plain.candidates(*size)]
        if _is_plain(one)
    }
    shown = [known[place] for row in rows if (place := (row.recipe, row.allgather)) in known]
    found = [candidate_row(one, goal.links) for one in shown]
    store.save_candidates(found)
    return {row.recipe: row.id for row in found}
