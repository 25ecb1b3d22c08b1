"""A headless Chromium, where one is installed."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
PROGRAM = next(filter(None, map(shutil.which, NAMES)), None)
needs_browser = pytest.mark.skipif(PROGRAM is None, reason="no Chromium is installed")

OPTIONS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--disable-dev-shm-usage", "--hide-scrollbars", "--enable-logging=stderr", "--v=0"),
)
CONSOLE = re.compile(r"\bCONSOLE\b.*")


def browsed(page: Path, folder: Path, *options: str) -> tuple[str, list[str]]:
    """What the browser prints, and the lines of the page's console; a new profile every time."""
    assert PROGRAM is not None
    profile = folder / f"profile-{os.urandom(4).hex()}"
    words = [PROGRAM, *OPTIONS, f"--user-data-dir={profile}", *options, page.as_uri()]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout, CONSOLE.findall(done.stderr)
