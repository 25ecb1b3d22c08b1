"""A topology while a stranger's file is being read: labels, then numbers.

Every format ends here, so that they all agree on what a file means:

- Nodes whose ids are exactly 0..n-1 keep them; other nodes are numbered in the order in which
  they are declared, and their ids become their names, unless the file gives a name.
- Arcs keep the order of the file, unless their keys are exactly 0..m-1, which then order them:
  networkx lists arcs by tail, and would otherwise lose the order.
- An undirected edge is two arcs, there and back.
"""

from array import array
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.formats.quantities import exact, number_text
from generators.topology import IntArray, SharedValues, Topology

ONE = Fraction(1)
ABILITIES = ("switch", "multicast", "reduce")
"""What a node can be besides a host: a switch, and what a switch can do."""
MOST_NODES = 1 << 18
"""Nodes of a file at most: each takes 160 bytes while it is read."""
MOST_ARCS = 3 << 19
MOST_NAMES = 16 << 20
"""Characters of ids and names together at most."""
MOST_VALUES = 1 << 15
"""Different capacities, and different latencies, at most."""
MOST_DIGITS = 1 << 22
"""Characters of all different capacities at most, and of latencies."""


class Draft:
    """Nodes and edges as they come; `place` says where in `source`, for the message.

    With `directed`, an undirected edge is refused instead of being two arcs; so are more than
    `most_nodes` nodes or `most_arcs` arcs, at the first that is too many.
    """

    def __init__(
        self,
        source: str,
        *,
        directed: bool = False,
        most_nodes: int = MOST_NODES,
        most_arcs: int = MOST_ARCS,
    ) -> None:
        self._most_nodes, self._most_arcs = most_nodes, most_arcs
        self._source, self._directed = source, directed
        self._count_first = 0  # so many first nodes are called 0, 1, 2 and so on
        self._number: dict[str, int] = {}  # label -> number in order of first mention, of others
        self._declared = array("i")  # those numbers in order of declaration
        self._undeclared: dict[str, str] = {}  # label -> place of first mention
        self._names: dict[int, str] = {}
        self._able: dict[str, list[int]] = {ability: [] for ability in ABILITIES}
        self._tiers: dict[int, int] = {}
        self._units: dict[str, Fraction] = {}
        self._tail, self._head = array("i"), array("i")
        self._keys: array[int] | None = array("q")
        self._edges = 0
        self._values = {field: _Values(field) for field in ("capacity", "latency")}
        self._last: tuple[object, dict[str, int]] = (None, {})
        self._characters = 0

    def refusal(self, place: str, complaint: str) -> InvalidInput:
        """The exception to raise: one line naming the file, the place and what is wrong."""
        return InvalidInput(f"{self._source}: {place}: {complaint}")

    def unit(self, field: str, value: object, place: str) -> None:
        """What capacity 1 or latency 1 stands for, or what hosts add: one of UNITS."""
        try:
            self._units[field] = exact(field, value)
        except InvalidInput as error:
            raise self.refusal(place, str(error)) from None

    def number_nodes(self, count: int) -> None:
        """Declare the nodes 0 to count - 1, before all others: no label of theirs is kept."""
        self._count_first = count
        self._declared.extend(range(count))

    def describe(self, label: str, place: str, *, name: str | None, abilities: list[str]) -> None:
        """What a node that is declared is called and able to do, said once."""
        number = self.number_of(label)
        if name is not None:
            self._count(len(name), place)
            self._names[number] = name
        for ability in abilities:
            self._able[ability].append(number)

    def node(
        self, label: str, place: str, *, name: str | None = None, abilities: Iterable[str] = ()
    ) -> None:
        """Declare a node, once, with those of ABILITIES that it has."""
        if self.declares(label):
            raise self.refusal(place, f"node {excerpt(name or label)} is declared twice")
        number = self._mention(label, place)
        del self._undeclared[label]
        self._declared.append(number)
        self.describe(label, place, name=name, abilities=list(abilities))

    def tier(self, label: str, value: object, place: str) -> None:
        """The tier of a node that is declared: a whole number, or its text; None says nothing."""
        if value is None:
            return
        text = str(value).strip() if type(value) in (int, str) else ""
        if not (text.isascii() and text.isdigit() and 1 <= len(text) <= 3):
            raise self.refusal(place, f"tier: a small whole number is needed, not {excerpt(value)}")
        self._tiers[self.number_of(label)] = int(text)

    def declares(self, label: str) -> bool:
        """Whether the node has been declared."""
        return self._number_if_known(label) is not None and label not in self._undeclared

    def known_or_new(self, label: str) -> int:
        """The number of a node, which is declared without a name or abilities if it is new.

        Raises InvalidInput, without the place, for one too many.
        """
        number = self._number_if_known(label)
        if number is None:
            number = self._mention(label, "")
            del self._undeclared[label]
            self._declared.append(number)
        elif label in self._undeclared:
            self.node(label, "")
        return number

    def number_of(self, label: str) -> int:
        """The number that arcs of a node that is declared are added by."""
        number = self._number_if_known(label)
        return self._number[label] if number is None else number

    def _number_if_known(self, label: str) -> int | None:
        """The number of a node that has been mentioned."""
        if self._count_first and label.isascii() and label.isdigit() and len(label) < 10:
            number = int(label)
            if number < self._count_first and str(number) == label:
                return number
        return self._number.get(label)

    def value_number(self, field: str, value: object) -> int:
        """The number that arcs with a capacity or latency are added by.

        Raises InvalidInput, without the place.
        """
        return self._values[field].number(value)

    def arcs(self, ends: IntArray, *, two_way: bool, values: Mapping[str, IntArray]) -> None:
        """Add many arcs at once: from `ends[i, 0]` to `ends[i, 1]`, and those back if `two_way`.

        `values` has the number of each arc's value. Raises InvalidInput, without the place, where
        `edge` would for one of them; none is added then.
        """
        self._require_directed("arcs", two_way)
        if two_way:
            ends = np.concatenate((ends, ends[:, ::-1]), axis=1).reshape(-1, 2)
        if len(self._tail) + len(ends) > self._most_arcs:
            raise self.refusal("arcs", f"more than {self._most_arcs}")
        for field, numbers in values.items():
            self._values[field].put_all(len(self._tail), numbers.repeat(1 + two_way))
        self._tail.frombytes(ends[:, 0].astype(np.intc).tobytes())
        self._head.frombytes(ends[:, 1].astype(np.intc).tobytes())
        self._keys = None

    def edge(
        self,
        ends: tuple[str, str],
        place: str,
        *,
        two_way: bool,
        key: object = None,
        values: dict[str, object],
        count: int = 1,
    ) -> None:
        """Add the arc ends[0] -> ends[1], and the one back if the edge is `two_way`.

        `values` may hold a capacity and a latency; other entries are passed over. More than one
        edge, `count` of them, have no key.
        """
        if two_way:
            self._require_directed(place, two_way)
        tail, head = self._mention(ends[0], place), self._mention(ends[1], place)
        if values is not self._last[0]:  # many equal links may come with the same ones
            self._last = (values, self._number_values(place, values))
        if count > 1:
            every = {field: np.full(count, value) for field, value in self._last[1].items()}
            self.arcs(np.tile((tail, head), (count, 1)), two_way=two_way, values=every)
            return
        self._arc(tail, head, place, self._last[1])
        if two_way:
            self._arc(head, tail, place, self._last[1])
        if self._keys is not None:
            self._keep_key(key, 1 + two_way)
        self._edges += 1

    def _require_directed(self, place: str, two_way: bool) -> None:
        if two_way and self._directed:
            raise self.refusal(place, "undirected; each direction of a link must be an arc here")

    def topology(self) -> Topology:
        """What the file describes. Raises InvalidInput for an undeclared node or no nodes."""
        for label, place in self._undeclared.items():
            raise self.refusal(place, f"node {excerpt(label)} is not declared")
        n = len(self._declared)
        if not n:
            raise InvalidInput(f"{self._source}: no nodes")
        numbered = self._count_first == n or all(str(node) in self._number for node in range(n))
        rank, order = self._ranks(numbered), self._order()
        try:
            return Topology(
                n=n,
                tail=rank[_in_order(self._tail, order)],
                head=rank[_in_order(self._head, order)],
                capacity=self._exact("capacity", order),
                latency=self._exact("latency", order),
                switches=self._numbers("switch", rank),
                multicast=self._numbers("multicast", rank),
                reduce=self._numbers("reduce", rank),
                tiers=self._tiers_of_nodes(rank),
                **self._units,  # type: ignore[arg-type]
                names=None if numbered and not self._names else self._node_names(rank),
            )
        except InvalidInput as error:
            raise InvalidInput(f"{self._source}: {error}") from None

    def _numbers(self, ability: str, rank: IntArray) -> tuple[int, ...]:
        able = self._able[ability]
        return tuple(rank[able].tolist()) if able else ()

    def _tiers_of_nodes(self, rank: IntArray) -> tuple[int, ...] | None:
        if not self._tiers:
            return None
        found = [0] * len(rank)
        for number, tier in self._tiers.items():
            found[rank[number]] = tier
        return tuple(found)

    def _mention(self, label: str, place: str) -> int:
        number = self._number_if_known(label)
        if number is None:
            number = self._count_first + len(self._number)
            if number == self._most_nodes:
                raise self.refusal(place, f"more than {self._most_nodes} nodes")
            self._count(len(label), place)
            self._number[label] = number
            self._undeclared[label] = place
        return number

    def _count(self, characters: int, place: str) -> None:
        self._characters += characters
        if self._characters > MOST_NAMES:
            raise self.refusal(place, f"ids and names of more than {MOST_NAMES} characters")

    def _number_values(self, place: str, values: dict[str, object]) -> dict[str, int]:
        """The number of each value of an edge among all values of the field."""
        if not values:
            return {}
        try:
            return {
                field: known.number(value)
                for field, known in self._values.items()
                if (value := values.get(field)) is not None
            }
        except InvalidInput as error:
            raise self.refusal(place, str(error)) from None

    def _arc(self, tail: int, head: int, place: str, known: dict[str, int]) -> None:
        arc = len(self._tail)
        if arc == self._most_arcs:
            raise self.refusal(place, f"more than {self._most_arcs} arcs")
        self._tail.append(tail)
        self._head.append(head)
        if known:
            for field, number in known.items():
                self._values[field].put(arc, number)

    def _keep_key(self, key: object, arcs: int) -> None:
        """Collect the keys, of so many arcs each, while they can still turn out to be 0..m-1."""
        if isinstance(key, str) and key.isascii() and key.isdigit() and len(key) < 10:
            key = int(key)
        if isinstance(key, int) and 0 <= key < MOST_ARCS:
            self._keys.extend((key,) * arcs)  # type: ignore[union-attr]
        else:
            self._keys = None

    def _order(self) -> IntArray | None:
        """The arcs as their keys order them; None for the order of the file."""
        if self._keys is None or not self._keys:
            return None
        keys = np.array(self._keys)
        if not np.array_equal(np.unique(keys), np.arange(self._edges)):
            return None
        return np.argsort(keys, kind="stable").astype(np.int32)

    def _ranks(self, numbered: bool) -> IntArray:
        """The final number of each node, indexed by order of first mention."""
        if self._count_first:  # others would not have been declared
            return np.arange(self._count_first, dtype=np.int32)
        if numbered:
            return np.array([int(label) for label in self._number], dtype=np.int32)
        rank = np.empty(len(self._declared), dtype=np.int32)
        rank[np.array(self._declared)] = np.arange(len(rank), dtype=np.int32)
        return rank

    def _exact(self, field: str, order: IntArray | None) -> Any:
        return self._values[field].by_arc(len(self._tail), order)

    def _node_names(self, rank: IntArray) -> tuple[str, ...]:
        names = [""] * len(rank)
        for number in range(self._count_first):
            names[number] = self._names.get(number, str(number))
        for label, number in self._number.items():
            names[rank[number]] = self._names.get(number, label)
        return tuple(names)


