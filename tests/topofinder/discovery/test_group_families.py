"""Families of groups: abelian, metacyclic, not solvable."""

import numpy as np
import pytest

from generators.cayley.notation import parse_group
from topofinder.discovery.group_families import abelian_texts, metacyclic_texts, projective_texts


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
