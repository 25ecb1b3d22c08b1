"""One leg of a search: one group, some targets, so many trials; always the same answer."""

from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

import numpy as np

from expansions.cost import Cost
from generators.cayley import parse_group
from generators.topology import Int64Array
from topofinder.discovery.climbing import climb
from topofinder.discovery.evaluation_kernels import excesses
from topofinder.discovery.exhausting import exhaust
from topofinder.discovery.find import Find
from topofinder.discovery.generator_lists import Layout, layouts
from topofinder.discovery.goal import Aim
from topofinder.discovery.multiplication_table import Columns, columns_of, inverses_of
from topofinder.model.candidate import LinkMode

STALL = 800
"""Trials without gain before a climb starts anew."""

UNKNOWN = 1 << 60
"""Above every sum of excesses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leg:
    """Climb to each of `targets` (largest numbers of steps) with `trials` trials; or, with no
    trials, judge every list of the group with at most targets[-1] steps.
    """

    aim: Aim
    group: str
    targets: tuple[int, ...]
    trials: int
    seed: int
    turn: int

    @property
    def place(self) -> str:
        """What tells the leg from others of its search: the round, or all, and the group."""
        return f"{self.turn if self.trials else 'all'} {self.group}"

    def run(self) -> tuple[int, list[Find]]:
        """How many lists were judged, and the best found at each number of steps."""
        columns, inverse = _table(self.group)
        found: dict[int, Find] = {}
        judged = 0
        for target in self.targets if self.trials else self.targets[-1:]:
            best = np.full(target + 1, UNKNOWN, np.int64)
            chosen = np.zeros((target + 1, self.aim.d), np.int64)
            for layout in layouts(inverse, self.aim.d, self.aim.links):
                judge = self._climb if self.trials else self._exhaust
                judged += judge(columns, inverse, layout, best, chosen)
            for steps in np.flatnonzero(best < UNKNOWN):
                find = self._find(columns, inverse, chosen[steps], judged)
                known = found.get(int(steps))
                if known is None or find.worth(self.aim.both) < known.worth(self.aim.both):
                    found[int(steps)] = find
        return judged, list(found.values())

    def _climb(
        self,
        columns: Columns,
        inverse: Int64Array,
        layout: Layout,
        best: Int64Array,
        chosen: Int64Array,
    ) -> int:
        aim = self.aim
        state = np.array([self._state(layout.pairs, len(best))], np.uint64)
        judged: int = climb(
            columns, inverse, layout, aim.two_searches, aim.unit, aim.scale,
            self.trials, STALL, state, best, chosen,
        )  # fmt: skip
        return judged

    def _exhaust(
        self,
        columns: Columns,
        inverse: Int64Array,
        layout: Layout,
        best: Int64Array,
        chosen: Int64Array,
    ) -> int:
        aim, judged = self.aim, 0
        for first in range(len(layout.paired if layout.pairs else layout.singles)):
            judged += exhaust(
                columns, inverse, layout, aim.two_searches, first, aim.scale, best, chosen
            )
        return judged

    def _state(self, *place: int) -> int:
        """The random state at the start of a climb, from all that tells it from others."""
        aim = self.aim
        told = (self.seed, aim.n, aim.d, aim.links.value, aim.both, self.group, self.turn, *place)
        return int.from_bytes(blake2b(repr(told).encode(), digest_size=8).digest(), "little")

    def _find(
        self,
        columns: Columns,
        inverse: Int64Array,
        picks: Int64Array,
        trials: int,
    ) -> Find:
        forth, back = (
            Cost(steps, self.aim.bandwidth(excess))
            for excess, steps in (
                excesses(columns, own, self.aim.scale) for own in (picks, inverse[picks])
            )
        )
        generators = tuple(sorted(picks.tolist()))
        return Find(
            group=self.group,
            generators=generators,
            forth=forth,
            back=back,
            seed=self.seed,
            trials=trials,
        )


@lru_cache(maxsize=4)
def _table(text: str) -> tuple[Columns, Int64Array]:
    columns = columns_of(parse_group(text))
    return columns, inverses_of(columns)


def number_of_lists(group: str, d: int, links: LinkMode) -> int:
    """How many generator lists of d elements a group has, order apart."""
    inverse = parse_group(group).inverses.astype(np.int64)
    return sum(layout.count(d) for layout in layouts(inverse, d, links))
