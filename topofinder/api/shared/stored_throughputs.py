"""All-to-all throughputs of candidates: taken from the database, or found and stored there."""

import logging
from collections.abc import Iterable
from sqlite3 import Row

from db.opening import ReplacementRefused, unusable_file
from db.store import Store
from db.throughput_rows import ThroughputRow

LOGGER = logging.getLogger("topofinder.api.shared.stored_throughputs")

UNIFORM = "uniform"


def stored_rates(
    store: Store, recipes: Iterable[str], demand: str = UNIFORM
) -> dict[str, ThroughputRow]:
    """The intervals that are stored for recipes, by recipe; those without one are left out.

    >>> with Store(":memory:") as store:
    ...     stored_rates(store, ["K(4)"])
    {}
    """
    wanted = set(recipes)

    def left_out(record: Row, reason: str) -> None:
        if record["recipe"] in wanted:
            LOGGER.warning(
                "%s", unusable_file(store.path, f"{record['recipe']!s:.60}: {reason}; it is kept")
            )

    rows = store.throughputs(demand=demand, left_out=left_out)
    return {row.recipe: row for row in rows if row.recipe in wanted}


def keep_rate(store: Store, row: ThroughputRow) -> None:
    """Store an interval where that is possible; what cannot be read is kept in its place, and told.

    Raises InvalidInput for an interval that contradicts what is stored.
    """
    if store.read_only:
        return
    try:
        store.save_throughput(row)
    except ReplacementRefused as error:
        LOGGER.warning("%s; it is kept, and what is found instead is not stored", error)
