"""Signatures as text: the values made of a text have the same text, and the same numba types."""

from typing import NamedTuple

import numpy as np
import pytest
from numba import typeof

from topofinder.dispatch.samples import sample_arguments, signature_text


class Rows(NamedTuple):
    start: np.ndarray
    count: int


def locked(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


CALLS = [
    (np.zeros(3, np.int32), np.zeros((2, 3), np.uint64), np.zeros((0, 3), np.bool_)),
    (np.zeros((3, 4), order="F"), np.zeros((4, 4))[::2, ::2], locked(np.arange(3))),
    (np.arange(9)[::3], np.zeros((2, 3, 4), np.int8)[:, ::2]),
    (1, 1.5, True, None, np.uint64(3), np.int32(3), np.float64(2), np.bool_(True)),
    ((np.zeros(2), 3), (), Rows(np.zeros(2, np.int16), 4), (Rows(np.zeros(1), 1), 2)),
]


@pytest.mark.parametrize("call", CALLS)
def test_a_sample_has_the_kinds_of_the_call(call: tuple) -> None:
    text = signature_text(call)
    sample = sample_arguments(text)
    assert signature_text(sample) == text
    if not any(isinstance(part, Rows) for part in call):
        assert [typeof(value) for value in sample] == [typeof(value) for value in call]


@pytest.mark.parametrize("text", ["[", "7", '["nothing"]', '[["os:none", "int"]]', '["<i4:xC"]'])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        sample_arguments(text)


def test_kernels_take_no_lists() -> None:
    with pytest.raises(ValueError, match="kernels take no list"):
        signature_text(([1],))
