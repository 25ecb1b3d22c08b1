"""Edge lists: one arc a line, `tail head [capacity [latency]]`.

`#` begins a comment. What the lines of arcs cannot say stands in optional header lines, which
begin with `#:` so that other tools take them for comments:

    #: nodes 4                      the nodes are 0..3, and an arc to any other is an error
    #: undirected                   each line is two arcs, there and back
    #: columns latency              what follows tail and head; else capacity, latency
    #: switches 2 3                 these nodes forward but hold no shard
    #: multicast 2                  these switches send one message on over several arcs
    #: reduce 2                     these switches combine several messages into one
    #: unit_rate 1000000000         bytes a second of capacity 1; unit_latency: seconds of latency 1
    #: name 0 "leaf a"              a name, as a JSON string

The dict that networkx.write_edgelist puts at the end of a line is understood.
"""

import ast
import warnings

import numpy as np

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.files import TextError, lines_of
from generators.formats.draft import MOST_ARCS, Draft
from generators.formats.edge_list_header import Header
from generators.topology import Topology

_PIECE = 1 << 22
"""Bytes that are looked at together: more take memory and no less time."""
_LONGEST_DICT = 1000  # nested deeper, a literal could exhaust the stack


def read_edge_list(source: str, content: bytes, *, directed: bool = False) -> Topology:
    """The topology of an edge list; `source` names the file in messages.

    Raises InvalidInput naming the line.

    >>> read_edge_list("x.edges", b"a b 3/2  # fast\\nb a 1\\n").capacity
    (Fraction(3, 2), Fraction(1, 1))
    """
    if count_arc_lines(content) > MOST_ARCS:  # told at once, not when the last of them is read
        raise InvalidInput(f"{source}: more than {MOST_ARCS} arcs")
    reader = _Reader(source, directed)
    try:
        for number, line in enumerate(lines_of(content), start=1):
            reader.line(f"line {number}", line)
    except TextError as error:
        raise InvalidInput(f"{source}: {error}") from None
    return reader.topology()


def count_arc_lines(content: bytes) -> int:
    """Lines after the first that begin with neither a comment nor a blank: each is an arc.

    >>> count_arc_lines(b"0 1\\n1 2\\n# 3\\n\\n 2 0\\n2 1")
    2
    """
    count = 0
    for start in range(0, len(content), _PIECE):
        piece = np.frombuffer(content[max(start - 1, 0) : start + _PIECE], dtype=np.uint8)
        begins = piece[1:][piece[:-1] == ord("\n")]
        count += int(np.count_nonzero(begins > ord("#")))
    return count


class _Reader:
    def __init__(self, source: str, directed: bool) -> None:
        self._draft = Draft(source, directed=directed)
        self._header = Header(self._draft.refusal)
        self._begun = False

    def line(self, place: str, line: str) -> None:
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
            for node in range(self._header.nodes or 0):
                self._declare(str(node), "header")

    def _declare(self, label: str, place: str) -> None:
        name, _ = self._header.names.get(label, (None, place))
        able = [ability for ability, nodes in self._header.able.items() if label in nodes]
        self._draft.node(label, place, name=name, abilities=able)

    def _arc(self, place: str, words: list[str], line: str) -> None:
        self._begin()
        values: dict[str, object]
        if len(words) > 2 and words[2][0] == "{":
            values = self._dict(place, line)
        elif 2 <= len(words) <= 2 + len(self._header.columns):
            values = dict(zip(self._header.columns, words[2:], strict=False))
        else:
            columns = ", ".join(("tail", "head", *self._header.columns))
            raise self._draft.refusal(place, f"{len(words)} columns where {columns} are known")
        if self._header.nodes is None:
            for label in words[:2]:
                if not self._draft.declares(label):
                    self._declare(label, place)
        self._draft.edge((words[0], words[1]), place, two_way=self._header.two_way, values=values)

    def _dict(self, place: str, line: str) -> dict[str, object]:
        """The attributes networkx prints as a Python dict; literals only, nothing is run."""
        text = line.split(None, 2)[2].strip()
        if text == "{}":
            return {}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", SyntaxWarning)
                warnings.simplefilter("ignore", DeprecationWarning)
                values = ast.literal_eval(text[:_LONGEST_DICT])
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            values = None
        if not isinstance(values, dict):
            raise self._draft.refusal(place, f"a dict of attributes is needed, not {excerpt(text)}")
        return values
