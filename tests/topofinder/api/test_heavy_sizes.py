"""What tells, without a search, that it leaves nothing out: against the register and searches."""

from random import Random

import pytest

from expansions.recipe import Base
from generators.families.register_all import FAMILIES
from tests.command import ran_alone
from topofinder.api.search import is_word_count, may_leave_out
from topofinder.api.shared.left_out import left_out
from topofinder.finder.base_candidates import too_large
from topofinder.finder.base_scope import EVERYTHING
from topofinder.model.candidate import LinkMode

POWERS = [
    base**power * times
    for base in range(2, 12)
    for power in range(3, 30)
    for times in (1, 2, 3, base + 1)
]


def test_only_words_are_too_large_to_evaluate() -> None:
    draw, seen = Random(5), set[str]()
    sizes = draw.sample([n for n in POWERS if 1 << 13 < n <= 10**9], 120)
    sizes += [draw.randrange(1 << 14, 10**8) for _ in range(60)]
    for n in sizes:
        for d in (*range(1, 13), draw.randrange(13, 64)):
            if EVERYTHING.is_light(n, d):
                continue
            for name, family in FAMILIES.items():
                for arguments in family.members(n, d):
                    if too_large(Base(name, arguments)):
                        assert is_word_count(n, d), (name, arguments)
                        seen.add(name)
    assert seen == {"DBJ", "Kautz"}


@pytest.mark.parametrize("links", LinkMode)
def test_where_none_may_be_left_out_none_is(links: LinkMode) -> None:
    draw = Random(6)
    sizes = [(10**6, 4), (10**5, 8), (1 << 17, 2), (3 << 16, 4), (2 * 5**8 - 1, 5), (3**11, 3)]
    sizes += [(draw.randrange(1 << 16, 1 << 21), draw.randrange(1, 10)) for _ in range(60)]
    sizes += [
        (n + draw.choice((-1, 0)), draw.randrange(1, 10))
        for n in draw.sample(POWERS, 300)
        if 1 << 16 < n < 1 << 26
    ]
    told = {size: may_leave_out(*size) for size in sizes}
    assert {*told.values()} == {False, True}
    for (n, d), may in told.items():
        assert may or not left_out(n, d, links), (n, d)


LOOK_UP = """
import sys
import topofinder as tf
from topofinder.api.search import _left_out
from topofinder.model.candidate import LinkMode
print(_left_out(10**6, 4, LinkMode.SIMPLEX).recipes, "numpy" in sys.modules)
"""


def test_a_look_up_of_a_million_hosts_does_without_numpy() -> None:
    assert ran_alone(program=LOOK_UP) == (0, "() False\n", "")
