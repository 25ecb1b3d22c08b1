"""What pyproject.toml cannot say: man pages are made while a wheel is built, and go into it."""

import sys
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))

from tools.man import write_man_pages  # noqa: E402

PAGES = write_man_pages(ROOT / "build" / "man")
setup(data_files=[("share/man/man1", [path.relative_to(ROOT).as_posix() for path in PAGES])])
