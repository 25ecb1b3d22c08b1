"""What a command writes to: looked at before its work starts, and answers stored after it."""

import logging
from collections.abc import Callable
from os import PathLike
from pathlib import Path

from db.opening import unusable_file
from db.store import Store, is_ready
from generators.errors import TopofinderError
from generators.files import require_place

LOGGER = logging.getLogger("topofinder.cli")

UNSTORED = "cannot be written; what is found is not stored"


def check_places(db: str | PathLike[str] | None, *outputs: Path | None) -> None:
    """Refuse files that could not be written in the end; tell of a database that only can be read.

    A database that another process writes to is waited for. Raises InvalidInput in one line.
    """
    for output in outputs:
        if output is not None:
            require_place(output)
    if db is not None and not is_ready(Path(db)):
        LOGGER.warning("%s", unusable_file(str(db), UNSTORED))


def store_after_all(db: str | PathLike[str] | None, keep: Callable[[Store], None]) -> None:
    """Let `keep` store an answer, where there is a database that can be written to.

    The answer is told in any case: what is in the way of storing it is logged as an error.
    """
    if db is None:
        return
    try:
        with Store(db) as store:
            if not store.read_only:
                keep(store)
    except TopofinderError as error:
        LOGGER.error("%s", error)
