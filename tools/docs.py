"""What the documentation is made of: real commands with their real output.

Pages hold cog blocks that call the functions below; `python -m tools.docs` writes their output
into the pages, all of them or those that are named, and `python -m tools.docs --check` says which
are out of date.
"""

import argparse
import os
import re
import shlex
import sqlite3
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import chdir, closing, redirect_stderr, redirect_stdout, suppress
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PROLOGUE = """from tools.docs import begin, commands, go_on, rows, run
from tools.pictures import *
from tools.tables import *"""

SECONDS = re.compile(r"in \d+\.\d\d s\b")
"""How long a command says it took, which no two runs do alike."""

SETTING = {"COLUMNS": "80", "NO_COLOR": "1", "TOPOFINDER_BACKGROUND": "0"}
"""What the width and the look of the help depend on."""


def run(*lines: str, most: int | None = None, last: int | None = None, **files: str) -> None:
    """A console block of commands, run in turn in a folder that holds `files`, with their output.

    Files are named without their suffix, which is .txt. Of longer output the first `most` lines, or
    the `last` ones, are told.
    """
    with TemporaryDirectory() as folder:
        _run_in(Path(folder), lines, files, most, last)


_places: dict[str, TemporaryDirectory[str]] = {}


def begin(place: str, *lines: str, most: int | None = None, **files: str) -> None:
    """The same, in a folder that stays for `go_on`: the story of a page, told in several blocks."""
    _places[place] = TemporaryDirectory()
    go_on(place, *lines, most=most, **files)


def go_on(place: str, *lines: str, most: int | None = None, **files: str) -> None:
    """The same, in the folder of the block that began there."""
    _run_in(Path(_places[place].name), lines, files, most)


def rows(place: str, query: str, db: str = "fabrics.db") -> None:
    """A block with a query, and one with its rows, of a database in the folder of `begin`."""
    from reports.text import table

    path = Path(_places[place].name, db)
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as opened:
        found = opened.execute(query)
        heads = [name for name, *_ in found.description]
        cells = [["" if cell is None else str(cell) for cell in row] for row in found]
    if not cells:
        raise ValueError(f"no rows: {query}")
    print(f"```sql\n{query.strip()};\n```\n\n```console\n{table(heads, cells)}\n```")


def _run_in(
    folder: Path,
    lines: Sequence[str],
    files: Mapping[str, str],
    most: int | None,
    last: int | None = None,
) -> None:
    with patch.dict(os.environ, SETTING), chdir(folder):
        os.environ.pop("TOPOFINDER_DB", None)
        os.environ.pop("TOPOFINDER_EFFORT", None)
        os.environ.pop("FORCE_COLOR", None)
        for name, text in files.items():
            Path(f"{name}.txt").write_text(text, encoding="utf-8")
        told = [
            f"$ {line}\n{_part(command_output(shlex.split(line)), most, last)}" for line in lines
        ]
    print("```console", "\n".join(told) + "```", sep="\n")


def _part(text: str, most: int | None, last: int | None) -> str:
    """The first `most` lines, or the `last` ones, with dots for the others."""
    lines = text.splitlines(keepends=True)
    if last is not None and len(lines) > last:
        return "".join(["...\n", *lines[-last:]])
    return text if most is None or len(lines) <= most else "".join([*lines[:most], "...\n"])


def command_output(words: list[str]) -> str:
    """All that a command prints; topofinder runs in this process, which has it imported."""
    if words[0] != "topofinder":
        return subprocess.run(
            words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True
        ).stdout
    from topofinder.cli.app import main
    from topofinder.compilation import WORDS

    told = StringIO()
    exits = suppress(SystemExit)  # raised after success too; mistakes are shown on purpose
    with patch.object(sys, "argv", words), redirect_stdout(told), redirect_stderr(told), exits:
        main()
    return SECONDS.sub("in ... s", told.getvalue().replace(f"topofinder: {WORDS}\n", ""))


def command_names() -> list[str]:
    """Every command of the command line, in the order of its help."""
    from typer.main import get_command

    from topofinder.cli.app import app

    return list(get_command(app).commands)  # type: ignore[attr-defined]


def commands() -> None:
    """A section for each command, with its help, after that of all."""
    print("## topofinder\n")
    run("topofinder --help")
    print()
    for name in command_names():
        print(f"## topofinder {name}\n")
        run(f"topofinder {name} --help")
        print()


def main() -> int:
    """Write, or with --check compare, the generated parts of all pages, or of those named."""
    from cogapp import Cog

    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; show what differs")
    parser.add_argument("pages", nargs="*", type=Path, help="such as docs/search.md")
    options = parser.parse_args()
    wish = ["--check", "--diff"] if options.check else ["-r"]
    asked = options.pages or [
        page for page in PAGES if "[[[cog" in page.read_text(encoding="utf-8")
    ]
    arguments = ["cog", "-P", "-I", str(ROOT), "-p", PROLOGUE, *wish, *map(str, asked)]
    return int(Cog().main(arguments) or 0)


if __name__ == "__main__":
    sys.exit(main())
