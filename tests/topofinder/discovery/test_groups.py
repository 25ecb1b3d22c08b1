"""The list of groups: complete at small orders, no group twice, always the same."""

import numpy as np
import pytest

from generators.cayley import parse_group
from topofinder.discovery.group_extensions import extensions
from topofinder.discovery.group_families import abelian_texts, metacyclic_texts, projective_texts
from topofinder.discovery.groups import groups_of
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


@pytest.mark.parametrize("n", [8, 36, 64, 97, 210])
def test_abelian_groups_are_all_and_distinct(n: int) -> None:
    groups = [parse_group(text) for text in abelian_texts(n)]
    assert len(groups) == {8: 3, 36: 4, 64: 11, 97: 1, 210: 1}[n]
    assert all(group.is_abelian and group.order == n for group in groups)
    orders = {tuple(np.sort(group.element_orders()).tolist()) for group in groups}
    assert len(orders) == len(groups)


@pytest.mark.parametrize("n", [6, 16, 20, 42, 54, 100])
def test_metacyclic_groups_are_groups_that_do_not_commute(n: int) -> None:
    for text in metacyclic_texts(n):
        group = parse_group(text)
        assert group.order == n
        assert not group.is_abelian


@pytest.mark.parametrize("n", [60, 120, 168, 336, 360, 660, 720])
def test_groups_that_are_not_solvable_have_their_order(n: int) -> None:
    groups = [parse_group(text) for text in projective_texts(n)]
    assert groups
    for group in groups:
        assert group.order == n
        perfect = set()
        table, inverse = group.table(), group.inverses
        commutators = table[table, table[inverse[:, None], inverse]]
        perfect |= set(np.unique(commutators).tolist())
        assert len(perfect) >= n // 2, "the commutator subgroup of these is the group or half of it"


@pytest.mark.parametrize(("text", "k"), [("Z2^2", 3), ("D4", 2), ("Z3^2", 4), ("Dic2", 3)])
def test_extensions_contain_the_group_as_a_normal_subgroup(text: str, k: int) -> None:
    normal = parse_group(text)
    found = list(extensions(normal, k, 12, np.random.default_rng(0)))
    assert found
    for group in found:
        assert group.order == normal.order * k
        inside = normal.elements * k
        for g in group.generators:
            conjugates = group.multiply(group.multiply(g, inside), group.inverses[g])
            assert set(conjugates.tolist()) == set(inside.tolist())


def test_fingerprints_do_not_depend_on_the_numbering() -> None:
    columns = multiplication_columns(parse_group("Z7:Z3[2]"))
    random = np.random.default_rng(2)
    names = np.concatenate([[0], 1 + random.permutation(20)])
    renamed = np.empty_like(columns)
    renamed[names[:, None], names] = names[columns]
    assert group_fingerprint(renamed) == group_fingerprint(columns)
