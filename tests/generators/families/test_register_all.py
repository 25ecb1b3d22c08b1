"""The register holds every family that some file enters, whatever else was imported before."""

import re
import subprocess
import sys

from tests.command import ROOT

ENTERED = re.compile(r"^register_family\(\s*Family\(\s*name=\"(\w+)\"", re.MULTILINE)


def test_every_family_that_a_file_enters_is_in_the_register() -> None:
    program = "from generators.registry import FAMILIES; print(*FAMILIES)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    files = [path.read_text(encoding="utf-8") for path in (ROOT / "generators").rglob("*.py")]
    entered = {name for text in files for name in ENTERED.findall(text)}
    assert len(entered) > 20
    assert set(done.stdout.split()) == entered
