"""Functions, methods and classes that nothing but tests asks for: `python -m tools.unused`.

A name is used where code of the library, the tools or the benchmarks says it, as a word, an
attribute, a keyword or a text of that word alone (registers, lazy imports), and where a page of the
docs calls it. What is said only in definitions that are themselves unused is no use. Names are
compared without their homes: one that stands for several things is used if any of them is.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from tools.levels import ROOT, modules, syntax_tree

Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef

ENTERING = {"overload", "field_validator", "model_validator", "MIGRATIONS"}
"""Decorators that hand a function over to whoever calls it."""
STANDARD_BASES = {"NamedTuple", "Protocol", "Generic", "StrEnum", "IntEnum", "Enum", "object"}
"""Foreign classes that call no method of those that are made from them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenPart:
    """A definition, or the rest of a module or class: where it stands and what words it says.

    `name` is None for what needs no caller; a word that ends in `*` stands for all that begin so.
    """

    place: str
    name: str | None
    within: str | None = None
    words: set[str] = field(default_factory=set)


def unused_definitions(trees: Mapping[str, ast.Module], public: Iterable[str] = ()) -> list[str]:
    """The definitions without a caller, as `module.name`; `public` names have theirs outside.

    >>> source = "def used(): pass\\ndef idle(): idle()\\nclass A:\\n  x = used()\\nA()"
    >>> unused_definitions({"m": ast.parse(source)})
    ['m.idle']
    """
    classes = {
        node.name
        for tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    parts = [
        part
        for name, tree in trees.items()
        for part in _parts(name, tree.body, None, classes | STANDARD_BASES)
    ]
    parts.append(SpokenPart(place="docs", name=None, words=set(public)))
    live = _live_places(parts)
    return [part.place for part in parts if part.name is not None and part.place not in live]


def documented_names() -> set[str]:
    """What pages of the docs call as a method or function of something: `frame.to_csv`."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    text = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    return set(re.findall(r"\.([a-z]\w*)", text))


def _live_places(parts: list[SpokenPart]) -> set[str]:
    """The places that are reached from what needs no caller; methods, if their class is too."""
    live: set[str] = set()
    words: set[str] = set()
    beginnings: tuple[str, ...] = ()
    while True:
        more = [
            part
            for part in parts
            if part.place not in live
            and (part.within is None or part.within in live)
            and (part.name is None or part.name in words or part.name.startswith(beginnings))
        ]
        if not more:
            return live
        live.update(part.place for part in more)
        words.update(*(part.words for part in more))
        beginnings = tuple(word[:-1] for word in words if word.endswith("*"))


def _parts(
    place: str, body: list[ast.stmt], within: str | None, own: set[str], free: bool = False
) -> Iterator[SpokenPart]:
    """The definitions of a module or class, and what else it says.

    Methods are parts of their own; a function's inner functions belong to it. Bases of classes
    other than `own` may call any method, as all of a body that is `free`.
    """
    rest = SpokenPart(place=f"{place}.", name=None, within=within)
    for node in body:
        if not isinstance(node, Definition):
            rest.words.update(_words(node))
            continue
        inner = f"{place}.{node.name}"
        if isinstance(node, ast.ClassDef):
            bases = {ast.unparse(each).split("[")[0].split(".")[-1] for each in node.bases}
            yield from _parts(inner, node.body, inner, own, free=not bases <= own)
            said: list[ast.AST] = [*node.bases, *node.keywords, *node.decorator_list]
        else:
            said = [node.args, *node.body, *node.decorator_list]
            said += [node.returns] if node.returns else []
        words = {word for each in said for word in _words(each)}
        name = None if free or _is_called_from_outside(node) else node.name
        yield SpokenPart(place=inner, name=name, within=within, words=words)
    yield rest


def _words(node: ast.AST) -> Iterator[str]:
    """The words that code says; neither a docstring nor an import under its own name is a use."""
    for each in ast.walk(node):
        match each:
            case ast.Name(id=word) | ast.Attribute(attr=word) | ast.keyword(arg=str(word)):
                yield word
            case ast.alias(name=word, asname=str(other)) if other != word:
                yield word.split(".")[-1]
            case ast.JoinedStr(values=[ast.Constant(value=str(word)), *_]) if word.isidentifier():
                yield f"{word}*"
            case ast.Constant(value=str(word)) if word.isidentifier():
                yield word


def _is_called_from_outside(node: Definition) -> bool:
    """Whether Python or a library calls it, by the form of its name or by its decorator."""
    if re.fullmatch(r"_.*_", node.name):
        return True
    names = {ast.unparse(each).split("(")[0].split(".")[-1] for each in node.decorator_list}
    return bool(names & ENTERING)


def unused_here() -> list[str]:
    """The definitions of this distribution that nothing asks for."""
    trees = {name: syntax_tree(path) for name, path in modules().items()}
    return unused_definitions(trees, documented_names())


if __name__ == "__main__":
    print(*unused_here(), sep="\n")
