"""Multiplication tables, and what tells groups apart."""

import numpy as np
import pytest

from generators.cayley.notation import parse_group
from topofinder.discovery import table_kernels
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


@pytest.mark.parametrize("group", GROUPS)
def test_rows_at_a_time_give_what_the_kernels_give(group: str) -> None:
    known = parse_group(group)
    own = np.array([known.times(s) for s in known.generators], dtype=np.int16)
    tables = [np.empty((known.order, known.order), np.int16) for _ in range(2)]
    colours: list[np.ndarray] = []
    for table, way in zip(tables, ("python", "compiled"), strict=True):
        getattr(table_kernels.multiply_out, way)(own, table)
        found = getattr(table_kernels.colour_elements, way)(table)
        colours += [found, getattr(table_kernels.refine_elements, way)(table, found)]
    assert np.array_equal(*tables)
    for one, other in ((0, 2), (1, 3)):
        assert colours[one].dtype == colours[other].dtype == np.uint64
        assert np.array_equal(colours[one], colours[other])
