"""Groups of an order are listed once, against the known numbers of groups."""

import pytest

from generators.cayley.notation import parse_group
from generators.errors import Unsupported
from topofinder.discovery.groups import _group_list, groups_of
from topofinder.discovery.multiplication_table import group_fingerprint, multiplication_columns

NUMBERS = {
    **{3: 1, 4: 2, 6: 2, 8: 5, 9: 2, 10: 2, 12: 5, 14: 2, 15: 1, 16: 14, 18: 5, 20: 5, 21: 2},
    **{24: 15, 27: 5, 28: 4, 30: 4, 36: 14, 40: 14, 42: 6, 60: 13, 101: 1},
}
"""How many groups of an order there are, up to isomorphism (the classification's numbers)."""


@pytest.mark.parametrize(("n", "count"), NUMBERS.items())
def test_all_groups_of_small_orders_are_listed_once(n: int, count: int) -> None:
    texts = list(groups_of(n))
    assert len(texts) == count
    prints = {group_fingerprint(multiplication_columns(parse_group(text))) for text in texts}
    assert len(prints) == count
    assert all(parse_group(text).order == n for text in texts)


def test_most_groups_of_order_32_are_listed_and_none_twice() -> None:
    assert 48 <= len(list(groups_of(32))) <= 51


def test_a_part_of_the_list_is_its_beginning() -> None:
    assert list(groups_of(48, 7)) == list(groups_of(48))[:7]


def test_what_is_refused_for_want_of_memory_is_made_when_there_is_some(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _group_list.cache_clear()
    few = list(groups_of(20, 1))
    monkeypatch.setenv("TOPOFINDER_MEMORY", "1B")
    with pytest.raises(Unsupported, match="memory"):
        list(groups_of(20))
    monkeypatch.delenv("TOPOFINDER_MEMORY")
    found = list(groups_of(20))
    _group_list.cache_clear()
    assert found == list(groups_of(20))
    assert found[:1] == few
    assert len(found) == 5
