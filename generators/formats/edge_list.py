"""Edge lists: one arc a line, `tail head [capacity [latency]]`.

`#` begins a comment. What the lines of arcs cannot say stands in optional header lines, which
begin with `#:` so that other tools take them for comments:

    #: nodes 4                      the nodes are 0..3, and an arc to any other is an error
    #: undirected                   each line is two arcs, there and back
    #: columns latency              what follows tail and head; else capacity, latency
    #: switches 2 3                 these nodes forward but hold no shard
    #: multicast 2                  these switches send one message on over several arcs
    #: tier 1 2 3                   these switches are of tier 1, the lowest
    #: reduce 2                     these switches combine several messages into one
    #: unit_rate 1000000000         bytes a second of capacity 1; unit_latency: seconds of latency 1
    #: name 0 "leaf a"              a name, as a JSON string

The dict that networkx.write_edgelist puts at the end of a line is understood.
"""

import ast
import warnings
from functools import cached_property, partial
from itertools import chain
from typing import IO

import numpy as np

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.files import TextError, blocks_of
from generators.formats.draft import MOST_NODES, MOST_VALUES, Draft
from generators.formats.edge_list_blocks import MOST_NUMBER, Block, read_block
from generators.formats.edge_list_header import FIELDS, Header
from generators.formats.numbered_words import NumberedWords
from generators.topology import IntArray, Topology

MAX_EDGES = 48 << 20
"""Bytes of an edge list at most: 3 * 2^19 arcs, a line of 32 bytes each."""
MOST_SLOW = 1 << 18
"""Arcs at most of lines that are read one by one: with attributes, long words or other letters."""
MOST_DICTS = 1 << 20
"""Characters of different dicts of attributes at most."""
_LONGEST_DICT = 1000  # nested deeper, a literal could exhaust the stack


def read_edge_list(
    source: str, content: bytes | IO[bytes], *, directed: bool = False, slow: int = MOST_SLOW
) -> Topology:
    """The topology of an edge list, or of an open file of one; `source` names it in messages.

    Lines are read many at a time as long as `read_block` knows what they say; otherwise one by
    one, which takes longer, at most `slow` of them. Raises InvalidInput naming the line.

    >>> read_edge_list("x.edges", b"a b 3/2  # fast\\nb a 1\\n").capacity
    (Fraction(3, 2), Fraction(1, 1))
    """
    reader = _Reader(source, directed, slow)
    try:
        for before, block in blocks_of(content, limit=MAX_EDGES):
            reader.block(before, block)
    except TextError as error:
        raise InvalidInput(f"{source}: {error}") from None
    return reader.topology()


