"""The words of the recipe notation, plain or as the papers and LaTeX set them, and its errors."""

import re
from typing import Literal, NamedTuple, cast, get_args

from generators.errors import InvalidInput
from generators.excerpts import excerpt

Kind = Literal[
    "int",
    "name",
    "x",
    "box",
    "^",
    "*",
    "||",
    "_",
    "(",
    ")",
    "{",
    "}",
    ",",
    ";",
    "group",
    "edits",
    "end",
]
"""`group` is a sign that only the specification of a group has, which `;` closes, or a word;
`edits` are all those of a graft, which `;` opens."""

KINDS: tuple[Kind, ...] = get_args(Kind)[:-1]
"""All but the end."""

LONGEST_TEXT = 4096
LONGEST_SWITCHES = 1 << 16
"""A recipe may be so long if no more than LONGEST_TEXT characters of it are other than switches of
a graft: so large graphs that nothing else names have one."""
LARGEST_INT = 10**9
SHOWN = 100
"""An error shows a longer text cut to about this many characters around the caret."""

_STYLE = "text|mathrm|mathit|mathbf|operatorname"
_PATTERN = re.compile(
    rf"""(?P<blank>(?:\s|~|\$|\\[,;:!\ ]|\\q?quad\b|\\left\b|\\right\b)+)
    |(?P<int>[0-9]+)
    |(?P<pi>Π|∏|\\Pi(?![A-Za-z]))
    |\\(?:{_STYLE})\s*\{{\s*(?P<styled>[A-Za-z][A-Za-z0-9]*)\s*\}}
    |(?P<box>\[\s*\]|[□◻☐▢]|\\(?:Box|square)(?![A-Za-z]))
    |(?P<x>×|\\times(?![A-Za-z]))
    |(?P<star>[*∗]|\\ast(?![A-Za-z]))
    |(?P<parallel>\|\||[∥‖]|\\parallel(?![A-Za-z]))
    |(?P<name>[A-Za-z][A-Za-z0-9]*)
    |(?P<group>[:.|\[\]])
    |\\?(?P<sign>[(){{}}^_,;])""",
    re.VERBOSE,
)
_EDITS = re.compile(r"\s*(?P<edits>(?:[-+][0-9]|~[0-9]+\.[0-9])[-+~.,0-9\s]*)")
_SWITCHES = re.compile(r"(;[-+.,0-9]*)~[~.,0-9]*")
_KINDS: dict[str, Kind] = {
    "int": "int",
    "name": "name",
    "styled": "name",
    "pi": "name",
    "box": "box",
    "x": "x",
    "star": "*",
    "parallel": "||",
    "group": "group",
    "edits": "edits",
}
_OPERAND_ENDS = ("int", "name", ")", "}")


class Token(NamedTuple):
    """One word: its kind, its text (`Pi` for the Greek letter), and where it starts."""

    kind: Kind
    text: str
    position: int

    @property
    def shown(self) -> str:
        """The word as an error message names it."""
        return "the end" if self.kind == "end" else excerpt(self.text)


def tokenize(text: str) -> list[Token]:
    """The words of a recipe, closed by one of kind `end`.

    A name that starts with x right after an operand is the product sign and what follows, so
    `K(2)xK(3)` reads like `K(2) x K(3)`. Raises InvalidInput, with a caret, for a character
    that no word starts with, an integer above LARGEST_INT, or a text that is too long.

    >>> [token.text for token in tokenize("Π_{4,8}^{□2}")]
    ['Pi', '_', '{', '4', ',', '8', '}', '^', '{', '□', '2', '}', '']
    """
    most = longest_text(text)
    if len(text) > most:
        raise parse_error(f"longer than {most} characters", text, most)
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        opened = tokens and tokens[-1].kind == ";"
        match = (opened and _EDITS.match(text, position)) or _PATTERN.match(text, position)
        if match is None:
            raise parse_error(f"unexpected {text[position]!r}", text, position)
        position = match.end()
        if match.lastgroup != "blank":
            tokens.append(_token(match, tokens))
            position = tokens[-1].position + 1 if _is_split(match, tokens) else position
    return [*tokens, Token("end", "", len(text.rstrip()))]


def longest_text(text: str) -> int:
    """How many characters a recipe may have: more if it is long by its switches alone.

    >>> longest_text("K(4)" + " " * 9999), longest_text(f"Graft(K(4);{'~1.2,' * 9999})")
    (4096, 65536)
    """
    is_short = len(text) <= LONGEST_TEXT or len(_SWITCHES.sub(r"\1", text)) > LONGEST_TEXT
    return LONGEST_TEXT if is_short else LONGEST_SWITCHES


def _token(match: re.Match[str], before: list[Token]) -> Token:
    group, start = match.lastgroup or "", match.start()
    word = match[group]
    after_operand = bool(before) and before[-1].kind in _OPERAND_ENDS
    if group == "name" and word.startswith("x") and after_operand:
        return Token("x", "x", start)
    if group == "int" and (len(word) > 12 or int(word) > LARGEST_INT):
        raise parse_error(f"an integer is at most {LARGEST_INT}", match.string, start)
    return Token(_KINDS.get(group) or cast(Kind, word), "Pi" if group == "pi" else word, start)


def _is_split(match: re.Match[str], tokens: list[Token]) -> bool:
    """Whether only the x of a longer name was taken."""
    return match.lastgroup == "name" and tokens[-1].kind == "x"


def parse_error(what: str, text: str, position: int) -> InvalidInput:
    """An InvalidInput of three lines: `what` and the column (from 1), the text, the caret.

    Characters that would move or hide the caret (tabs, line ends, control characters) are
    shown as one blank each.

    >>> print(parse_error("expected ')'", "L(K(3)", 6))
    expected ')' (column 7)
      L(K(3)
            ^
    """
    line = "".join(one if one.isprintable() else " " for one in text)
    start = max(0, position - SHOWN // 2) if len(line) > SHOWN else 0
    end = start + SHOWN
    before = "..." if start else ""
    after = "..." if end < len(line) else ""
    caret = " " * (len(before) + position - start) + "^"
    return InvalidInput(
        f"{what} (column {position + 1})\n  {before}{line[start:end]}{after}\n  {caret}"
    )
