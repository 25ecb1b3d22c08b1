"""Every example of docs/topology-files.md is read, and every limit it states is the real one."""

import re
from fractions import Fraction
from pathlib import Path

import pytest

from generators.formats.by_suffix import FORMATS, read_topology, write_topology
from generators.formats.draft import MOST_ARCS, MOST_NODES, MOST_VALUES
from generators.formats.edge_list import MOST_DICTS, MOST_SLOW
from generators.formats.graphml_reader import MOST_TAGS
from generators.formats.numbered_words import MOST_PARTS
from generators.formats.quantities import LONGEST
from generators.topology import Topology

PAGE = (Path(__file__).parents[3] / "docs" / "topology-files.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL)
HALF = Fraction(1, 2)
EXAMPLES = {
    "edges": [
        Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)], capacity=(2, 1, 1)),
        Topology.from_arcs(
            4,
            [(0, 3), (3, 0), (1, 3), (3, 1), (2, 3), (3, 2)],
            latency=(HALF, HALF, HALF, HALF, Fraction(3, 4), Fraction(3, 4)),
            switches=(3,),
            names=("host a", "1", "2", "spine"),
        ),
        Topology.from_arcs(2, [(0, 1), (1, 0)], capacity=(1 + HALF, 1), names=("a", "b")),
    ],
    "json": [
        Topology.from_arcs(
            3,
            [(0, 2), (2, 1), (1, 0)],
            capacity=(1 + HALF, 1 + HALF, 1),
            switches=(2,),
            names=("host a", "host b", "spine"),
        )
    ],
    "graphml": [
        Topology.from_arcs(2, [(0, 1), (1, 0)], capacity=(1 + HALF, 1), names=("left", "right"))
    ],
}


@pytest.mark.parametrize("name", list(FORMATS))
def test_examples_say_what_the_page_says(name: str) -> None:
    shown = [text for language, text in BLOCKS if language == name]
    assert len(shown) == len(EXAMPLES[name])
    for text, topology in zip(shown, EXAMPLES[name], strict=True):
        assert FORMATS[name].read("page", text.encode()).same_wiring(topology)


def test_the_json_example_is_what_is_written() -> None:
    (shown,) = (text for language, text in BLOCKS if language == "json")
    assert FORMATS["json"].text(EXAMPLES["json"][0]) == shown


def test_python_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    write_topology(pair, "fabric.graphml")
    write_topology(pair, "fabric.dat", "edges")
    names: dict[str, object] = {}
    for language, text in BLOCKS:
        if language == "python":
            exec(text, names)
    assert read_topology("fabric.json").same_wiring(pair)
    again = names["again"]
    assert isinstance(again, Topology)
    assert again.same_wiring(pair)


def test_the_page_names_every_suffix_and_the_limits() -> None:
    for name, known in FORMATS.items():
        (row,) = re.findall(rf"^\| `{name}` .*$", PAGE, flags=re.MULTILINE)
        assert re.findall(r"`(\.\w+)`", row) == list(known.suffixes)
    assert {known.most for known in FORMATS.values()} == {48 << 20, 32 << 20}
    assert (MOST_NODES, MOST_ARCS, LONGEST) == (2**18, 3 * 2**19, 1000)
    assert (MOST_VALUES, MOST_SLOW, MOST_DICTS, 8 * MOST_PARTS) == (2**15, 2**18, 1 << 20, 32)
    assert MOST_TAGS == 3 * 2**17
    for limit in (
        "3 \u00b7 2^17 tags",
        "2^15 different capacities",
        "2^18 arcs with attributes",
        "attributes of 1 MiB",
        "more than 32 characters",
        "48 MiB",
        "32 MiB",
        "2^18 nodes",
        "3 \u00b7 2^19 arcs",
        "1000 characters",
    ):
        assert limit in PAGE.replace("\n", " ")
