"""Reference pages of the site: a page for every public name of topofinder, from its docstring.

Docstrings are written in Markdown, so that they stand on the pages as they are; their examples are
those that the doctests run.
"""

import dataclasses
import enum
import inspect
import re
from collections.abc import Callable, Iterator
from typing import Any, get_type_hints

from pydantic import BaseModel
from sphinx.util.inspect import signature, stringify_annotation, stringify_signature

import topofinder

FENCE = "````"
"""Of directives; code within takes three."""
EXAMPLE = re.compile(r"^>>> .*?(?=^\s*$|\Z)", re.MULTILINE | re.DOTALL)
INHERITED = (object, BaseModel, enum.Enum, str, int, tuple, BaseException)
"""Classes whose own members are not told again."""


def reference_pages() -> dict[str, str]:
    """The text of each page by its name, `index` first.

    >>> sorted(reference_pages())[:2]
    ['Answer', 'Candidate']
    """
    names = [name for name in topofinder.__all__ if not name.startswith("_")]
    return {"index": _index(names)} | {name: _page(name) for name in names}


def _index(names: list[str]) -> str:
    """Functions, nouns and errors, each with its first paragraph; and the order of the pages."""
    parts: dict[str, list[str]] = {"Functions": [], "Nouns": [], "Errors": []}
    for name in names:
        parts[_part(getattr(topofinder, name))].append(name)
    lines = ["# Python reference", "", "Every public name of `import topofinder as tf`.", ""]
    for title, members in parts.items():
        lines += [f"## {title}", "", "| name | what it is |", "| --- | --- |"]
        lines += [f"| [{name}]({name}.md) | {_first_paragraph(name)} |" for name in members]
        lines.append("")
    return "\n".join([*lines, "```{toctree}", ":hidden:", "", *sorted(names, key=str.lower), "```"])


def _part(value: Any) -> str:
    if inspect.isclass(value) and issubclass(value, BaseException):
        return "Errors"
    return "Functions" if inspect.isfunction(value) else "Nouns"


def _first_paragraph(name: str) -> str:
    text = inspect.getdoc(getattr(topofinder, name)) or ""
    return " ".join(text.split("\n\n")[0].split()).replace("|", "\\|")


def _page(name: str) -> str:
    value = getattr(topofinder, name)
    if inspect.isfunction(value):
        body = _directive("function", f"{name}{_arguments(value)}", _text(value))
    elif inspect.isclass(value):
        kind = "exception" if issubclass(value, BaseException) else "class"
        body = _directive(kind, name, "\n\n".join([_text(value), *_members(value)]), colons=1)
    else:
        body = _directive("data", name, f"`{value}`")
    return f"# {name}\n\n{body}\n"


def _directive(kind: str, words: str, body: str, *, colons: int = 0) -> str:
    """A directive of Sphinx's Python domain; `colons` more for what holds others."""
    fence = FENCE + "`" * colons
    return f"{fence}{{py:{kind}}} {words}\n:module: topofinder\n\n{body}\n{fence}"


def _arguments(function: Callable[..., Any]) -> str:
    return stringify_signature(signature(function), unqualified_typehints=True)


def _text(value: Any) -> str:
    """A docstring, its examples as blocks."""
    text = inspect.getdoc(value) or ""
    return EXAMPLE.sub(lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", text)


def _members(value: type) -> Iterator[str]:
    """What a noun holds and does: fields, then properties and methods, in the order of the code."""
    if rows := [f"| `{name}` | `{kind}` |" for name, kind in _fields(value)]:
        yield "\n".join(["| field | type |", "| --- | --- |", *rows])
    if issubclass(value, enum.Enum):
        words = [f"| `{one.name}` | `{one.value!r}` |" for one in value]
        yield "\n".join(["| member | value |", "| --- | --- |", *words])
    for name, member in _own_members(value):
        if isinstance(member, property):
            told = _return_type(member.fget)
            yield _directive("property", f"{value.__name__}.{name}{told}", _text(member))
        else:
            plain = inspect.unwrap(getattr(member, "__func__", member))
            kind = "classmethod" if isinstance(member, classmethod) else "method"
            yield _directive(kind, f"{value.__name__}.{name}{_arguments(plain)}", _text(plain))


def _fields(value: type) -> Iterator[tuple[str, str]]:
    """Name and type of each field of a frozen noun."""
    if dataclasses.is_dataclass(value):
        hints = _hints(value)
        for field in dataclasses.fields(value):
            if not field.name.startswith("_"):
                yield field.name, _type_words(hints.get(field.name, field.type))
    elif issubclass(value, BaseModel):
        for name, info in value.model_fields.items():
            yield name, _type_words(info.annotation)


def _hints(value: type) -> dict[str, Any]:
    try:
        return get_type_hints(value)
    except NameError:  # names that only type checkers import
        return {}


def _type_words(annotation: Any) -> str:
    words = annotation if isinstance(annotation, str) else stringify_annotation(annotation, "smart")
    return words.replace("~", "").replace("|", "\\|")


def _own_members(value: type) -> Iterator[tuple[str, Any]]:
    """Public properties and methods with a docstring, those of bases of topofinder's too."""
    seen = set()
    for base in value.__mro__:
        if base in INHERITED or base.__module__.split(".")[0] not in _PACKAGES:
            continue
        for name, member in vars(base).items():
            told = inspect.getdoc(getattr(member, "__func__", member))
            documented = isinstance(member, property | classmethod | staticmethod) or (
                inspect.isfunction(member)
            )
            if documented and told and not name.startswith("_") and name not in seen:
                seen.add(name)
                yield name, member


_PACKAGES = frozenset({"topofinder", "expansions", "generators", "db", "reports"})


def _return_type(getter: Callable[..., Any] | None) -> str:
    if getter is None:
        return ""
    told = signature(getter).return_annotation
    return "" if told is inspect.Signature.empty else f": {_type_words(told)}".replace("\\|", "|")
