"""Man pages of all commands, made from the help that docs/command-line.md shows.

`setup.py` puts them into wheels, so that `man topofinder-search` works wherever the command does;
`python -m tools.man FOLDER` writes them into FOLDER/man1. Nothing is imported but what comes with
Python, since a wheel is built before topofinder can be: that the page shows the help of today is
what its own test holds.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "command-line.md"
SECTION = 1

_HELP = re.compile(r"^\$ topofinder ?([\w-]*) --help\nUsage: (.*?)^```$", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^([A-Z][\w ]*):$")


def man_pages() -> dict[str, str]:
    """The text of each page by the name of its file.

    >>> man_pages()["topofinder-doctor.1"].splitlines()[1]
    '.SH NAME'
    """
    found = _HELP.findall(PAGE.read_text(encoding="utf-8"))
    names = {name for name, _ in found if name}
    titles = ((f"topofinder-{name}" if name else "topofinder", text) for name, text in found)
    return {f"{title}.{SECTION}": _page(title, text, names) for title, text in titles}


def _page(title: str, text: str, names: set[str]) -> str:
    usage, *paragraphs = re.split(r"\n\s*\n", text.rstrip())
    program, *words = usage.split()
    count = next(i for i, one in enumerate(paragraphs) if _HEADING.match(one.split("\n")[0]))
    first, *others = paragraphs[:count]
    lines = [
        f'.TH {_roff(title.upper())} {SECTION} "" "topofinder {_version()}" "topofinder"',
        *(".SH NAME", f"{_roff(title)} \\- {_roff(first).rstrip('.')}"),
        *(".SH SYNOPSIS", f".B {_roff(program)}", _roff(" ".join(words))),
        *(".SH DESCRIPTION", _roff(first)),
    ]
    for paragraph in others:
        lines += [".PP", _roff(paragraph)]
    for block in paragraphs[count:]:
        heading, *entries = block.split("\n")
        lines.append(f".SH {heading.rstrip(':').upper()}")
        if heading == "Examples:":
            lines += [".nf", *map(_roff, entries), ".fi"]
        else:
            lines += _entries(entries, names if title == "topofinder" else set())
    if title != "topofinder":
        lines += [".SH SEE ALSO", ".BR topofinder (1)"]
    return "\n".join([*lines, ""])


def _entries(lines: Sequence[str], names: set[str]) -> Iterator[str]:
    """Options or commands, each a line with what may go on below it, further to the right."""
    for entry in re.split(r"\n(?=  \S)", "\n".join(lines)):
        name, _, told = re.sub(r"\n\s*", "  ", entry.strip()).partition("  ")
        yield from (
            ".TP",
            f".B topofinder\\-{_roff(name)}(1)" if name in names else f".B {_roff(name)}",
        )
        yield _roff(told)


def _version() -> str:
    text = (ROOT / "generators" / "version.py").read_text(encoding="utf-8")
    [found] = re.findall(r'^__version__ = "(.*)"$', text, re.MULTILINE)
    return str(found)


def _roff(text: str) -> str:
    """A text in one line that roff prints as it stands.

    >>> _roff(".a -b\\n'c' \\\\d")
    "\\\\&.a \\\\-b 'c' \\\\ed"
    """
    line = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{line}" if line[:1] in ".'" else line


def write_man_pages(folder: Path) -> list[Path]:
    """Write all pages to the folder, which is made; their paths."""
    section = folder / f"man{SECTION}"
    section.mkdir(parents=True, exist_ok=True)
    paths = [section / name for name in man_pages()]
    for path, text in zip(paths, man_pages().values(), strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


if __name__ == "__main__":
    write_man_pages(Path(sys.argv[1]))
