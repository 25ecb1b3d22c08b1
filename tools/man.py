"""Man pages of all commands, made from their help: `python -m tools.man FOLDER`.

They go into FOLDER/man1, so that `man -M FOLDER topofinder-search` shows one, or all of them where
FOLDER is in MANPATH.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from typer.main import get_command

from generators.version import __version__
from topofinder.cli.app import GROUPS, app
from topofinder.cli.examples import EXAMPLES
from topofinder.cli.register_help import fill_in_registers

SECTION = 1


def man_pages() -> dict[str, str]:
    """The text of each page by the name of its file.

    >>> man_pages()["topofinder-doctor.1"].splitlines()[1]
    '.SH NAME'
    """
    group: Any = get_command(app)
    pages = {"topofinder": _program_page(group)}
    pages |= {f"topofinder-{name}": _command_page(group, name) for name in group.commands}
    return {f"{name}.{SECTION}": text for name, text in pages.items()}


def _program_page(group: Any) -> str:
    lines = [*_head("topofinder", group.help), ".SH SYNOPSIS", ".B topofinder"]
    lines += ["[OPTIONS] COMMAND [ARGS]...", ".SH OPTIONS", *_options(group, "topofinder")]
    for heading, names in GROUPS.items():
        lines += [f".SH {heading.upper()}"]
        for name in names:
            lines += [".TP", f".B topofinder\\-{_roff(name)}(1)"]
            lines += [_roff(_first_paragraph(group.commands[name].help))]
    return "\n".join([*lines, ""])


def _command_page(group: Any, name: str) -> str:
    command, title = group.commands[name], f"topofinder-{name}"
    first, *others = re.split(r"\n\s*\n", command.help.strip())
    lines = [*_head(title, first), ".SH SYNOPSIS", f".B topofinder {_roff(name)}"]
    lines += [_roff(" ".join(command.collect_usage_pieces(_context(command, name))))]
    lines += [".SH DESCRIPTION", _roff(first)]
    for paragraph in others:
        lines += [".PP", _roff(paragraph)]
    lines += [".SH OPTIONS", *_options(command, name), ".SH EXAMPLES", ".nf"]
    lines += [*map(_roff, EXAMPLES[name]), ".fi", ".SH SEE ALSO", ".BR topofinder (1)"]
    return "\n".join([*lines, ""])


def _head(title: str, words: str) -> Iterator[str]:
    yield f'.TH {_roff(title.upper())} {SECTION} "" "topofinder {__version__}" "topofinder"'
    yield ".SH NAME"
    yield f"{_roff(title)} \\- {_roff(_first_paragraph(words)).rstrip('.')}"


def _options(command: Any, name: str) -> Iterator[str]:
    for parameter in command.get_params(_context(command, name)):
        record = parameter.get_help_record(_context(command, name))
        if record is not None:
            yield from (".TP", f".B {_roff(record[0])}", _roff(fill_in_registers(record[1])))


def _context(command: Any, name: str) -> Any:
    return command.context_class(command, info_name=name, help_option_names=["-h", "--help"])


def _first_paragraph(text: str) -> str:
    return " ".join(re.split(r"\n\s*\n", text.strip())[0].split())


def _roff(text: str) -> str:
    """A text in one line that roff prints as it stands.

    >>> _roff(".a -b\\n'c' \\\\d")
    "\\\\&.a \\\\-b 'c' \\\\ed"
    """
    line = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{line}" if line[:1] in ".'" else line


def write_man_pages(folder: Path) -> None:
    """Write all pages to the folder, which is made."""
    section = folder / f"man{SECTION}"
    section.mkdir(parents=True, exist_ok=True)
    for name, text in man_pages().items():
        (section / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_man_pages(Path(sys.argv[1]))
