"""Whatever a stranger writes is read, or refused in one line."""

import json
from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from generators.damage.apply import Damage, apply_damage
from generators.errors import InvalidInput
from generators.fabrics.names import fabric_of
from generators.fabrics.rail_only import rail_only
from generators.fabrics.register import FABRICS
from generators.formats.fabric_reader import read_fabric

SMALL = rail_only(2, 2)
NAMES = [*(SMALL.names or ()), "0", "9", "x"]
LINKS = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(NAMES),
    st.sampled_from(["-", ">", "--", "", ","]),
    st.sampled_from(NAMES),
    st.sampled_from(["", "*1", "*2", "=1/2", "=0", "=x", "%"]),
)
VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 10**20), st.floats(), st.text(max_size=5),
    st.sampled_from(["a", "b", "1GB/s", "2us", "3/2", "0"]), st.lists(st.integers(), max_size=2),
)  # fmt: skip
ROWS = st.lists(
    st.one_of(
        VALUES,
        st.dictionaries(
            st.sampled_from(["name", "from", "to", "bandwidth", "latency", "duplex", "count"]),
            VALUES,
        ),
    ),
    max_size=4,
)


CALLS = st.builds(
    lambda name, values: f"{name}({','.join(map(str, values))})",
    st.sampled_from(sorted(FABRICS)),
    st.lists(st.integers(-1, 12), max_size=5),
)


@given(st.one_of(st.text(max_size=20), CALLS))
@settings(max_examples=200, deadline=None)
def test_names(text: str) -> None:
    with suppress(InvalidInput):
        name, topology = fabric_of(text)
        assert fabric_of(name)[1].same_wiring(topology)


@given(st.lists(st.one_of(LINKS, st.text(max_size=6)), max_size=3), st.integers(0, 2))
@settings(max_examples=200, deadline=None)
def test_damage(texts: list[str], where: int) -> None:
    field = ("fail_links", "fail_nodes", "degrade")[where]
    try:
        left = apply_damage(SMALL, Damage(**{field: texts}))
    except InvalidInput as error:
        told = str(error)
        assert "\n" not in told
    else:
        assert left.arcs <= SMALL.arcs


@given(ROWS, ROWS, ROWS)
@settings(max_examples=200, deadline=None)
def test_documents(nodes: list[object], switches: list[object], links: list[object]) -> None:
    whole = {"format": "topofinder-fabric", "version": 1, "nodes": ["a", "b", *nodes]}
    text = json.dumps(whole | {"switches": switches, "links": links})
    told = ""
    try:
        assert read_fabric("f", text.encode()).n >= 2
    except InvalidInput as error:
        told = str(error)
    assert "\n" not in told
