"""Reads a recipe from text: recursive descent over the notation, and the papers' typography.

product = tight { ("x" | box) tight }
tight   = atom { "*" count | "^" count | "||" count }
atom    = "(" product ")" | "L" [ "^" count ] "(" product ")" | "Bi" "(" product ")"
        | expansion "(" product { "," product } { "," int } ")"
        | expansion "(" product ";" edit { "," edit } ")"
        | name [ "(" [ group ";" ] argument { "," argument } ")" | "_" subscript ]
        | name "(" group ";" word ")"
count   = [ box ] int | "{" [ box ] int "}"
argument = int | "{" int { "," int } "}" | "(" int { "," int } ")" | name
subscript = int | "{" argument { "," argument } "}"
edit    = ( "-" | "+" | "~" ) int { "." int }
group   = as `generators.cayley.notation` reads it, with any brackets closed
word    = as the family reads it, with any brackets closed
"""

import re
from collections.abc import Callable
from typing import Any, NoReturn

from expansions.base_graphs import base_graph, reads_word
from expansions.canonical import (
    canonical,
    degree,
    expand,
    line,
    parallel,
    power,
    product,
    two_way,
)
from expansions.recipe import EDIT_SIGNS, EditList, Operands, Recipe
from expansions.register import EXPANSIONS
from expansions.tokens import KINDS, LARGEST_INT, Kind, Token, parse_error, tokenize
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.registry import Argument, Arguments

DEEPEST = 64
EDIT = re.compile(r"[-+~][0-9]{1,12}(\.[0-9]{1,12})*")


