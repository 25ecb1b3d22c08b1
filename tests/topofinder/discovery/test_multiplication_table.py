"""Multiplication tables, and what tells groups apart."""

import numpy as np
import pytest

from generators.cayley.notation import parse_group
from topofinder.discovery.multiplication_table import (
    group_fingerprint,
    group_inverses,
    multiplication_columns,
)

GROUPS = ("Z7", "Z2^3", "S3", "Dic2", "D8", "A4xZ2", "Z7:Z3[2]", "Z8.Z2[7|4]", "S4", "Z16:Z4[3]")


@pytest.mark.parametrize("group", GROUPS)
def test_columns_are_the_right_multiplications(group: str) -> None:
    known = parse_group(group)
    columns = multiplication_columns(known)
    assert np.array_equal(columns, known.table().T)
    assert np.array_equal(group_inverses(columns), known.inverses)


def test_fingerprints_do_not_depend_on_the_numbering() -> None:
    columns = multiplication_columns(parse_group("Z7:Z3[2]"))
    random = np.random.default_rng(2)
    names = np.concatenate([[0], 1 + random.permutation(20)])
    renamed = np.empty_like(columns)
    renamed[names[:, None], names] = names[columns]
    assert group_fingerprint(renamed) == group_fingerprint(columns)
