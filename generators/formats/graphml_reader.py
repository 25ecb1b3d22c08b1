"""Reading GraphML from strangers: http://graphml.graphdrawing.org.

The XML is read by expat, in one pass. A document type declaration is refused before the parser
sees it, so that no entity is ever declared, expanded or fetched. Elements of other namespaces
(drawings, colours) are passed over; hyperedges and graphs inside graphs are refused.
"""

import re
from collections.abc import Callable, Iterable
from xml.parsers import expat

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.files import TextError, no_text, require_text
from generators.formats.draft import ABILITIES, Draft
from generators.topology import UNITS, Topology

_DEEPEST = 64
LONGEST = 1 << 20
"""Characters from one tag to the next at most, which bounds the attributes of an element."""
MOST_TAGS = 3 << 17
"""Tags at most, those that end an element among them: each takes three microseconds."""
MOST_WORDS = 1 << 12
"""Different names of elements, attributes, keys and namespaces at most: expat keeps them all."""
_PIECE = 1 << 16  # expat runs on to the end of its input after a handler raises
_LONG_TAG = re.compile(b"<[^<]{%d}" % LONGEST)
_GRAPH = "graphml/graph"
_NODE, _EDGE = f"{_GRAPH}/node", f"{_GRAPH}/edge"
_KEY = "graphml/key"
_REFUSED = {
    f"{_GRAPH}/hyperedge": "a hyperedge joins more than two nodes",
    f"{_NODE}/graph": "a graph inside a node is not read",
    f"{_EDGE}/graph": "a graph inside an edge is not read",
}


def read_graphml(source: str, content: bytes, *, directed: bool = False) -> Topology:
    """The topology of a GraphML document; `source` names the file in messages.

    Raises InvalidInput naming the line and column.

    >>> graph = b'<graph edgedefault="directed"><node id="a"/><edge source="a" target="a"/></graph>'
    >>> read_graphml("x.graphml", b"<graphml>" + graph + b"</graphml>").names
    ('a',)
    """
    _refuse_declarations(source, content)
    reader = _Reader(source, directed)
    try:
        for start in range(0, len(content), _PIECE):
            reader.parser.Parse(content[start : start + _PIECE], False)
        reader.parser.Parse(b"", True)
    except expat.ExpatError as error:
        where = f"line {error.lineno}, column {error.offset + 1}"
        raise InvalidInput(f"{source}: {where}: {expat.ErrorString(error.code)}") from None
    return reader.topology()


def _refuse_declarations(source: str, content: bytes) -> None:
    """expat runs on to the end of its input after a handler raises, so this looks first.

    Only UTF-8 is let through, with no NUL: from a byte order mark or a NUL expat would conclude
    that the text is UTF-16, in which a declaration looks different.
    """
    try:
        require_text(content)
        if (odd := content.find(b"\0")) >= 0:
            raise no_text(content, odd)
    except TextError as error:
        raise InvalidInput(f"{source}: {error}") from None
    try:
        require_few_tags(content.count(b"<"))
    except InvalidInput as error:
        raise InvalidInput(f"{source}: {error}") from None
    if found := _LONG_TAG.search(content):
        line = content.count(b"\n", 0, found.start()) + 1
        raise InvalidInput(f"{source}: line {line}: a tag of more than {LONGEST} characters")
    at = content.find(b"<!DOCTYPE")
    if at >= 0:
        line = content.count(b"\n", 0, at) + 1
        column = at - content.rfind(b"\n", 0, at)
        where = f"line {line}, column {column}"
        raise InvalidInput(f"{source}: {where}: a document type declaration is not read")


def require_few_tags(tags: int, most: int = MOST_TAGS) -> None:
    """Refuse a document of so many tags, which is not read, and so not written either.

    >>> require_few_tags(10, 9)
    Traceback (most recent call last):
    generators.errors.InvalidInput: 10 tags; GraphML is for 9, an edge list for more
    """
    if tags > most:
        raise InvalidInput(f"{tags} tags; GraphML is for {most}, an edge list for more")


