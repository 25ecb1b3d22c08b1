"""What the text of a plan says of its moves."""

from dataclasses import replace
from fractions import Fraction

import pytest

from reports.plan import PlanSummary, plan_text

PLAN = PlanSummary(
    target="K(3)",
    recipe="K(3)",
    n=3,
    d=2,
    mode="duplex",
    moves=7,
    lower_bound=2,
    bound="walks",
    kept=1,
    disconnects=0,
    missing=0,
    missing_proved=True,
    placement_missing=0,
    placement_moves=7,
    stages=7,
    dark_stages=(),
    connected=True,
    working=3,
    groups=1,
    joining=(),
    leaving=(),
    parts=1,
    keep_connected=False,
    estimated=Fraction(840),
    rollback=Fraction(),
    found="percolation",
    seed=0,
    seconds=0.0,
    file=None,
    files=(),
    content="",
    panels=(("P", 4, 0), ("Q", 3, 0)),
)


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        ({}, "7 moves; every plan has at least 2 (walks); minimal for its placement; placed by"),
        (
            {"placement_moves": 5},
            "7 moves; every plan has at least 2 (walks), with this placement at least 5; placed by",
        ),
        ({"lower_bound": 7}, "7 moves; no plan has fewer (walks); placed by"),
        (
            {"missing": 2, "missing_proved": False, "placement_missing": 2},
            "of the target; fewer may be possible with another placement; see",
        ),
        (
            {"missing": 2, "missing_proved": False, "placement_missing": 1},
            "of the target; fewer may be possible, with this placement 1 at best; see",
        ),
        ({"missing": 2, "placement_missing": 2}, "of the target; no plan leaves out fewer; see"),
    ],
)
def test_the_text_says_what_is_proved_of_the_moves(changes: dict[str, int], line: str) -> None:
    assert line in plan_text(replace(PLAN, **changes))
