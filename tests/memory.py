"""The command line as a program of its own, with the memory that it took."""

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from tests.command import OWN

PROGRAM = """
import pathlib, re, sys
from topofinder.cli.app import main
try:
    main()
finally:
    status = pathlib.Path("/proc/self/status").read_text()
    print(re.search(r"VmHWM:\\s*(\\d+) kB", status)[1], file=sys.stderr)
"""
"""`ru_maxrss` would not do: a program inherits that of the one which started it."""


class Measured(NamedTuple):
    """How a command ended, and the most bytes of memory that it had."""

    code: int
    out: str
    err: str
    memory: int


def measured(*arguments: object, folder: Path) -> Measured:
    """Run a command in a folder to its end; a test that hangs is ended by the time limit."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, arguments)],
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ | OWN,
        timeout=300,
        check=False,
    )
    *lines, memory = done.stderr.splitlines()
    return Measured(done.returncode, done.stdout, "\n".join(lines), 1024 * int(memory))
