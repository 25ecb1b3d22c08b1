from dataclasses import replace
from fractions import Fraction

import pytest

from db.plan_rows import MoveRow, PlanRow
from db.store import Store
from generators.errors import InvalidInput

MOVES = (
    MoveRow(
        move=1, stage=1, panel="A", action="disconnect", mode="duplex", port_a="a:0", port_b="b:0"
    ),
    MoveRow(
        move=2, stage=1, panel="A", action="connect", mode="simplex", port_a="a:0", port_b="c:1"
    ),
)
ROW = PlanRow(
    content="0" * 64,
    before="1" * 64,
    after="2" * 64,
    topology="3" * 64,
    path="/plans/a.json",
    target="K(4)",
    recipe="K(4)",
    mode="duplex",
    n=4,
    d=3,
    moves=1,
    lower_bound=1,
    bound="walks",
    kept=5,
    disconnects=1,
    missing=0,
    stages=1,
    dark_stages=0,
    estimated=Fraction(241, 2),
    found="annealing",
    seed=3,
    keep_connected=True,
    seconds=0.25,
    listed=MOVES,
)


def test_what_is_saved_is_read_back() -> None:
    other = replace(ROW, content="4" * 64, recipe=None, before="5" * 64, moves=0, listed=())
    with Store(":memory:") as store:
        for row in (ROW, other, ROW):
            store.save_plan(row)
        assert store.plans() == [other, ROW]
        assert store.plans(recipe="K(4)") == [ROW]
        assert store.plans(before="5" * 64) == [other]
        assert store.plans()[0].created is not None
        assert store.connection.execute("SELECT count(*) FROM plan_moves").fetchone() == (2,)


def test_the_same_plan_replaces_itself() -> None:
    with Store(":memory:") as store:
        store.save_plan(ROW)
        store.save_plan(replace(ROW, listed=MOVES[:1], path="/plans/b.json"))
        (found,) = store.plans()
    assert found.listed == MOVES[:1]
    assert found.path == "/plans/b.json"


@pytest.mark.parametrize(
    ("field", "value", "line"),
    [
        ("content", "A" * 64, "content must be 64 hexadecimal digits"),
        ("mode", "triplex", "mode must be duplex or simplex"),
        ("moves", -1, "moves must be from 0"),
        ("estimated", 0.5, "estimated must be a Fraction"),
        ("seconds", float("nan"), "seconds must be a time"),
        ("target", None, "target must be text"),
        ("keep_connected", 2, "keep_connected must be true or false"),
    ],
)
def test_nonsense_is_refused(field: str, value: object, line: str) -> None:
    with pytest.raises(InvalidInput, match=line):
        replace(ROW, **{field: value})


def test_a_move_is_a_disconnect_or_a_connect() -> None:
    with pytest.raises(InvalidInput, match="a move is no 'duplex' 'swap'"):
        replace(MOVES[0], action="swap")
