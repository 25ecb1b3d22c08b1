"""What a command says to a file of another kind: which commands take it, and what it takes."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from generators.errors import InvalidInput
from generators.files import open_bounded
from generators.formats import FORMATS
from generators.formats.declared import declared_format


class Kind(NamedTuple):
    """A kind of file: what it is called, and what takes it."""

    name: str
    takers: str


TOPOLOGY = Kind(
    "a topology file", "schedule, throughput, inventory, plan --to, verify --on and show --forest"
)
SCHEDULE = Kind("a schedule file", "show and verify")
FOREST = Kind("a forest file", "show and verify")
CERTIFICATE = Kind("a throughput certificate", "verify")
PLAN = Kind("a plan", "replay")
INVENTORY = Kind("an inventory", "plan, plan-jobs and replay (--inventory)")
JOBS = Kind("a list of jobs", "plan-jobs")
TABLE = Kind("a table", "plan (--current, --start), replay and throughput (--demand)")
DATABASE = Kind("a database", "search, sweep, query, report, serve, export-db and merge")
DRAWING = Kind("a file for other programs", "no command")

_DECLARED = {
    "topofinder-fabric": TOPOLOGY,
    "topofinder-schedule": SCHEDULE,
    "topofinder-forest": FOREST,
    "topofinder-throughput": CERTIFICATE,
    "topofinder-plan": PLAN,
    "topofinder-inventory": INVENTORY,
}
_FIELDS = {"panels": INVENTORY, "jobs": JOBS, "nodes": TOPOLOGY}
_BEGINNING = 1 << 16
_TELLING = re.compile(rb'"format"\s*:\s*"(topofinder-[a-z]+)"|"(panels|jobs|nodes)"\s*:')
_SUFFIXES = {
    **{end: TOPOLOGY for known in FORMATS.values() for end in known.suffixes if end != ".json"},
    ".csv": TABLE,
    ".db": DATABASE,
    **dict.fromkeys((".dot", ".gv", ".adj", ".adjlist"), DRAWING),
}
TAKEN = {
    "show": "a recipe, a fabric, or a schedule or forest file; with --forest also a topology file",
    "build": "a recipe or a fabric",
    "schedule": "a recipe, a fabric or a topology file",
    "throughput": "a recipe, a fabric or a topology file",
    "plan": "for --to a recipe or a topology file",
    "inventory": "a recipe or a topology file",
    "verify": "a schedule file, a forest file or a throughput certificate",
}
"""What each command takes."""


@contextmanager
def explain_wrong_file(command: str, subject: object, *taken: Kind) -> Iterator[None]:
    """Where a subject is refused, say so if it is a file of another kind than those `taken`."""
    try:
        yield
    except InvalidInput:
        kind = kind_of(str(subject))
        if kind is None or kind in taken:
            raise
        told = f"{kind.name}, which is for {kind.takers}; {command} takes {TAKEN[command]}"
        raise InvalidInput(f"{subject}: {told}") from None


def kind_of(path: str) -> Kind | None:
    """The kind of a file, by its suffix or by what it says; None where neither tells.

    >>> kind_of("ring.edges").name, kind_of("K(4)")
    ('a topology file', None)
    """
    suffix = Path(path).suffix.lower()
    if suffix not in (".json", ".npz"):
        return _SUFFIXES.get(suffix)
    told = declared_format(path) if suffix == ".npz" else _begun(path)
    return _DECLARED.get(told or "") or _FIELDS.get(told or "")


def _begun(path: str) -> str | None:
    """What the beginning of a JSON file tells: its format, or the first field that only one has.

    Nothing is parsed: while a refusal is handled, what was parsed before it still takes memory.
    """
    try:
        found = _TELLING.search(_beginning(path))
    except InvalidInput:
        return None
    return None if found is None else (found[1] or found[2]).decode("ascii")


def _beginning(path: str) -> bytes:
    with open_bounded(path) as file:
        return file.read(_BEGINNING)
