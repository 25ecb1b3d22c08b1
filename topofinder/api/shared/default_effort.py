"""The effort of a search that names none: one second, or what the environment says.

The variable is read here alone. It serves who wants the same quick answers in many commands.
"""

import os

from generators.errors import InvalidInput
from generators.excerpts import excerpt

VARIABLE = "TOPOFINDER_EFFORT"
DEFAULT_EFFORT = 1
MOST_EFFORT = 3600
"""Seconds to look for lifts and grafts, about."""


def effort_or_default(effort: int | None) -> int:
    """The effort, checked; that of the environment where it is None, and 1 where that is silent.

    >>> effort_or_default(2)
    2
    """
    if effort is not None:
        return check_effort(effort)
    text = os.environ.get(VARIABLE) or str(DEFAULT_EFFORT)
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(MOST_EFFORT))):
        raise InvalidInput(f"{VARIABLE}: 0 to {MOST_EFFORT}, not {excerpt(text)}")
    return check_effort(int(text), VARIABLE)


def is_effort_named(effort: int | None) -> bool:
    """Whether an effort is given, by who calls or by the environment.

    >>> is_effort_named(1)
    True
    """
    return effort is not None or bool(os.environ.get(VARIABLE))


def check_effort(effort: int, name: str = "effort") -> int:
    """Refuse an effort that is none.

    >>> check_effort(2)
    2
    """
    if not 0 <= effort <= MOST_EFFORT:
        raise InvalidInput(f"{name}: 0 to {MOST_EFFORT}, not {excerpt(effort)}")
    return effort
