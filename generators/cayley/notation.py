"""Groups read from text. `str` of a group is the canonical text, which reads back as the group.

group   = part { "x" part | ":" part action | "." part tail }    leftward: (A:B[..])xC is A:B[..]xC
part    = ( name | "P[" perm { "," perm } "]" | "(" group ")" ) [ "^" int ]
name    = "Z" int | "D" int | "Dic" int | "S" int | "A" int
action  = "[" images { "|" images } "]"     a list for each generator of the part that acts
tail    = "[" images "|" element "]"
images  = element { "," element }           one for each generator of the group acted upon
element = int | "(" int { "," int } ")"     its number, or its coordinates
perm    = "(" int { "," int } ")" { "(" int { "," int } ")" }
"""

import re
from collections.abc import Callable
from functools import lru_cache

from generators.cayley.dihedral import dicyclic, dihedral
from generators.cayley.group import Group, cyclic
from generators.cayley.permutations import Cycles, alternating_group, permutation_group, symmetric
from generators.cayley.products import cyclic_extension, direct, semidirect
from generators.errors import InvalidInput
from generators.excerpts import excerpt

LONGEST_TEXT = 2048
DEEPEST = 16

_WORD = re.compile(r"\s*([0-9]+|[A-Z][a-z]*|[x:.^()\[\],|])")
_NAMED: dict[str, Callable[[int], Group]] = {
    "Z": cyclic,
    "D": dihedral,
    "Dic": dicyclic,
    "S": symmetric,
    "A": alternating_group,
}


KEPT_ORDER = 1 << 12
"""Up to this order groups are kept by the thousand: about 20 KiB each."""


def parse_group(text: str) -> Group:
    """The group that a text specifies; `parse_group(str(group)) == group`.

    Raises InvalidInput, in one line, for anything else: a wrong word, more than MAX_ORDER
    elements, an action that is none.

    >>> str(parse_group(" Z2 x Z2 : Z3[1,3]")), parse_group("Z8.Z2[7|4]").order
    ('Z2^2:Z3[(0,1),(1,1)]', 16)
    """
    return _small_group(text) or _read_group(text)


@lru_cache(maxsize=1 << 11)
def _small_group(text: str) -> Group | None:
    """A group of at most KEPT_ORDER elements; None for larger ones, which are kept elsewhere."""
    found = _read_group(text)
    return found if found.order <= KEPT_ORDER else None


@lru_cache(maxsize=1 << 8)
def _read_group(text: str) -> Group:
    return _Reader(text).whole()


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text if len(text) <= 60 else f"{text[:57]}..."
        if len(text) > LONGEST_TEXT:
            raise self.wrong(f"longer than {LONGEST_TEXT} characters")
        self.words = self.split(text.rstrip())
        self.index = 0
        self.depth = 0

    def wrong(self, what: str) -> InvalidInput:
        return InvalidInput(f"group {self.text!r}: {what}")

    def split(self, text: str) -> list[str]:
        words, position = [], 0
        while position < len(text):
            match = _WORD.match(text, position)
            if match is None:
                raise self.wrong(f"unexpected {text[position:].lstrip()[:1]!r}")
            words.append(match[1])
            position = match.end()
        return words

    @property
    def next(self) -> str:
        return self.words[self.index] if self.index < len(self.words) else "the end"

    def take(self, *signs: str) -> str:
        """The next word if it is one of the signs, and move past it; otherwise nothing."""
        word = self.next
        if word not in signs:
            return ""
        self.index += 1
        return word

    def need(self, sign: str) -> None:
        if not self.take(sign):
            raise self.wrong(f"expected {sign!r}, not {excerpt(self.next)}")

    def integer(self) -> int:
        word = self.next
        if not word.isdecimal() or len(word) > 9:
            raise self.wrong(f"expected an integer below a thousand million, not {excerpt(word)}")
        self.index += 1
        return int(word)

    def whole(self) -> Group:
        group = self.group()
        if self.index < len(self.words):
            raise self.wrong(f"expected 'x', ':', '.' or the end, not {excerpt(self.next)}")
        return group

    def group(self) -> Group:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.wrong(f"nested deeper than {DEEPEST}")
        found = self.part()
        while sign := self.take("x", ":", "."):
            found = self.join_groups(found, sign, self.part())
        self.depth -= 1
        return found

    def join_groups(self, first: Group, sign: str, second: Group) -> Group:
        if sign == "x":
            return direct(first, second)
        rows = self.read_lists(first)
        if sign == ":":
            return semidirect(first, second, rows)
        if len(second.radix) > 1 or second.text[0] != "Z":
            raise self.wrong(f"'.' is followed by a cyclic group, not {second}")
        if len(rows) != 2 or len(rows[1]) != 1:
            raise self.wrong("'.' needs [images|tail]")
        return cyclic_extension(first, second.order, rows[0], rows[1][0])

    def read_lists(self, normal: Group) -> list[list[int]]:
        """The lists between square brackets, of elements of `normal` by number."""
        self.need("[")
        rows = [[self.element(normal)]]
        while sign := self.take(",", "|"):
            if sign == "|":
                rows.append([])
            rows[-1].append(self.element(normal))
        self.need("]")
        return rows

    def element(self, group: Group) -> int:
        return group.number(self.cycle() if self.next == "(" else self.integer())

    def cycle(self) -> tuple[int, ...]:
        self.need("(")
        found = [self.integer()]
        while self.take(","):
            found.append(self.integer())
        self.need(")")
        return tuple(found)

    def part(self) -> Group:
        found = self.atom()
        exponent = self.integer() if self.take("^") else 1
        if not 1 <= exponent <= DEEPEST:
            raise self.wrong(f"a power is 1 to {DEEPEST}, not {exponent}")
        power = found
        for _ in range(exponent - 1):
            power = direct(power, found)
        return power

    def atom(self) -> Group:
        if self.take("("):
            found = self.group()
            self.need(")")
            return found
        if self.take("P"):
            return self.permutations()
        if name := self.take(*_NAMED):
            return _NAMED[name](self.integer())
        raise self.wrong(f"expected one of {', '.join(_NAMED)}, P or '(', not {excerpt(self.next)}")

    def permutations(self) -> Group:
        self.need("[")
        found: list[Cycles] = [self.permutation()]
        while self.take(","):
            found.append(self.permutation())
        self.need("]")
        return permutation_group(found)

    def permutation(self) -> Cycles:
        cycles = [self.cycle()]
        while self.next == "(":
            cycles.append(self.cycle())
        return cycles
