"""What a command will write to, looked at before its work starts: nothing is made or changed."""

import logging
from pathlib import Path

from db.opening import unusable_file
from db.store import is_ready
from generators.files import require_place

LOGGER = logging.getLogger("topofinder.cli")

UNSTORED = "cannot be written; what is found is not stored"


def check_places(db: Path | None, *outputs: Path | None) -> None:
    """Refuse files that could not be written in the end; tell of a database that only can be read.

    A database that another process writes to is waited for. Raises InvalidInput in one line.
    """
    for output in outputs:
        if output is not None:
            require_place(output)
    if db is not None and not is_ready(db):
        LOGGER.warning("%s", unusable_file(str(db), UNSTORED))
