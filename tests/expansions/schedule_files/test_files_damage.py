"""Damaged files: refused in one line, or harmless; never another schedule."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from expansions.schedule_files.files import SCHEDULE_FILES
from generators.errors import InvalidInput
from tests.saved import SAVED, document


def test_truncated_files() -> None:
    content = SCHEDULE_FILES.archive(SAVED)
    for end in range(0, len(content), 7):
        with pytest.raises(InvalidInput, match=r"^x\.npz: no whole \.npz file"):
            SCHEDULE_FILES.decode("x.npz", content[:end])
    whole = SCHEDULE_FILES.text(SAVED).encode()
    for end in range(0, len(whole) - 2, 7):
        with pytest.raises(InvalidInput, match=r"^x\.json: line \d+, column \d+"):
            SCHEDULE_FILES.decode("x.json", whole[:end])


def test_flipped_bits_are_refused_or_harmless() -> None:
    content = SCHEDULE_FILES.archive(SAVED)
    generator = np.random.default_rng(0)
    refused = 0
    for place in generator.integers(0, len(content), 400).tolist():
        flipped = bytearray(content)
        flipped[place] ^= 1 << int(generator.integers(8))
        refused += is_refused(bytes(flipped))
    assert refused > 100


def is_refused(content: bytes) -> bool:
    try:
        found = SCHEDULE_FILES.decode("x.npz", content)
    except InvalidInput:
        return True
    assert found.digest == SAVED.digest
    return False


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(document())), ANYTHING)
def test_any_value_in_any_field_is_refused_or_harmless(field: str, value: object) -> None:
    wrong = json.dumps(document() | {field: value}).encode()
    try:
        assert SCHEDULE_FILES.decode("x.json", wrong).digest == SAVED.digest
    except InvalidInput as error:
        message = str(error)
    else:
        message = ""
    assert "\n" not in message
