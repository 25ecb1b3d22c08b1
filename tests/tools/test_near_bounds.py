"""All sizes up to 2000 hosts have answers near the bounds, by what ships."""

from fractions import Fraction

import pytest

from expansions.parser import parse
from tools import near_bounds as tool
from tools.find_lifts import LARGEST, LiftSize, read_size
from topofinder.finder.base_candidates import evaluate_recipe
from topofinder.model.candidate import LinkMode

SIMPLEX = LinkMode.SIMPLEX
DEGREES = (*range(2, 13), 16)
ROWS = [(d, links) for d in DEGREES for links in LinkMode]
HARD = (
    *("491,2,simplex", "892,2,simplex", "1385,2,simplex", "1327,11,simplex", "43,11,simplex"),
    *("89,9,simplex", "163,9,simplex", "601,9,simplex", "1997,9,simplex", "274,7,duplex"),
    *("1366,7,duplex", "1614,7,duplex", "1846,7,duplex", "1994,7,duplex"),
    *("1738,9,duplex", "1999,9,duplex", "1862,11,duplex"),
)
"""The last to be near: mostly primes and twice primes, for which few constructions are made."""


@pytest.mark.parametrize("key", HARD)
def test_hard_sizes_are_near_the_bounds(key: str) -> None:
    assert list(tool.far_sizes([read_size(key)])) == [(read_size(key), [])]


@pytest.mark.slow
@pytest.mark.parametrize(("d", "links"), ROWS)
def test_all_sizes_are_near_the_bounds(d: int, links: LinkMode) -> None:
    sizes = (LiftSize(n, d, links) for n in range(tool.LEAST, LARGEST + 1))
    assert [(size.key, missed) for size, missed in tool.far_sizes(sizes) if missed] == []


@pytest.mark.parametrize(("d", "links"), ROWS)
def test_some_sizes_of_every_row_are_near_the_bounds(d: int, links: LinkMode) -> None:
    sizes = (LiftSize(n, d, links) for n in range(d, LARGEST + 1, 197))
    assert [(size.key, missed) for size, missed in tool.far_sizes(sizes) if missed] == []


def test_what_is_far_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    size = LiftSize(32, 4, SIMPLEX)
    ring, kautz = (evaluate_recipe(parse(text)) for text in ("UniRing(4,32)", "Pi(4,32)"))
    assert tool.missed_goals(size, [ring]) == [
        "T_L 31, Moore bound 3",
        "T_B over its bound none, in at most 12 steps",
    ]
    told = float(kautz.allgather.bandwidth / Fraction(31, 32))
    assert told > tool.NEAR
    assert tool.missed_goals(size, [kautz]) == [
        f"T_B over its bound {told:.3f}, in at most 12 steps"
    ]
    monkeypatch.setattr(tool.Pools, "pool", lambda *_: [ring])
    monkeypatch.setattr(tool, "pool_with_effort", lambda *_: [ring])
    monkeypatch.setattr("sys.argv", ["near_bounds", "--sizes", "32,4"])
    with pytest.raises(SystemExit, match="1"):
        tool.main()
    assert capsys.readouterr().out.splitlines() == [
        "32,4,simplex; T_L 31, Moore bound 3; T_B over its bound none, in at most 12 steps",
        "1 sizes, 1 far from the bounds",
    ]
