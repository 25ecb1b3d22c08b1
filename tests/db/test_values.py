import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from db.values import canonical_json, document, flag, integer, ratio, text
from generators.errors import InvalidInput

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@given(st.dictionaries(st.text(), JSON, max_size=4))
def test_a_document_is_what_its_json_says(value: dict[str, object]) -> None:
    assert document("facts", value) == value
    assert json.loads(canonical_json(value)) == value
    backwards = dict(reversed(value.items()))
    assert canonical_json(backwards) == canonical_json(value)
    assert canonical_json(value).isascii()
    kept = document("facts", {"inside": [value]})
    assert repr(kept) == repr(json.loads(canonical_json(kept)))
    value["more"] = 1
    assert kept["inside"] != [value]


def test_numpy_scalars_become_plain() -> None:
    for plain in (integer("n", np.int32(7)), integer("n", np.uint64(7))):
        assert (type(plain), plain) == (int, 7)
    over = ratio("bandwidth", Fraction(np.int64(3), np.int64(4)))
    assert (type(over.numerator), over) == (int, Fraction(3, 4))
    assert ratio("bandwidth", np.int64(2)) == 2
    assert flag("exact", np.True_) is True
    facts = document("facts", {"a": np.int64(3), "b": Fraction(1, 2), "c": np.bool_(0)})
    assert facts == {"a": 3, "b": "1/2", "c": False}


@pytest.mark.parametrize(
    ("check", "value", "line"),
    [
        (integer, 1.0, "must be an integer, not 1.0"),
        (integer, "3", "must be an integer, not '3'"),
        (integer, -1, "not -1"),
        (integer, 2**63, f"not {2**63}"),
        (ratio, 0.5, "must be a Fraction, not 0.5"),
        (ratio, "1/2", "must be a Fraction, not '1/2'"),
        (ratio, Fraction(-1, 2), "not -1/2"),
        (ratio, Fraction(1, 2**63), f"not 1/{2**63}"),
        (ratio, Fraction(2**63), f"not {2**63}"),
        (flag, 2, "not 2"),
        (flag, "1", "not '1'"),
        (flag, None, "not None"),
        (text, b"K(2)", "must be text"),
        (text, "a\0b", "cannot be stored"),
        (text, "\ud800", "cannot be stored"),
        (document, [1], "must be a mapping"),
        (document, {"a": float("nan")}, "cannot be written as JSON"),
        (document, {"a": object()}, "cannot be written as JSON"),
        (document, {"a": {1, 2}}, "cannot be written as JSON"),
    ],
)
def test_refused_values_are_named(check: object, value: object, line: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        check("field", value)  # type: ignore[operator]
    assert str(caught.value).startswith("field ")
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_largest_values_are_kept() -> None:
    assert integer("n", 2**63 - 1) == 2**63 - 1
    assert ratio("bandwidth", Fraction(2**63 - 1, 2**63 - 2)).numerator == 2**63 - 1
