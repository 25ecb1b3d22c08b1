"""What Datasette shows beside the rows: units, descriptions and canned queries."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

OURS = "topofinder"
"""The name of the database in the metadata that ship."""


def metadata(path: Path) -> dict[str, Any]:
    """The metadata for a database file; Datasette knows a database by its name without suffix.

    >>> list(metadata(Path("fabrics/mine.db"))["databases"])
    ['mine']
    """
    text = files(__package__).joinpath("serve_metadata.json").read_text(encoding="utf-8")
    told: dict[str, Any] = json.loads(text)
    told["databases"] = {path.stem: told["databases"][OURS]}
    return told
