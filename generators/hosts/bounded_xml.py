"""XML from strangers, element by element: bounded, and without document types.

A document type may define entities, which grow without bound; it is refused.
"""

from xml.parsers import expat

from generators.errors import InvalidInput
from generators.excerpts import excerpt

MOST_ELEMENTS, DEEPEST = 1 << 16, 64


class XmlReader:
    """Reads a document whose root is `root`; `path` has the numbers of the open elements.

    Subclasses say in `on_start` and `on_end` what an element means. Raises InvalidInput for what is
    no such document.

    >>> reader = XmlReader("system")
    >>> reader.read(b"<system><cpu/></system>")
    >>> reader.elements
    2
    """

    def __init__(self, root: str) -> None:
        self.root, self.elements = root, 0
        self.path: list[int] = []
        self._pieces: list[str] = []
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._pieces.append
        self._parser.StartDoctypeDeclHandler = self._see_doctype

    refuses_doctype = True

    def read(self, content: bytes) -> None:
        """Read a whole document."""
        try:
            self._parser.Parse(content, True)
        except expat.ExpatError as error:
            told = expat.errors.messages[error.code]
            raise InvalidInput(f"line {error.lineno}: {told}") from None

    @property
    def text(self) -> str:
        """What stands between the last mark and this one."""
        return "".join(self._pieces)

    def on_start(self, tag: str, values: dict[str, str]) -> None:
        """An element begins; `path` has those around it."""

    def on_end(self, tag: str) -> None:
        """An element ends."""

    def _see_doctype(
        self, name: str, system: str | None, public: str | None, internal: bool
    ) -> None:
        if self.refuses_doctype or internal:
            raise InvalidInput("a document type is not read")

    def _start(self, tag: str, values: dict[str, str]) -> None:
        if not self.elements and tag != self.root:
            raise InvalidInput(f"the root element is {excerpt(tag)}, not '{self.root}'")
        self.elements += 1
        if self.elements > MOST_ELEMENTS or len(self.path) >= DEEPEST:
            raise InvalidInput(f"more than {MOST_ELEMENTS} elements, or {DEEPEST} levels")
        self.on_start(tag, values)
        self.path.append(self.elements)
        self._pieces.clear()

    def _end(self, tag: str) -> None:
        self.path.pop()
        self.on_end(tag)
        self._pieces.clear()


def common_levels(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    """How many elements of the tree two have above them both.

    >>> common_levels((1, 2, 5), (1, 2, 7, 8))
    2
    """
    shared = (u == v for u, v in zip(one, other, strict=False))
    return next((i for i, same in enumerate(shared) if not same), min(len(one), len(other)))


def whole_number(tag: str, name: str, values: dict[str, str]) -> int:
    """An attribute that is a whole number."""
    text = values.get(name, "")
    if not (text.isascii() and text.isdigit() and len(text) <= 18):
        raise InvalidInput(f"{tag}: {name}: a whole number is needed, not {excerpt(text)}")
    return int(text)
