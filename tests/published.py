"""The figures printed in the paper, as test data."""

import json
from pathlib import Path
from typing import Any

PUBLISHED: dict[str, Any] = json.loads(
    (Path(__file__).parent / "data" / "published.json").read_text(encoding="utf-8")
)

TABLE_7 = [
    (int(n), recipe, steps, bandwidth, diameter)
    for n, rows in PUBLISHED["table7"].items()
    for recipe, steps, bandwidth, diameter, _ in rows
]
