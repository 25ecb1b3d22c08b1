"""docs/schedule-files.md against the code: the example, the limits, the fields and the hashes."""

import hashlib
import json
import re
from pathlib import Path

from expansions.schedule_files import digest
from expansions.schedule_files.digest import ORDER
from expansions.schedule_files.files import MAX_TEXT_ROWS, SCHEDULE_FILES
from expansions.schedule_files.header import MAX_FILE_ROWS
from expansions.schedule_files.saved import SavedSchedule
from generators.families.complete import complete
from tests.schedules import breadth_first

PAGE = (Path(__file__).parents[3] / "docs" / "schedule-files.md").read_text(encoding="utf-8")
EXAMPLE = re.search(r"^```json\n(.*?)^```$", PAGE, flags=re.MULTILINE | re.DOTALL).group(1)


def test_the_example_is_what_is_written() -> None:
    pair = complete(2)
    saved = SavedSchedule(
        topology=pair, schedule=breadth_first(pair), recipe="K(2)", method="by hand"
    )
    assert SCHEDULE_FILES.text(saved) == EXAMPLE
    assert SCHEDULE_FILES.decode("example.json", EXAMPLE.encode()).digest == saved.digest


def test_the_limits_and_names_are_the_real_ones() -> None:
    assert f"{MAX_FILE_ROWS:,}".replace(",", " ") in PAGE
    assert f"{MAX_TEXT_ROWS:,}".replace(",", " ") in PAGE
    assert f"`{SCHEDULE_FILES.format}`" in PAGE
    assert (
        f"| {digest.VERSION}, or {digest.COMPACT_VERSION} for a compact one; a reader refuses"
        in PAGE
    )
    for name in json.loads(EXAMPLE):
        assert f"`{name}`" in PAGE
    for name in ORDER:
        assert f"| `{name}`" in PAGE


def test_the_hashes_are_as_described() -> None:
    """The recipe of the page, followed by hand."""
    told = json.loads(EXAMPLE)
    graph = {name: told[name] for name in ("arcs", "capacity", "latency", "n", "switches")}
    topology = hashed(graph | {"version": 1}, [(told["tail"], 4), (told["head"], 4)])
    assert told["topology"] == topology
    names = ("collective", "denominator", "root", "rows", "topology", "turn", "version")
    columns = zip(*told["table"], strict=True)
    content = {name: told[name] for name in names}
    assert told["content"] == hashed(content, list(zip(columns, (4, 4, 4, 8, 8), strict=True)))


def hashed(described: dict, arrays: list) -> str:
    found = hashlib.sha256(json.dumps(described, sort_keys=True).encode())
    for array, width in arrays:
        found.update(b"".join(value.to_bytes(width, "little") for value in array))
    return found.hexdigest()
