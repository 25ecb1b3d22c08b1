"""What a command says to a file of another kind: which commands take it, and what it takes."""

from collections.abc import Iterator
from contextlib import contextmanager

from generators.errors import InvalidInput
from topofinder.model.file_register import FileKind, recognise_file

TAKEN = {
    "show": "a recipe, a fabric, or a topology, schedule, forest or timetable file",
    "build": "a recipe or a fabric",
    "schedule": "a recipe, a fabric or a topology file",
    "throughput": "a recipe, a fabric or a topology file",
    "plan": "for --to a recipe or a topology file",
    "inventory": "a recipe or a topology file",
    "export": "a schedule, forest or timetable file",
    "verify": "a schedule file, a forest file or a throughput certificate",
}
"""What each command takes."""


@contextmanager
def explain_wrong_file(command: str, subject: object, *taken: FileKind) -> Iterator[None]:
    """Where a subject is refused, say so if it is a file of another kind than those `taken`."""
    try:
        yield
    except InvalidInput:
        kind = recognise_file(str(subject))
        if kind is None or kind in taken:
            raise
        told = f"{kind.noun}, which is for {kind.taken_by}; {command} takes {TAKEN[command]}"
        raise InvalidInput(f"{subject}: {told}") from None
