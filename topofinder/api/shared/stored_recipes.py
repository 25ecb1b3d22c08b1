"""A candidate of the database named by its identity: `#12ab34cd` in the place of a recipe.

Tables print the first digits of identities, and recipes that are long cut, with these digits behind
them (`reports.text.cut_recipe`).
"""

import os
from pathlib import Path
from typing import TypeVar

from db.selection import Selection
from db.store import Store
from generators.errors import InvalidInput
from generators.excerpts import excerpt

SIGN = "#"
SHOWN = 3
"""How many recipes an ambiguous identity is told with."""

T = TypeVar("T")


def whole_recipe(subject: T, db: str | os.PathLike[str] | None) -> T | str:
    """The recipe of a candidate in `db` where the subject is `#` and how its identity begins.

    Any other subject is given back. Raises InvalidInput for a database that is missing, for digits
    that no identity begins with, and for those of several recipes.

    >>> whole_recipe("K(4)", None)
    'K(4)'
    """
    if not isinstance(subject, str) or not subject.startswith(SIGN):
        return subject
    if db is None:
        raise InvalidInput(f"{excerpt(subject)}: a database is needed to look it up")
    digits = subject.removeprefix(SIGN).rstrip(".…").lower()
    chosen = Selection(id=digits)
    with Store(Path(db), create=False) as store:
        found = sorted({row.recipe for row in store.matches(chosen)})
    if not found:
        raise InvalidInput(f"{excerpt(subject)}: no candidate in {db} has an id that begins so")
    if len(found) > 1:
        some = ", ".join(excerpt(recipe) for recipe in found[:SHOWN])
        more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        raise InvalidInput(f"{excerpt(subject)}: ids of {some}{more} begin so; give more digits")
    return found[0]