class _Reader:
    def __init__(self, source: str, directed: bool, slow: int) -> None:
        self._draft = Draft(source, directed=directed)
        self._header = Header(self._draft.refusal)
        self._begun = False
        self._slow, self._most_slow = 0, slow
        self._dicts: dict[str, dict[str, object]] = {"{}": {}}
        self._characters = 0
        self._named = NumberedWords(MOST_NODES, self._node_number)
        self._texts = {
            field: NumberedWords(MOST_VALUES, partial(self._draft.value_number, field))
            for field in FIELDS
        }

    @cached_property
    def _numbers(self) -> IntArray:
        """One more than the draft's number of each node that is called by a number; or 0."""
        return np.zeros(MOST_NUMBER, dtype=np.int32)

    def block(self, before: int, text: str) -> None:
        """Read whole lines, at once where that can be, and again if one is wrong: which?"""
        found = read_block(text, len(self._header.columns))
        try:
            if found is not None:
                self._add(found)
                return
        except InvalidInput:
            pass
        for number, line in enumerate(text.split("\n"), start=before + 1):
            self._line(f"line {number}", line)

    def _add(self, found: Block) -> None:
        if not found.arcs:
            return
        self._begin()
        if found.numbers is not None:
            ends = self._node_numbers(found.numbers)
        else:
            ends = self._named.numbers(found.nodes).reshape(-1, 2)
        values = {}
        for field, column in zip(self._header.columns, found.columns, strict=False):
            values[field] = np.zeros(len(ends), dtype=np.int32)
            values[field][column.rows] = self._texts[field].numbers(column.words)
        self._draft.arcs(ends, two_way=self._header.two_way, values=values)

    def _node_numbers(self, ends: IntArray) -> IntArray:
        new, first = np.unique(ends[self._numbers[ends] == 0], return_index=True)
        for node in new[np.argsort(first)].tolist():
            self._numbers[node] = self._node_number(str(node)) + 1
        return self._numbers[ends] - 1

    def _node_number(self, label: str) -> int:
        if self._header.is_silent:
            return self._draft.known_or_new(label)
        self._require_declared(label, "")
        return self._draft.number_of(label)

    def _line(self, place: str, line: str) -> None:
        words = line.split()
        if words and words[0] == "#:":
            if self._begun:
                raise self._draft.refusal(place, "header lines come before the first arc")
            self._header.read(place, words[1:], line)
            return
        if "#" in line:
            comment = next((i for i, word in enumerate(words) if word[0] == "#"), len(words))
            words = words[:comment]
        if words:
            self._arc(place, words, line)

    def topology(self) -> Topology:
        self._begin()
        for nodes in self._header.able.values():
            for label, place in nodes.items():
                self._require_node(label, place)
        for field, (value, place) in self._header.units.items():
            self._draft.unit(field, value, place)
        for label, (_, place) in self._header.names.items():
            self._require_node(label, place)
        return self._draft.topology()

    def _require_node(self, label: str, place: str) -> None:
        if not self._draft.declares(label):
            raise self._draft.refusal(place, f"node {excerpt(label)} is not declared")

    def _begin(self) -> None:
        """At the first arc: the header is complete."""
        if not self._begun:
            self._begun = True
            if self._header.nodes is not None:
                self._number_nodes(self._header.nodes)

    def _number_nodes(self, count: int) -> None:
        self._draft.number_nodes(count)
        self._numbers[:count] = np.arange(1, count + 1)
        told = dict.fromkeys(
            chain(self._header.names, self._header.tiers, *self._header.able.values())
        )
        for label in told:
            if self._draft.declares(label):
                name, able = self._words_of(label)
                self._draft.describe(label, "header", name=name, abilities=able)
                self._tell_tier(label)

    def _words_of(self, label: str) -> tuple[str | None, list[str]]:
        """What the header says of a node: its name and abilities."""
        name, _ = self._header.names.get(label, (None, ""))
        return name, [able for able, nodes in self._header.able.items() if label in nodes]

    def _declare(self, label: str, place: str) -> None:
        name, able = self._words_of(label)
        self._draft.node(label, place, name=name, abilities=able)
        self._tell_tier(label)

    def _tell_tier(self, label: str) -> None:
        if label in self._header.tiers:
            self._draft.tier(label, *self._header.tiers[label])

    def _require_declared(self, label: str, place: str) -> None:
        """Where no header says how many nodes there are, an arc declares its ends."""
        if not self._draft.declares(label):
            if self._header.nodes is not None:
                self._require_node(label, place)
            self._declare(label, place)

    def _arc(self, place: str, words: list[str], line: str) -> None:
        self._begin()
        self._slow += 1
        if self._slow > self._most_slow:
            most = self._most_slow
            told = f"more than {most} arcs with attributes, long words or letters beyond ASCII"
            raise self._draft.refusal(place, told)
        values: dict[str, object]
        if len(words) > 2 and words[2][0] == "{":
            values = self._dict(place, line)
        elif 2 <= len(words) <= 2 + len(self._header.columns):
            values = dict(zip(self._header.columns, words[2:], strict=False))
        else:
            columns = ", ".join(("tail", "head", *self._header.columns))
            raise self._draft.refusal(place, f"{len(words)} columns where {columns} are known")
        self._require_declared(words[0], place)
        self._require_declared(words[1], place)
        self._draft.edge((words[0], words[1]), place, two_way=self._header.two_way, values=values)

    def _dict(self, place: str, line: str) -> dict[str, object]:
        """The attributes networkx prints as a Python dict; literals only, nothing is run."""
        text = line.split(None, 2)[2].strip()
        found = self._dicts.get(text)
        if found is None:
            self._characters += len(text)
            if self._characters > MOST_DICTS:
                told = f"different attributes of more than {MOST_DICTS} characters"
                raise self._draft.refusal(place, told)
            found = self._dicts[text] = self._parse_dict(place, text)
        return found

    def _parse_dict(self, place: str, text: str) -> dict[str, object]:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SyntaxWarning)
                warnings.simplefilter("ignore", DeprecationWarning)
                values = ast.literal_eval(text[:_LONGEST_DICT])
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            values = None
        if not isinstance(values, dict):
            raise self._draft.refusal(place, f"a dict of attributes is needed, not {excerpt(text)}")
        return {field: values.get(field) for field in FIELDS}
