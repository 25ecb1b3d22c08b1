"""What docs/runtimes.md tells to run under MPI does what it shows, but for the numbers."""

import os
import re
import shlex
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

from tests.command import ROOT
from tests.mpi import SETTINGS, find_mpirun, needs_mpi

BLOCK = re.compile(r"## Run it under MPI.*?```console\n(\$ topofinder search.*?)```", re.DOTALL)


def shown() -> list[tuple[str, str]]:
    """Commands, and the lines that the page has below them."""
    found = BLOCK.search((ROOT / "docs" / "runtimes.md").read_text("utf-8"))
    assert found is not None
    ends = [match.start() for match in re.finditer(r"^\$ ", found[1], re.MULTILINE)]
    parts = [found[1][a:b] for a, b in pairwise([*ends, None])]
    return [(part[2:].split("\n", 1)[0], part.split("\n", 1)[1]) for part in parts]


def without_numbers(text: str) -> str:
    """Units of times follow from them, and so do widths."""
    text = text.replace("not told by these sizes", "0 Gbps")
    text = re.sub(r"[+-]?\d+(\.\d+)*( (us|ms|ns|s)\b)?%?", "#", text)
    return re.sub(r"(epsilon) 0\b", r"\1 #", re.sub(r"[ -]+", " ", text))


@needs_mpi
def test_the_page_can_be_followed(tmp_path: Path) -> None:
    python = f"{sys.executable} -m topofinder"
    for command, output in shown():
        line = command.replace("topofinder", python, 1).replace("mpirun", str(find_mpirun()), 1)
        ended = subprocess.run(
            shlex.split(line), cwd=tmp_path, env=os.environ | SETTINGS, capture_output=True,
            text=True, timeout=100, check=False,
        )  # fmt: skip
        assert ended.returncode == 0, (command, ended)
        if output.strip() != "...":
            assert without_numbers(ended.stdout) == without_numbers(output), command