class _Values:
    """The capacities or latencies of arcs; ONE where none is given.

    Each is kept and parsed once, by its text: there may be millions of arcs.
    """

    def __init__(self, field: str) -> None:
        self._field = field
        self._number: dict[str, int] = {"1": 0}
        self._values = [ONE]
        self._characters = 0
        self._which = array("i")

    def number(self, value: object) -> int:
        """The number of a value. Raises InvalidInput where it is none, or there are too many."""
        text = value if isinstance(value, str) else number_text(self._field, value)
        number = self._number.get(text)
        if number is None:
            self._characters += len(text)
            if self._characters > MOST_DIGITS:
                raise InvalidInput(f"{self._field}: different values of over {MOST_DIGITS} digits")
            found = exact(self._field, value)
            number = len(self._values)
            if number > MOST_VALUES:
                raise InvalidInput(f"{self._field}: more than {MOST_VALUES} different values")
            self._number[text] = number
            self._values.append(found)
        return number

    def put(self, arc: int, number: int) -> None:
        """Give an arc, which comes after all that have one, the value of that number."""
        self._which.extend([0] * (arc - len(self._which)))
        self._which.append(number)

    def put_all(self, arc: int, numbers: IntArray) -> None:
        """Give that arc and those after it values."""
        self._which.frombytes(bytes(self._which.itemsize * (arc - len(self._which))))
        self._which.frombytes(numbers.astype(np.intc).tobytes())

    def by_arc(self, arcs: int, order: IntArray | None) -> SharedValues | None:
        """The values of so many arcs in that order; None where no arc has one."""
        if not self._which:
            return None
        self.put_all(arcs, np.empty(0, dtype=np.int32))
        return SharedValues(self._values, _in_order(self._which, order))


def _in_order(numbers: "array[int]", order: IntArray | None) -> IntArray:
    """The numbers of the arcs, in another order or their own."""
    own = np.frombuffer(numbers, dtype=np.intc)
    return own if order is None else own[order]
