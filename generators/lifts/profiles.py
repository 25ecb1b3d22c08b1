"""What breadth-first broadcast costs step by step on the annealed lifts that ship.

It stands in generators/data/lift_profiles.txt, a line each (`generators.cost_profile`), named by
the lift's digest. `python -m tools.profile_lifts` writes the file.
"""

from functools import cache

from generators.cost_profile import CostProfile, read_profile, text_digest
from generators.lifts.annealed import is_annealed_lift
from generators.sized_lines import data_text

FILE = "lift_profiles.txt"


def profile_digest(group: str, rows: str) -> str:
    """What names a lift in the file.

    >>> profile_digest("Z5", "0:1,1:0|1:2")
    '05223ab1'
    """
    return text_digest(f"{group} {rows}")


def lift_profile(group: str, rows: str) -> CostProfile | None:
    """The profile of the lift of that canonical text, None if it does not ship.

    >>> lift_profile("Z5", "0:1,1:0|1:2") is None
    True
    """
    if not is_annealed_lift(group, rows):
        return None
    line = _lines().get(profile_digest(group, rows))
    return None if line is None else read_profile(line)


@cache
def _lines() -> dict[str, str]:
    return {line[:8]: line for line in data_text(FILE).splitlines()}
