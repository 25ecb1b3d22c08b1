"""Which tables and figures can be reproduced, by name."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory

from db.store import Store
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from reports.reproduced import ReproductionRecord
from topofinder.api.reproduce.bfb_examples import figure5, figure10, figure11, table6
from topofinder.api.reproduce.families import table8, table9
from topofinder.api.reproduce.fits import figure14
from topofinder.api.reproduce.forest_examples import forest_examples
from topofinder.api.reproduce.forest_figures import (
    forest_figure10,
    forest_figure11,
    forest_figure12,
    forest_figure14,
    forest_table3,
)
from topofinder.api.reproduce.forest_tables import forest_figure9, forest_table1, forest_table2
from topofinder.api.reproduce.frontiers import table4, table7
from topofinder.api.reproduce.large import figure7
from topofinder.api.reproduce.ratios import figure3, figure18
from topofinder.api.reproduce.small_testbed import figure6, figure12, figure13, table5
from topofinder.api.reproduce.sources import Sources
from topofinder.api.reproduce.tacos_items import TACOS_ITEMS
from topofinder.api.reproduce.tacos_scaling import tacos_figure19
from topofinder.api.reproduce.testbed import figure8
from topofinder.api.reproduce.timeline import figure16
from topofinder.api.reproduce.training import figure9
from topofinder.api.reproduce.winners import figure15
from topofinder.api.throughput_rates import Rates

REPRODUCTIONS: dict[str, Callable[[Sources], ReproductionRecord]] = {
    "table4": table4,
    "table5": table5,
    "table6": table6,
    "table7": table7,
    "table8": table8,
    "table9": table9,
    "figure3": figure3,
    "figure5": figure5,
    "figure6": figure6,
    "figure7": figure7,
    "figure8": figure8,
    "figure9": figure9,
    "figure10": figure10,
    "figure11": figure11,
    "figure12": figure12,
    "figure13": figure13,
    "figure14": figure14,
    "figure15": figure15,
    "figure16": figure16,
    "figure18": figure18,
    **TACOS_ITEMS,
    "tacos-figure19": tacos_figure19,
    "forest-examples": forest_examples,
    "forest-table1": forest_table1,
    "forest-table2": forest_table2,
    "forest-table3": forest_table3,
    "forest-figure9": forest_figure9,
    "forest-figure10": forest_figure10,
    "forest-figure11": forest_figure11,
    "forest-figure12": forest_figure12,
    "forest-figure14": forest_figure14,
}
SIZED = (
    *("table6", "figure7", "figure15", "figure18", *TACOS_ITEMS, "tacos-figure19"),
    *("forest-table3", "forest-figure14"),
)
"""Those that take sizes N."""
NOT_DRAWN = ("figure5", "figure6", "figure10", "figure11", "figure12", "figure13")
"""Figures of the direct-connect paper of which there is no plot."""


def reproduce_named(
    name: str,
    db: str | PathLike[str],
    *,
    sizes: Sequence[int] | None = None,
    gap: Fraction = Fraction(1, 100),
    time: float = 15.0,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> ReproductionRecord:
    """A table or figure, from what the database `db` holds and what is worked out anew.

    Throughputs are found to a relative `gap`, or as close as `time` seconds for all of them
    give, and stored, like frontiers; figure 19 of TACOS takes `time` too. Where Ctrl-C ended it,
    the title names what is missing. Raises InvalidInput for
    another name, and for sizes where none are taken.
    """
    found = reproduction_name(name)
    if sizes is not None and found not in SIZED:
        raise InvalidInput(f"--n: is for {', '.join(SIZED)}, not for {found}")
    with shared_database(db) as shared, Store(shared) as store:
        rates = Rates(store, gap, time, total=time, goes_on=False)
        chosen = None if sizes is None else tuple(sizes)
        sources = Sources(store=store, rates=rates, sizes=chosen, tell=progress, seconds=time)
        return sources.name_missing(REPRODUCTIONS[found](sources))


@contextmanager
def shared_database(db: str | PathLike[str]) -> Iterator[str | PathLike[str]]:
    """A database that several reproductions can open: one of a while in place of ":memory:"."""
    if str(db) != ":memory:":
        yield db
        return
    with TemporaryDirectory() as folder:
        yield Path(folder) / "t.db"


def reproduction_name(text: str) -> str:
    """The name that is meant by `table 7`, `Table7` or `fig 3`.

    >>> reproduction_name("Fig. 15"), reproduction_name("table 7"), reproduction_name("TACOS fig 2")
    ('figure15', 'table7', 'tacos-figure2')
    """
    plain = re.sub(r"[\s._-]", "", text.lower())
    name = re.sub(r"^(tacos|forest)", r"\1-", re.sub(r"fig(?=\d)", "figure", plain))
    if name not in REPRODUCTIONS:
        raise InvalidInput(f"reproduce: {excerpt(text)} is none of {', '.join(REPRODUCTIONS)}")
    return name
