"""What holds for all tests: no deadlines, and a cache of compiled kernels of this very source.

numba notices a change in the file of a kernel, not in the kernels it calls from other files. The
tests therefore keep compiled code in a folder named after the content of all kernel files. A
property that takes long on a loaded machine is no less true: hypothesis counts no milliseconds.
"""

import hashlib
import os
import tempfile
from pathlib import Path

from hypothesis import settings

settings.register_profile("topofinder", deadline=None)
settings.load_profile("topofinder")

SOURCES = sorted(
    path
    for floor in ("generators", "expansions", "topofinder")
    for path in (Path(__file__).parent.parent / floor).rglob("*.py")
    if any(word in path.read_text(encoding="utf-8") for word in ("kernels", "numba"))
)
DIGEST = hashlib.sha256(b"".join(path.read_bytes() for path in SOURCES)).hexdigest()[:16]
os.environ.setdefault(
    "NUMBA_CACHE_DIR", str(Path(tempfile.gettempdir()) / f"topofinder-kernels-{DIGEST}")
)
