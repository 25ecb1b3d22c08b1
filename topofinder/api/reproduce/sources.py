"""What a reproduction draws on: printed figures, stored candidates and throughputs."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, is_dataclass, replace
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any, TypeVar

from db.rows import CandidateRow
from db.store import Store
from expansions.parser import parse
from reports.reproduced import ComparisonRow, Interval, ReproductionRecord, interrupted_title
from topofinder.api.shared.candidate_rows import ENGINE, candidate_row
from topofinder.api.throughput_rates import Rates
from topofinder.finder.base_scope import Scope
from topofinder.finder.enumeration import Pools
from topofinder.finder.prediction import best_known
from topofinder.interrupts import is_ending_between
from topofinder.model.candidate import LinkMode, Method

ALPHA = Fraction(1, 10**5)
BANDWIDTH = Fraction(100 * 10**9, 8)
MEGABYTE = Fraction(2**20)
"""The paper's figures: 10 us a hop, 100 Gbps a host; its MB is 2**20 bytes."""

LATEST = 2000
"""The largest N of the paper's figures."""

T = TypeVar("T")


@cache
def read_published() -> dict[str, Any]:
    """The printed figures that ship with topofinder.

    >>> sorted(read_published()["table7"], key=int)
    ['32', '64', '256', '1024']
    """
    text = files("topofinder.api.reproduce").joinpath("data/published.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """The open database, throughputs of recipes, the sizes that were asked for, and progress.

    `seconds` is how long to work on what takes as long as it is given.
    """

    store: Store
    rates: Rates
    sizes: tuple[int, ...] | None = None
    tell: Callable[[int, int], None] = lambda done, total: None
    seconds: float = 15.0
    pools: Pools = field(default_factory=lambda: Pools(scope=Scope(published=True)))
    """Candidates of the paper's families at the costs of its theorems."""
    stored: set[str] = field(default_factory=set)
    """Identities of the candidates that the database was found to have."""
    missing: list[str] = field(default_factory=list)
    """Names of the items that Ctrl-C left out."""

    def each(self, items: Sequence[T]) -> Iterator[T]:
        """The items in turn; progress is told before the first and after each.

        After Ctrl-C those that are left are `missing`, but for rows, which are worked out already.
        """
        self.tell(0, len(items))
        for done, item in enumerate(items, 1):
            yield item
            self.tell(done, len(items))
            if is_ending_between() and not isinstance(item, ComparisonRow):
                self.missing.extend(map(_item_name, items[done:]))
                return

    def tell_filling(self, done: int, total: int) -> None:
        """Tell how many sizes are stored; after Ctrl-C raises KeyboardInterrupt."""
        if is_ending_between():
            raise KeyboardInterrupt
        self.tell(done, total)

    def name_missing(self, found: ReproductionRecord) -> ReproductionRecord:
        """The same with what is missing in its title."""
        names = tuple(dict.fromkeys(self.missing))
        return replace(found, title=interrupted_title(found.title, names), missing=names)

    def candidate(self, recipe: str) -> CandidateRow:
        """The schedule of a recipe with the least bandwidth: stored, or worked out now.

        Deferred schedules are left out, as published figures are by other methods.
        """
        parsed = parse(recipe)
        name = str(parsed)
        stored = self.store.candidates(
            recipe=name, links="simplex", engine=ENGINE, left_out=lambda n, reason: None
        )
        known = [row for row in stored if row.method != Method.DEFERRED]
        if not known:
            best = best_known(parsed, with_deferred=False)[-1]
            return candidate_row(best, LinkMode.SIMPLEX)
        row = min(known, key=lambda row: (row.bandwidth, row.steps))
        self.stored.add(row.id)
        return row

    def key(self, row: CandidateRow) -> str:
        """The identity of a row that the database has; nothing for one that was worked out."""
        return row.id if row.id in self.stored else ""

    def paper(self, n: int, d: int) -> list[CandidateRow]:
        """What the paper's families offer at a size, which no database keeps."""
        found = self.pools.pool(n, d, LinkMode.SIMPLEX)
        return [candidate_row(candidate, LinkMode.SIMPLEX) for candidate in found]

    def rate(self, recipe: str) -> Interval:
        """The uniform throughput of a recipe."""
        found = self.rates[str(parse(recipe))]
        return found.lower, found.upper

    def exchange(self, recipe: str, n: int, d: int) -> Interval:
        """Microseconds of an all-to-all of 1 MiB a host, at least and at most."""
        lower, upper = self.rate(recipe)
        return exchange_time(n, d, upper), exchange_time(n, d, lower)


def _item_name(item: object) -> str:
    """What an item is called: itself, or by what stands first in it.

    >>> _item_name(900), _item_name(["K(4,4)", 32, 5, 1.2])
    ('900', 'K(4,4) 32')
    """
    if is_dataclass(item):
        return str(getattr(item, fields(item)[0].name))
    if isinstance(item, Sequence) and not isinstance(item, str):
        return " ".join(str(one) for one in item[:2] if isinstance(one, str | int))
    return str(item)


def exchange_time(n: int, d: int, rate: Fraction) -> Fraction:
    """Microseconds of an all-to-all of 1 MiB a host at a throughput (appendix A.5)."""
    return 10**6 * MEGABYTE / n / (rate * BANDWIDTH / d)