def parse(text: str) -> Recipe:
    """The canonical recipe that the text names; `parse(str(recipe)) == recipe`.

    Nothing is built. Raises InvalidInput, with the text and a caret under the offending
    character, for anything that is not a recipe, for impossible arguments of a family, and for
    graphs that are larger than a Topology can be.

    >>> str(parse("L(L^{2}(K_{4,4}))")), str(parse("(K_2 □ K_3)^{[]2}*3"))
    ('L^3(K(4,4))', '(K(2) x K(3))^2*3')
    """
    return _Parser(text).whole()


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokenize(text)
        self.index = 0
        self.depth = 0

    @property
    def next(self) -> Token:
        return self.tokens[self.index]

    def take(self, *kinds: Kind) -> Token | None:
        """The next word if it is of one of the kinds, and move past it."""
        token = self.next
        if token.kind not in kinds:
            return None
        self.index += 1
        return token

    def need(self, kind: Kind, expected: str) -> Token:
        return self.take(kind) or self.fail(f"expected {expected}, not {self.next.shown}")

    def fail(self, what: str) -> NoReturn:
        raise parse_error(what, self.text, self.next.position)

    def construct(self, at: Token, make: Callable[[], Recipe]) -> Recipe:
        """What `make` returns; its complaint, if any, with a caret under `at`."""
        try:
            return make()
        except InvalidInput as wrong:
            raise parse_error(str(wrong), self.text, at.position) from None

    def whole(self) -> Recipe:
        recipe = self.product()
        self.need("end", "an operator or the end")
        return recipe

    def product(self) -> Recipe:
        factors = [self.tight()]
        first = self.next
        while self.take("x", "box"):
            factors.append(self.tight())
        return self.construct(first, lambda: product(factors))

    def tight(self) -> Recipe:
        recipe = self.atom()
        while operator := self.take("*", "^", "||"):
            recipe = self.apply_operator(operator, recipe, self.count())
        return recipe

    def apply_operator(self, operator: Token, inner: Recipe, count: int) -> Recipe:
        make = {"*": degree, "^": power, "||": parallel}[operator.kind]
        return self.construct(operator, lambda: make(inner, count))

    def count(self) -> int:
        braced = self.take("{")
        self.take("box")
        count = self.integer()
        if braced:
            self.need("}", "'}'")
        return count

    def integer(self) -> int:
        return int(self.need("int", "an integer").text)

    def atom(self) -> Recipe:
        if self.next.kind == "(":
            return self.recipe_in_brackets()
        start = self.need("name", "a graph")
        if start.text == "L":
            times = self.count() if self.take("^") else 1
            inner = self.recipe_in_brackets()
            return self.construct(start, lambda: line(inner, times))
        if start.text == "Bi":
            inner = self.recipe_in_brackets()
            return self.construct(start, lambda: two_way(inner))
        if start.text in EXPANSIONS:
            parts, numbers = self.operands()
            return self.construct(start, lambda: expand(start.text, parts, numbers))
        arguments = self.arguments(reads_word(start.text))
        return self.construct(start, lambda: canonical(base_graph(start.text, arguments)))

    def recipe_in_brackets(self) -> Recipe:
        self.open_bracket()
        recipe = self.product()
        self.need(")", "')' or an operator")
        self.depth -= 1
        return recipe

    def open_bracket(self) -> None:
        """Take a bracket that recipes stand in."""
        self.depth += 1
        if self.depth > DEEPEST:
            self.fail(f"nested deeper than {DEEPEST}")
        self.need("(", "'('")

    def operands(self) -> tuple[tuple[Recipe, ...], Operands]:
        """The recipes of an expansion without a notation of its own, and its integers."""
        self.open_bracket()
        parts: list[Recipe] = [self.product()]
        numbers: list[Any] = []
        if self.take(";"):
            numbers += self.edits()
        while self.take(","):
            if numbers or self.next.kind == "int":
                numbers.append(self.integer())
            else:
                parts.append(self.product())
        self.need(")", "',', ')' or an operator")
        self.depth -= 1
        return tuple(parts), tuple(numbers)

    def edits(self) -> tuple[EditList, ...]:
        """The edits of a graft: a list of each kind."""
        token = self.need("edits", "edits such as -3.0, +1.2 or ~4.7")
        kinds: dict[str, list[tuple[int, ...]]] = {sign: [] for sign in EDIT_SIGNS}
        position = token.position
        for word in token.text.split(","):
            edit = word.strip()
            if not EDIT.fullmatch(edit):
                raise parse_error(f"{excerpt(edit)} is no edit", self.text, position)
            if any(kinds[sign] for sign in EDIT_SIGNS[EDIT_SIGNS.index(edit[0]) + 1 :]):
                what = "edits are removals, then insertions, then switches"
                raise parse_error(what, self.text, position)
            integers = tuple(map(int, edit[1:].split(".")))
            if max(integers) > LARGEST_INT:
                what = f"an integer is at most {LARGEST_INT}"
                raise parse_error(what, self.text, position)
            kinds[edit[0]].append(integers)
            position += len(word) + 1
        return tuple(map(tuple, kinds.values()))

    def arguments(self, reads_word: bool) -> Arguments:
        if self.take("("):
            group = self.group()
            if group and reads_word:
                return (*group, self.word())
            return (*group, *self.argument_list(")"))
        if not self.take("_"):
            return ()
        return self.argument_list("}") if self.take("{") else (self.integer(),)

    def group(self) -> tuple[str, ...]:
        """What stands before a semicolon, word for word; nothing if there is none."""
        first, depth = self.next.position, 1
        for index in range(self.index, len(self.tokens)):
            token = self.tokens[index]
            depth += (token.kind == "(") - (token.kind == ")")
            if depth == 0:
                break
            if token.kind == ";":
                self.index = index + 1
                return (self.text[first : token.position].strip(),)
        return ()

    def word(self) -> str:
        """What stands before the bracket that closes this one, without blanks."""
        first, depth = self.next.position, 1
        while depth:
            token = self.take(*KINDS) or self.fail(f"expected ')', not {self.next.shown}")
            depth += (token.kind == "(") - (token.kind == ")")
        return "".join(self.text[first : token.position].split())

    def argument_list(self, close: Kind) -> Arguments:
        found = [self.argument()]
        while self.take(","):
            found.append(self.argument())
        self.need(close, f"',' or {close!r}")
        return tuple(found)

    def argument(self) -> Argument:
        if self.take("{"):
            return self.integers("}")
        if self.take("("):
            return self.integers(")")
        if word := self.take("name"):
            return word.text
        return int(self.need("int", "an integer, a {set} or a word").text)

    def integers(self, close: Kind) -> tuple[int, ...]:
        found = [self.integer()]
        while self.take(","):
            found.append(self.integer())
        self.need(close, f"',' or {close!r}")
        return tuple(found)
