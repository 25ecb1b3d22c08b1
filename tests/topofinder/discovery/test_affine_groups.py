"""Elementary abelian groups with linear actions: against matrices tried one by one."""

from itertools import product

import numpy as np
import pytest

from generators.cayley.notation import parse_group
from topofinder.discovery.affine_groups import affine_groups
from topofinder.discovery.multiplication_table import group_fingerprint, multiplication_columns


def _mark(text: str) -> bytes:
    return group_fingerprint(multiplication_columns(parse_group(text)))


def _all_actions(p: int, k: int, m: int) -> set[bytes]:
    """Marks of Z_p^k:Z_m for every matrix but 1 whose m-th power is 1."""
    one = np.eye(k, dtype=np.int64)
    found = set()
    for entries in product(range(p), repeat=k * k):
        matrix = np.array(entries).reshape(k, k)
        power = one
        for _ in range(m):
            power = power @ matrix % p
        if np.array_equal(power, one) and not np.array_equal(matrix, one):
            images = ",".join(f"({','.join(map(str, row))})" for row in matrix.tolist())
            found.add(_mark(f"Z{p}^{k}:Z{m}[{images}]"))
    return found


@pytest.mark.parametrize(("p", "k", "m"), [(2, 2, 3), (2, 3, 3), (2, 3, 7), (3, 2, 4), (3, 2, 8)])
def test_every_cyclic_action_is_listed(p: int, k: int, m: int) -> None:
    listed = [str(group) for group in affine_groups(p**k * m)]
    marks = [_mark(text) for text in listed if text.startswith(f"Z{p}^{k}:")]
    assert set(marks) == _all_actions(p, k, m)


@pytest.mark.parametrize("n", [12, 72, 240, 486, 600, 1000, 1024, 2000])
def test_they_have_their_order_and_do_not_commute(n: int) -> None:
    for group in affine_groups(n):
        assert group.order == n
        assert not group.is_abelian


def test_nothing_is_listed_where_no_square_divides_the_order() -> None:
    assert not list(affine_groups(210))
