"""Sizes up to 2000 hosts have answers near the bounds without any effort."""

from collections.abc import Iterator
from fractions import Fraction

import pytest

from expansions.parser import parse
from tools import near_bounds as tool
from tools.find_lifts import LARGEST, LiftSize, read_size
from topofinder.finder.base_candidates import evaluate_recipe
from topofinder.finder.enumeration import Pools
from topofinder.model.candidate import LinkMode

SIMPLEX, DUPLEX = LinkMode.SIMPLEX, LinkMode.DUPLEX
DEGREES = (9, 10, 11, 12, 16)
HARD = (
    *("89,9,simplex", "601,9,simplex", "1997,9,simplex", "43,11,simplex", "1327,11,simplex"),
    *("1366,7,duplex", "1614,7,duplex", "1846,7,duplex", "1994,7,duplex", "274,7,duplex"),
    *("1738,9,duplex", "1999,9,duplex", "1862,11,duplex", "163,9,simplex"),
)
"""Primes and twice primes, for which few constructions are made."""


@pytest.mark.parametrize("key", HARD)
def test_hard_sizes_are_near_the_bounds(key: str) -> None:
    size = read_size(key)
    assert tool.missed_goals(size, Pools().pool(*size)) == []


def rows() -> Iterator[tuple[int, LinkMode]]:
    """The rows, each with every link mode; seven ports are two-way."""
    yield 7, DUPLEX
    for d in DEGREES:
        for links in LinkMode:
            yield d, links


@pytest.mark.slow
@pytest.mark.parametrize(("d", "links"), list(rows()))
def test_sizes_of_a_stride_are_near_the_bounds(d: int, links: LinkMode) -> None:
    sizes = (LiftSize(n, d, links) for n in (*range(2, 301, 7), *range(301, LARGEST + 1, 23)))
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
    monkeypatch.setattr("sys.argv", ["near_bounds", "--sizes", "32,4"])
    with pytest.raises(SystemExit, match="1"):
        tool.main()
    assert capsys.readouterr().out.splitlines() == [
        "32,4,simplex; T_L 31, Moore bound 3; T_B over its bound none, in at most 12 steps",
        "1 sizes, 1 far from the bounds",
    ]
