"""The header lines of an edge list; they are described in `generators.formats.edge_list`."""

import json
from collections.abc import Callable, Container

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.formats.draft import ABILITIES, MOST_NODES
from generators.topology import UNITS

FIELDS = ("capacity", "latency")
MOST_TOLD = 3 << 16
"""Nodes of which header lines say something at most: each takes 300 bytes until its turn."""
_ABLE = {"switches": "switch", "multicast": "multicast", "reduce": "reduce"}


class Header:
    """What header lines have said so far.

    `nodes` is how many nodes are declared, if any; `columns` are the fields after tail and
    head; `able` maps each ability and then a node to the place that says so, `names` a node to its
    name and the place, `units` a field to its text and the place, `tiers` a node to the text of its
    tier and the place.
    """

    def __init__(self, refusal: Callable[[str, str], InvalidInput]) -> None:
        self._refusal = refusal
        self._said: set[str] = set()
        self._told = 0
        self.nodes: int | None = None
        self.two_way = False
        self.columns: tuple[str, ...] = FIELDS
        self.able: dict[str, dict[str, str]] = {ability: {} for ability in ABILITIES}
        self.tiers: dict[str, tuple[str, str]] = {}
        self.units: dict[str, tuple[str, str]] = {}
        self.names: dict[str, tuple[str, str]] = {}

    @property
    def is_silent(self) -> bool:
        """Whether nothing was said of nodes: an arc declares its ends, and that is all of them."""
        return self.nodes is None and self._told == 0

    def read(self, place: str, words: list[str], line: str) -> None:
        """Take in one header line: its words after `#:`, and the whole line."""
        readers: dict[str, Callable[[str, list[str], str], None]] = {
            "nodes": self._read_nodes,
            "undirected": self._read_undirected,
            "columns": self._read_columns,
            **dict.fromkeys(_ABLE, self._read_able),
            "tier": self._read_tier,
            "name": self._read_name,
            **dict.fromkeys(UNITS, self._read_unit),
        }
        word = words[0] if words else ""
        if word not in readers:
            known = ", ".join(readers)
            raise self._refusal(place, f"a header is one of {known}, not {excerpt(word)}")
        # Of nodes, names and abilities there are many; everything else is said once.
        said = words[:2] if word == "name" else words[:1]
        before: Container[str] = self.names if word == "name" else self._said
        if said[-1] in before and word not in (*_ABLE, "tier"):
            raise self._refusal(place, f"{word}: {excerpt(' '.join(said))} is said twice")
        self._said.add(word)
        readers[word](place, words[1:], line)

    def _read_nodes(self, place: str, words: list[str], line: str) -> None:
        count = words[0] if len(words) == 1 else ""
        if not (count.isascii() and count.isdigit() and len(count) < 10):
            raise self._refusal(place, f"nodes: one integer is needed, not {excerpt(words)}")
        if not 1 <= int(count) <= MOST_NODES:
            raise self._refusal(place, f"nodes: must be in 1..{MOST_NODES}, not {count}")
        self.nodes = int(count)

    def _read_undirected(self, place: str, words: list[str], line: str) -> None:
        if words:
            raise self._refusal(place, f"undirected: nothing follows it, but here {excerpt(words)}")
        self.two_way = True

    def _read_columns(self, place: str, words: list[str], line: str) -> None:
        if not words or len(set(words)) < len(words) or not set(words) <= set(FIELDS):
            raise self._refusal(
                place, f"columns: capacity, latency or both are needed, not {excerpt(words)}"
            )
        self.columns = tuple(words)

    def _read_able(self, place: str, words: list[str], line: str) -> None:
        self._tell_of(len(words), place)
        self.able[_ABLE[line.split()[1]]] |= dict.fromkeys(words, place)

    def _read_tier(self, place: str, words: list[str], line: str) -> None:
        if not words:
            raise self._refusal(place, "tier: a number and switches are needed, not nothing")
        self._tell_of(len(words) - 1, place)
        self.tiers |= dict.fromkeys(words[1:], (words[0], place))

    def _read_unit(self, place: str, words: list[str], line: str) -> None:
        self.units[line.split()[1]] = (" ".join(words), place)

    def _tell_of(self, nodes: int, place: str) -> None:
        self._told += max(1, nodes)  # a line that names none takes its time as well
        if self._told > MOST_TOLD:
            raise self._refusal(place, f"headers of more than {MOST_TOLD} nodes")

    def _read_name(self, place: str, words: list[str], line: str) -> None:
        self._tell_of(1, place)
        text = line.split(None, 3)[3] if len(words) > 1 else ""
        try:
            name = json.loads(text)
        except (ValueError, RecursionError):
            name = None
        if not isinstance(name, str):
            raise self._refusal(
                place, f'name: a node and a text such as "leaf a" are needed, not {excerpt(words)}'
            )
        self.names[words[0]] = (name, place)
