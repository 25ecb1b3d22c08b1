"""What is in place after a plan was begun: a journal of its moves, done, failed or unknown.

A journal is CSV, a line for each thing that is noted, the last one of a move counting: write a
move down as unknown before it is begun and as done or failed after it, and whoever is killed
between the two lines is told what to look at. A last line that was cut off counts as unknown.

Whether an unknown move was made may follow from later ones that are done; else its circuit is to
be taken out first, if it is there, so that both ports are surely free.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.files import read_bounded
from generators.topology import IntArray
from topofinder.model.inventory.cross_connects import LARGEST, read_csv
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Circuit, Wiring
from topofinder.verification.plan_reader import SavedPlan
from topofinder.verification.plan_wirings import circuit_name


class Outcome(StrEnum):
    """What became of a move."""

    DONE = "done"
    FAILED = "failed"
    UNKNOWN = "unknown"


class JournalNote(NamedTuple):
    """The last that is noted of a move: its outcome, and the port to blame if one is named."""

    outcome: Outcome
    port: int | None
    where: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JournalState:
    """The wiring `now`, once the `doubtful` circuits are taken out, if they are there.

    `bad` are the ports that moves failed at; `done`, `failed` and `unknown` count moves of `moves`.
    `violation` is a line where the journal cannot be true.
    """

    now: Wiring
    bad: tuple[int, ...]
    doubtful: tuple[Circuit, ...]
    moves: int
    done: int
    failed: int
    unknown: int
    violation: str | None = None


class _Move(NamedTuple):
    number: int
    makes: bool
    circuit: Circuit


def plan_moves(plan: SavedPlan, *, back: bool = False) -> list[_Move]:
    """The moves of a plan, or of its rollback, numbered as in its lists."""
    found = list[_Move]()
    for stage in plan.rollback if back else plan.stages:
        for makes, circuits in ((False, stage.frees), (True, stage.connects)):
            for circuit in circuits:
                found.append(_Move(len(found) + 1, makes, circuit))
    return found


def read_journal(
    path: str | os.PathLike[str], plan: SavedPlan, *, back: bool = False
) -> dict[int, JournalNote]:
    """The last note on each move, by its number. Raises InvalidInput with file and line."""
    moves, fabric = plan_moves(plan, back=back), plan.fabric
    notes: dict[int, JournalNote] = {}
    columns: list[str] | None = None
    cut = not read_bounded(path, LARGEST).endswith(b"\n")
    lines = list(read_csv(path, LARGEST))
    for place, (number, fields) in enumerate(lines):
        where = f"{path}, line {number}"
        if columns is None:
            columns = _read_head(fields, where)
            continue
        try:
            move, note = _read_note(dict(zip(columns, fields, strict=False)), fabric, moves, where)
        except InvalidInput:
            if not cut or place < len(lines) - 1:
                raise
            move, note = (
                _cut_off_move(fields, moves, notes),
                JournalNote(Outcome.UNKNOWN, None, where),
            )
        if move:
            notes[move] = note
    if columns is None:
        raise InvalidInput(f"{path}: a head such as move,outcome is needed")
    return notes


def _read_head(fields: list[str], where: str) -> list[str]:
    columns = [field.lower() for field in fields]
    if not {"move", "outcome"} <= set(columns) or len(set(columns)) < len(columns):
        raise InvalidInput(f"{where}: columns move and outcome are needed, each once")
    return columns


def _read_note(
    row: Mapping[str, str], fabric: PortMap, moves: list[_Move], where: str
) -> tuple[int, JournalNote]:
    text, outcome = row.get("move", ""), row.get("outcome", "")
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else 0
    if not 1 <= number <= len(moves):
        raise InvalidInput(f"{where}: move: from 1 to {len(moves)}, not {excerpt(text)}")
    if outcome not in list(Outcome):
        raise InvalidInput(f"{where}: outcome: done, failed or unknown, not {excerpt(outcome)}")
    name, port = row.get("port", ""), None
    if name:
        port, ends = fabric.number.get(name), moves[number - 1].circuit[:2]
        if port not in ends or outcome != Outcome.FAILED:
            told = " or ".join(fabric.names[end] for end in ends)
            raise InvalidInput(f"{where}: port: {told} of a failed move, not {excerpt(name)}")
    return number, JournalNote(Outcome(outcome), port, where)


def _cut_off_move(fields: list[str], moves: list[_Move], notes: Mapping[int, JournalNote]) -> int:
    """The move of a line that was cut off; the first that is not noted where it is not clear."""
    if len(fields) > 1 and fields[0].isdigit() and 1 <= int(fields[0]) <= len(moves):
        return int(fields[0])
    return next((move.number for move in moves if move.number not in notes), 0)


def follow_journal(
    plan: SavedPlan, before: Wiring, notes: Mapping[int, JournalNote], *, back: bool = False
) -> JournalState:
    """What is in place after the noted moves of a plan, or of its rollback, begun at `before`."""
    moves = plan_moves(plan, back=back)
    fibres = _Fibres(plan.fabric, before)
    violation = None
    for move in moves:
        if (note := notes.get(move.number)) is not None and violation is None:
            violation = fibres.note(move, note)
    counts = [sum(note.outcome == kind for note in notes.values()) for kind in Outcome]
    return JournalState(
        now=before.move_fibres(fibres.settle(), duplex=plan.claim.duplex),
        bad=tuple(sorted(fibres.bad)),
        doubtful=tuple(fibres.doubtful.values()),
        moves=len(moves),
        done=counts[0],
        failed=counts[1],
        unknown=counts[2],
        violation=violation,
    )


class _Fibres:
    """Receivers of transmitters, ports that failed, and circuits that may be there or not."""

    def __init__(self, fabric: PortMap, before: Wiring) -> None:
        self.fabric, self.to = fabric, before.to.copy()
        self.bad: set[int] = set()
        self.doubtful: dict[int, Circuit] = {}

    def note(self, move: _Move, note: JournalNote) -> str | None:
        """Take in what is noted of a move; a line if that cannot be."""
        a, b, _ = circuit = move.circuit
        if note.outcome is Outcome.FAILED:
            self.bad.update((a, b) if note.port is None else (note.port,))
        elif note.outcome is Outcome.UNKNOWN:
            self.doubtful[move.number] = circuit
        elif not move.makes:
            if not self._is_there(circuit):
                return self._fault(move, note, "it was not there")
            self._take_out(circuit)
        else:
            self._infer_free(circuit)
            if not self._is_free(circuit):
                return self._fault(move, note, "a fibre of it was not free")
            self._make(circuit)
        return None

    def _fault(self, move: _Move, note: JournalNote, reason: str) -> str:
        verb = "connect" if move.makes else "disconnect"
        name = circuit_name(self.fabric, move.circuit)
        return f"{note.where}: move {move.number}, {verb} {name}: done, but {reason}"

    def _infer_free(self, circuit: Circuit) -> None:
        """A circuit that is in the way of one that was made has been taken out."""
        for number, other in list(self.doubtful.items()):
            if self._is_there(other) and _fibre_ends(other) & _fibre_ends(circuit):
                self._take_out(other)
                del self.doubtful[number]

    def _is_there(self, circuit: Circuit) -> bool:
        a, b, duplex = circuit
        return bool(self.to[a] == b and (not duplex or self.to[b] == a))

    def _is_free(self, circuit: Circuit) -> bool:
        a, b, duplex = circuit
        used = self.to[a] >= 0 or bool((self.to == b).any())
        return not (used or (duplex and (self.to[b] >= 0 or bool((self.to == a).any()))))

    def _take_out(self, circuit: Circuit) -> None:
        self.to[[circuit.a, circuit.b] if circuit.duplex else [circuit.a]] = -1

    def _make(self, circuit: Circuit) -> None:
        self.to[circuit.a] = circuit.b
        if circuit.duplex:
            self.to[circuit.b] = circuit.a

    def settle(self) -> IntArray:
        """The receivers once the doubtful circuits are out."""
        for circuit in self.doubtful.values():
            if self._is_there(circuit):
                self._take_out(circuit)
        return self.to


def _fibre_ends(circuit: Circuit) -> set[tuple[int, bool]]:
    """Its ports, each with whether the circuit sends there."""
    a, b, duplex = circuit
    return {(a, True), (b, False)} | ({(b, True), (a, False)} if duplex else set())
