"""What releases from 1.0 on promise to keep: `python -m tools.promises` writes the list.

docs/promises.json names the public Python names with their parameters, the commands with their
options, the fields of `--json`, and the columns of the database; tests/data/promised holds a file
of each format. Tests compare: what is listed may not go. What is new is listed with a release.
"""

import inspect
import json
import os
import shlex
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import chdir, closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import topofinder
from tools.docs import ROOT, command_output

LIST = ROOT / "docs" / "promises.json"
FILES = ROOT / "tests" / "data" / "promised"
WORK = "--alpha 10us --size 1MiB --bandwidth 100Gbps"
LINES = (
    "search --n 8 --d 2 --json",
    f"search --n 8 --d 2 {WORK} --methods bfb --with-baselines --json",
    "query --n 8 --json",
    "show Diamond --json",
    "build Diamond -o topology.json",
    "build Diamond -o topology.graphml",
    "build Diamond -o topology.edges",
    "schedule Diamond --method bfb -o schedule.npz --json",
    "schedule Diamond --method forest -o forest.npz --json",
    f"schedule Diamond --method timed {WORK} -o timetable.npz --json",
    "verify schedule.npz --json",
    "verify forest.npz --json",
    "verify timetable.npz --json",
    "throughput Diamond --certificate certificate.json --json",
    "inventory C(8,{1,2}) -o inventory.json --current wired.csv",
    "plan --inventory inventory.json --current wired.csv --to C(8,{1,3}) -o plan.csv --json",
    "doctor --json",
)
"""Commands whose fields and files are kept, run one after the other in an empty folder."""
KEPT = (".npz", ".json", ".csv", ".edges", ".graphml", ".db")


def python_names() -> dict[str, list[str]]:
    """Public names, each with its parameters, if it can be called."""
    return {name: _parameters(getattr(topofinder, name)) for name in topofinder.__all__}


def _parameters(noun: object) -> list[str]:
    if not callable(noun):
        return []
    try:
        return list(inspect.signature(noun).parameters)
    except ValueError:  # exceptions in C
        return []


def command_options() -> dict[str, list[str]]:
    """Commands, each with its options and arguments."""
    from topofinder.cli.app import command_parser

    commands: dict[str, Any] = command_parser().commands  # type: ignore[attr-defined]
    return {
        name: sorted({word for one in command.params for word in one.opts})
        for name, command in commands.items()
    }


def json_fields(folder: Path) -> dict[str, list[str]]:
    """The fields that commands print with --json; makes files of all kinds in a folder."""
    found: dict[str, set[str]] = {}
    with chdir(folder):
        for line in LINES:
            words = shlex.split(line)
            told = command_output(["topofinder", *words])
            if "--json" in words:
                if not told.startswith(("{", "[")):
                    raise ValueError(f"{line}: {told}")
                found.setdefault(words[0], set()).update(_fields(json.loads(told)))
    return {name: sorted(fields) for name, fields in found.items()}


def _fields(value: object, above: str = "") -> Iterator[str]:
    """Names of fields, as `frontier[].recipe`; those of tables by recipe or id are left out."""
    if isinstance(value, list):
        for one in value:
            yield from _fields(one, f"{above}[]")
    elif isinstance(value, dict):
        for name, one in value.items():
            if name.isidentifier():
                path = f"{above}.{name}" if above else name
                yield path
                yield from _fields(one, path)


def database_columns(file: Path) -> dict[str, list[str]]:
    """Tables and views of a database, each with its columns."""
    with closing(sqlite3.connect(file)) as opened:
        query = "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY name"
        names = [name for (name,) in opened.execute(query) if not name.startswith(("sqlite", "_"))]
        return {
            name: [column for _, column, *_ in opened.execute(f'PRAGMA table_info("{name}")')]
            for name in names
        }


def promises(folder: Path) -> dict[str, dict[str, list[str]]]:
    """All that is promised, as it is now; makes a file of each kind in an empty folder."""
    return {
        "python": python_names(),
        "commands": command_options(),
        "json": json_fields(folder),
        "database": database_columns(folder / "topofinder.db"),
    }


def main() -> None:
    """Write the list, and the files where there are none: those of a release stay as they are."""
    os.environ.pop("TOPOFINDER_DB", None)
    with TemporaryDirectory() as place:
        listed = promises(Path(place))
        LIST.write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")
        FILES.mkdir(exist_ok=True)
        for file in sorted(Path(place).iterdir()):
            if file.suffix in KEPT and not (FILES / file.name).exists():
                shutil.copy(file, FILES / file.name)


if __name__ == "__main__":
    sys.exit(main())
