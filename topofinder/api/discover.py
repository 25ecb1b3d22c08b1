"""`topofinder discover` without its printing: a search that is stored as it goes, and resumed."""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import count, islice
from os import PathLike
from time import monotonic

from db.discovery_rows import FindRow, LegRow
from db.store import Store
from generators.errors import InvalidInput
from generators.formats.quantities import shown
from topofinder.api.discover_records import best_rows, find_of, find_row, line_row
from topofinder.discovery.find import Find
from topofinder.discovery.goal import Aim
from topofinder.discovery.hunt import Hunt
from topofinder.discovery.leg import Leg
from topofinder.discovery.proof import prove
from topofinder.model.candidate import LinkMode

LOGGER = logging.getLogger("topofinder.discovery")

BLOCK = 8
"""Legs that are chosen together, from what is known then, and stored together."""

Tell = Callable[["Progress"], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a search has come: lists judged, here and before, and the best that was found."""

    judged: int
    before: int
    group: str
    best: tuple[FindRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """When a search ends: after so many seconds or judged lists, or when nothing is left."""

    seconds: float | None = None
    trials: int | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None and self.seconds <= 0:
            raise InvalidInput(f"time: more than 0 is needed, not {self.seconds:g} s")
        if self.trials is not None and self.trials < 1:
            raise InvalidInput(f"trials: 1 or more are needed, not {self.trials}")


@dataclass(kw_only=True)
class Session:
    """One search at one size: its own order, and that of base graphs whose line graphs fit."""

    aim: Aim
    seed: int
    limits: Limits
    jobs: int = 1
    group: str | None = None
    tell: Tell = lambda progress: None
    judged: int = 0
    before: int = 0
    rows: list[FindRow] = field(default_factory=list)

    def run(self, db: str | PathLike[str] | None = None) -> None:
        """Search until a limit is met. `rows` are then the best finds of the size."""
        with ExitStack() as stack:
            store = stack.enter_context(Store(db if db is not None else ":memory:"))
            store.require_writable()
            started = monotonic()
            for hunt, legs in self._blocks(self._hunts(store)):
                self._take(store, hunt, legs)
                if self._over(monotonic() - started):
                    break

    def _hunts(self, store: Store) -> list[tuple[Hunt, set[str]]]:
        """A hunt for each size to search, with what is stored of it, and its finished legs."""
        found = []
        self._note(store.finds(n=self.aim.n, d=self.aim.d, links=self.aim.links.value))
        for aim in self._aims():
            known = store.finds(n=aim.n, d=aim.d, links=aim.links.value)
            done = store.legs(aim.n, aim.d, aim.links.value, aim.both, self.seed)
            self.before += sum(done.values())
            finds = list(_readable(known))
            hunt = Hunt(aim, self.seed, finds, group=self.group)
            if aim.n != self.aim.n:
                self._keep(store, aim, hunt.finds)
            hunt.forget(place.removeprefix("all ") for place in done if place.startswith("all "))
            found.append((hunt, set(done)))
        self.tell(self._progress(""))
        return found

    def _aims(self) -> Iterator[Aim]:
        yield self.aim
        n, d = self.aim.n, self.aim.d
        if self.group is None and self.aim.links is LinkMode.SIMPLEX and n % d == 0 and n // d > d:
            yield Aim(n=n // d, d=d, both=self.aim.both)

    def _blocks(self, hunts: list[tuple[Hunt, set[str]]]) -> Iterator[tuple[Hunt, list[Leg]]]:
        """Blocks of legs that are not done, of each hunt in turn, until no group is left."""
        for turn in count():
            open_rounds = [(hunt, _left(hunt, turn, done)) for hunt, done in hunts]
            busy = any(hunt.open for hunt, _ in hunts)
            while open_rounds:
                for one in list(open_rounds):
                    block = list(islice(one[1], BLOCK))
                    if block:
                        yield one[0], block
                    else:
                        open_rounds.remove(one)
            if not busy:
                return

    def _take(self, store: Store, hunt: Hunt, legs: list[Leg]) -> None:
        """Run a block, prove what is better than before, and store it with the legs."""
        fresh: list[Find] = []
        done: list[LegRow] = []
        for leg, (judged, finds) in zip(legs, self._run(legs), strict=True):
            self.judged += judged
            better = hunt.take(leg, finds)
            fresh += [find for find in better if find.group == leg.group]
            done.append(_leg_row(leg, judged))
        self._keep(store, hunt.aim, [find for find in fresh if find in hunt.finds], done)
        self.tell(self._progress(legs[-1].group))

    def _keep(
        self, store: Store, aim: Aim, finds: Iterable[Find], legs: Iterable[LegRow] = ()
    ) -> None:
        """Prove finds, and line graphs that have the size that is asked for, and store them."""
        rows = [find_row(aim, find) for find in finds]
        if aim.n != self.aim.n:
            rows += [line_row(aim, find) for find in finds]
        for row in rows:
            prove(row.recipe, row.allgather, row.reduce_scatter)
        store.save_finds(rows, legs)
        self._note(rows)

    def _run(self, legs: list[Leg]) -> Iterable[tuple[int, list[Find]]]:
        if self.jobs == 1:
            return map(Leg.run, legs)
        from joblib import Parallel, delayed

        parallel = Parallel(n_jobs=self.jobs, prefer="threads")
        found: list[tuple[int, list[Find]]] = parallel(delayed(leg.run)() for leg in legs)
        return found

    def _note(self, rows: Iterable[FindRow]) -> None:
        own = [row for row in rows if row.n == self.aim.n]
        self.rows = best_rows([*self.rows, *own], self.aim.both)

    def _progress(self, group: str) -> Progress:
        return Progress(judged=self.judged, before=self.before, group=group, best=tuple(self.rows))

    def _over(self, seconds: float) -> bool:
        limits = self.limits
        late = limits.seconds is not None and seconds >= limits.seconds
        return late or (limits.trials is not None and self.judged >= limits.trials)


def _readable(rows: Iterable[FindRow]) -> Iterator[Find]:
    """The finds among rows that are no line graphs; those of a newer topofinder may be unknown."""
    for row in rows:
        if row.recipe == row.base:
            try:
                yield find_of(row)
            except InvalidInput:
                LOGGER.warning("finds: %s is not known here; it is kept", shown(row.recipe))


def _left(hunt: Hunt, turn: int, done: set[str]) -> Iterator[Leg]:
    """The legs of a round that no earlier run has done."""
    return (leg for leg in hunt.legs(turn) if leg.place not in done)


def _leg_row(leg: Leg, judged: int) -> LegRow:
    aim = leg.aim
    return LegRow(
        n=aim.n,
        d=aim.d,
        links=aim.links.value,
        both=aim.both,
        seed=leg.seed,
        place=leg.place,
        judged=judged,
    )
