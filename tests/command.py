"""The command line as a test calls it: in this process, or as a program of its own."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from topofinder.cli.app import main
from topofinder.compilation import WORDS

ROOT = Path(__file__).parent.parent
OWN = {"PYTHONPATH": str(ROOT), "TOPOFINDER_KERNELS": "auto"}
"""What a short program finds in its environment: kernels are run as users have them, the small ones
in Python, which spares most of the start. Kernels are tested in the tests' own processes."""
PROGRAM = "from topofinder.__main__ import main; main()"
IN_TURN = """
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
from topofinder.cli.app import main

found = []
for words in json.loads(sys.argv[1]):
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            main(words)
        except SystemExit as ended:
            found.append((int(ended.code or 0), out.getvalue(), err.getvalue()))
json.dump(found, sys.stdout)
"""


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


def without_announcement(err: str) -> str:
    """What a command says whatever was compiled before."""
    return err.replace(f"topofinder: {WORDS}\n", "")


def ran(capsys: pytest.CaptureFixture[str], *arguments: object) -> Ended:
    """Run a command in this process."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    out, err = capsys.readouterr()
    return Ended(int(ended.value.code or 0), out, without_announcement(err))


def heed_interrupts() -> None:
    """Undo what a shell does to programs in the background, and nohup: they ignore signals."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


class Program(subprocess.Popen[str]):
    """A program, of whose words those on compiling are left out."""

    def communicate(self, *arguments: Any, **options: Any) -> tuple[str, str]:
        out, err = super().communicate(*arguments, **options)
        return out, without_announcement(err)

    def __exit__(self, kind: Any, *more: Any) -> None:
        """Do not wait for a program that did not do what the test expects."""
        if kind is not None:
            self.kill()
        super().__exit__(kind, *more)


def started(
    *arguments: object, program: str = PROGRAM, kernels: str = "compiled", **options: object
) -> Program:
    """Start a command as a program of its own, at the head of its process group."""
    environment = os.environ | OWN | {"TOPOFINDER_KERNELS": kernels}
    return Program(
        [sys.executable, "-W", "error", "-c", program, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
        preexec_fn=heed_interrupts,
        **options,
    )


def ran_alone(*arguments: object, **options: object) -> Ended:
    """Run a command as a program of its own, to its end."""
    with started(*arguments, **options) as running:
        out, err = running.communicate(timeout=60)
    return Ended(running.returncode, out, err)


def ran_in_turn(*commands: tuple[object, ...]) -> list[Ended]:
    """Run commands one after the other in one program of its own: it starts and imports once."""
    words = json.dumps([[str(word) for word in command] for command in commands])
    ended = ran_alone(words, program=IN_TURN, kernels="auto")
    assert (ended.code, ended.err) == (0, "")
    return [Ended(code, out, without_announcement(err)) for code, out, err in json.loads(ended.out)]
