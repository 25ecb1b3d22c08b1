"""`llms.txt`: what topofinder offers, on one page for programs that read documentation.

Pages come from docs/index.md, commands from their help, public names from their docstrings;
`python -m tools.llms` writes the file, and a test compares it.
"""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import topofinder
from tools.docs import ROOT, command_names

FILE = ROOT / "llms.txt"
PAGE = re.compile(
    r"^\| \[(?P<title>[^]]+)\]\((?P<file>[^)]+)\) \| (?P<answers>.*) \|$", re.MULTILINE
)


def llms_text() -> str:
    """The page.

    >>> llms_text().splitlines()[0]
    '# topofinder'
    """
    words = (topofinder.__doc__ or "").strip().split("\n\n")[0].removeprefix("topofinder: ")
    words = " ".join(words.split())
    lines = ["# topofinder", "", f"> {words[:1].upper()}{words[1:]}", ""]
    lines += ["## Pages", "", *_pages(), "", "## Commands", "", *_commands()]
    return "\n".join([*lines, "", "## Python", "", *_names(), ""])


def _pages() -> Iterator[str]:
    index = Path(ROOT, "docs", "index.md").read_text(encoding="utf-8")
    for page in PAGE.finditer(index):
        yield f"- [{page['title']}](docs/{page['file']}): {page['answers']}"


def _commands() -> Iterator[str]:
    from typer.main import get_command

    from topofinder.cli.app import app

    group = get_command(app)
    for name in command_names():
        told = group.commands[name].help  # type: ignore[attr-defined]
        anchor = f"docs/command-line.md#topofinder-{name}"
        yield f"- [topofinder {name}]({anchor}): {_first_paragraph(told)}"


def _names() -> Iterator[str]:
    for name in topofinder.__all__:
        value = getattr(topofinder, name)
        if callable(value):
            yield f"- `topofinder.{name}`: {_first_paragraph(inspect.getdoc(value))}"


def _first_paragraph(text: str | None) -> str:
    return " ".join((text or "").strip().split("\n\n")[0].split())


if __name__ == "__main__":
    FILE.write_text(llms_text(), encoding="utf-8")
