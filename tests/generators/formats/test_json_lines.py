"""The line at which a value of a JSON document stands."""

import json

from hypothesis import given
from hypothesis import strategies as st

from generators.formats.json_lines import line_of


@given(
    st.recursive(
        st.none() | st.integers() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
        max_leaves=12,
    )
)
def test_lines_are_those_of_an_indented_text(value: object) -> None:
    text = json.dumps(value, indent=1)

    def walk(found: object, path: tuple[str | int, ...]) -> None:
        at = line_of(text, path)
        first = json.dumps(found, indent=1).splitlines()[0]
        assert first in text.splitlines()[at - 1]
        items = found.items() if isinstance(found, dict) else ()
        for key, inner in [*items, *(enumerate(found) if isinstance(found, list) else ())]:
            walk(inner, (*path, key))

    walk(value, ())
