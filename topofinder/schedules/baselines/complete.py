"""The direct allgather on a complete graph: every node sends its shard to every other at once."""

from collections.abc import Iterator
from typing import cast

import numpy as np

from expansions.cost import Cost
from expansions.lower_bounds import least_bandwidth
from expansions.recipe import Base
from expansions.schedule import Schedule
from generators.errors import InvalidInput
from topofinder.schedules.baselines.register import Baseline, register_baseline, require_family
from topofinder.schedules.baselines.rows import circulation, schedule_of_rows


def direct_allgather(base: Base) -> Schedule:
    """On K(m): one step, one row an arc.

    >>> direct_allgather(Base("K", (4,))).rows
    12
    """
    m = cast(int, base.arguments[0])
    jumps, once = np.arange(1, m).tolist(), range(1, 2)
    return schedule_of_rows([circulation(m, jumps, port, once, (0, 1)) for port in range(m - 1)], 1)


def direct_cost(base: Base) -> Cost:
    """One step, T_B*.

    >>> direct_cost(Base("K", (4,)))
    Cost(steps=1, bandwidth=Fraction(3, 4))
    """
    return Cost(1, least_bandwidth(cast(int, base.arguments[0])))


def _check(base: Base) -> None:
    require_family("direct", base, "K")
    if len(base.arguments) != 1:
        raise InvalidInput(f"direct: runs on the complete graph K(m), not on {base}")


def _wirings(n: int, d: int) -> Iterator[Base]:
    if n >= 2 and d == n - 1:
        yield Base("K", (n,))


register_baseline(
    Baseline(
        name="direct",
        title="complete graph, every shard straight to every node",
        source="Zhao et al., table 9",
        wirings=_wirings,
        check=_check,
        cost=direct_cost,
        allgather=direct_allgather,
    )
)