class _Reader:
    def __init__(self, source: str, directed: bool) -> None:
        self._draft = Draft(source, directed=directed)
        self._path: list[str] = []  # of each open element, from the root
        self._known: dict[tuple[str, str], str] = {}  # parent's path, tag -> path
        self._words: set[str] = set()
        self._namespace = ""
        self._keys: dict[str, tuple[str, str]] = {}  # id -> attribute, domain
        self._defaults: dict[tuple[str, str], str] = {}  # domain, attribute -> text
        self._key = ""
        self._element: dict[str, str] = {}
        self._values: dict[str, object] = {}
        self._place = ""
        self._text: list[str] = []
        self._two_way: bool | None = None
        self.parser = expat.ParserCreate(encoding="utf-8", namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.StartNamespaceDeclHandler = self._start_namespace
        self.parser.CharacterDataHandler = self._text.append
        self._starts: dict[str, Callable[[dict[str, str]], None]] = {
            "graphml/graph": self._start_graph,
            _KEY: self._start_key,
            _NODE: self._start_element,
            _EDGE: self._start_element,
            f"{_GRAPH}/data": self._start_value,
            f"{_NODE}/data": self._start_value,
            f"{_EDGE}/data": self._start_value,
        }
        self._ends: dict[str, Callable[[], None]] = {
            f"{_KEY}/default": self._end_default,
            _NODE: self._end_node,
            _EDGE: self._end_edge,
            f"{_GRAPH}/data": self._end_unit,
            f"{_NODE}/data": self._end_value,
            f"{_EDGE}/data": self._end_value,
        }

    def topology(self) -> Topology:
        if self._two_way is None:
            raise self._draft.refusal("graphml", "no graph")
        return self._draft.topology()

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if not self._path:
            self._start_root(tag)
        self._words.add(tag)
        self._keep_words(attributes)
        if len(self._path) == _DEEPEST:
            raise self._refusal("nested too deep")
        where = self._enter(tag)
        self._text.clear()
        if start := self._starts.get(where):
            start(attributes)

    def _enter(self, tag: str) -> str:
        """The path of an element that begins; joined once for all that are alike."""
        above = self._path[-1] if self._path else ""
        where = self._known.get((above, tag))
        if where is None:
            name = tag.removeprefix(self._namespace)
            where = f"{above}/{name}" if above else name
            if where in _REFUSED:
                raise self._refusal(_REFUSED[where])
            self._known[above, tag] = where
        self._path.append(where)
        return where

    def _keep_words(self, words: Iterable[str]) -> None:
        self._words.update(words)
        if len(self._words) > MOST_WORDS:
            raise self._refusal(f"more than {MOST_WORDS} names of elements, attributes and keys")

    def _start_namespace(self, prefix: str | None, uri: str | None) -> None:
        self._keep_words((f"{prefix}={uri}",))

    def _end(self, tag: str) -> None:
        if end := self._ends.get(self._path.pop()):
            end()

    def _start_root(self, tag: str) -> None:
        name = tag.rpartition(" ")[2]
        if name != "graphml":
            raise self._refusal(f"the root element is {excerpt(name)}, not 'graphml'")
        self._namespace = tag.removesuffix(name)

    def _start_graph(self, attributes: dict[str, str]) -> None:
        if self._two_way is not None:
            raise self._refusal("a second graph in one file")
        default = attributes.get("edgedefault")
        if default not in ("directed", "undirected"):
            raise self._refusal(
                f"edgedefault: must be directed or undirected, not {excerpt(default)}"
            )
        self._two_way = default == "undirected"

    def _start_key(self, attributes: dict[str, str]) -> None:
        self._key = self._require_attribute("id", attributes)
        self._keep_words((self._key,))
        name = attributes.get("attr.name", "")
        self._keys[self._key] = (name, attributes.get("for", "all"))

    def _end_default(self) -> None:
        name, domain = self._keys[self._key]
        for element in ("node", "edge") if domain == "all" else (domain,):
            self._defaults[element, name] = "".join(self._text)

    def _start_element(self, attributes: dict[str, str]) -> None:
        self._element, self._values = attributes, {}
        self._place = self._here()
        for name in ("id",) if self._path[-1] == _NODE else ("source", "target"):
            if name not in attributes:
                raise self._lack(name)

    def _start_value(self, attributes: dict[str, str]) -> None:
        self._key = self._require_attribute("key", attributes)
        if self._key not in self._keys:
            raise self._refusal(f"key {excerpt(self._key)} is not declared")

    def _end_value(self) -> None:
        self._values[self._keys[self._key][0]] = "".join(self._text)

    def _end_unit(self) -> None:
        """A value of the whole graph; attributes that are no units are passed over."""
        field = self._keys[self._key][0]
        if field in UNITS:
            self._draft.unit(field, "".join(self._text), self._here())

    def _ability(self, name: str) -> bool:
        value = str(self._values.get(name, "false")).strip().lower()
        if value not in ("true", "false", "1", "0"):
            known = f"{name}: must be true or false, not {excerpt(value)}"
            raise self._draft.refusal(self._place, known)
        return value in ("true", "1")

    def _end_node(self) -> None:
        self._fill_defaults("node", ("name", "tier", *ABILITIES))
        able = [ability for ability in ABILITIES if self._ability(ability)]
        name = self._values.get("name")
        self._draft.node(
            self._element["id"],
            self._place,
            name=None if name is None else str(name),
            abilities=able,
        )
        self._draft.tier(self._element["id"], self._values.get("tier"), self._place)

    def _end_edge(self) -> None:
        if self._defaults:
            self._fill_defaults("edge", ("capacity", "latency"))
        ends = (self._element["source"], self._element["target"])
        directed = self._element.get("directed", "false" if self._two_way else "true")
        if directed not in ("true", "false"):
            raise self._draft.refusal(
                self._place, f"directed: must be true or false, not {excerpt(directed)}"
            )
        self._draft.edge(
            ends,
            self._place,
            two_way=directed == "false",
            key=self._element.get("id"),
            values=self._values,
        )

    def _fill_defaults(self, domain: str, names: tuple[str, ...]) -> None:
        for name in names:
            if (domain, name) in self._defaults:
                self._values.setdefault(name, self._defaults[domain, name])

    def _require_attribute(self, name: str, attributes: dict[str, str]) -> str:
        if name not in attributes:
            raise self._lack(name)
        return attributes[name]

    def _lack(self, name: str) -> InvalidInput:
        return self._refusal(f"an element without {name!r}")

    def _here(self) -> str:
        return f"line {self.parser.CurrentLineNumber}, column {self.parser.CurrentColumnNumber + 1}"

    def _refusal(self, complaint: str) -> InvalidInput:
        return self._draft.refusal(self._here(), complaint)
