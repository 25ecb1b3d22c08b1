"""The notebook is its page, and its cells show today what they showed when it was made."""

import json
from typing import Any

from tools.notebook import NOTEBOOK, SOURCE, notebook_cells, source_cells

KEPT: dict[str, Any] = json.loads(NOTEBOOK.read_text(encoding="utf-8"))


def test_the_cells_are_those_of_the_page() -> None:
    page = SOURCE.read_text(encoding="utf-8")
    told = [(cell["cell_type"], "".join(cell["source"])) for cell in KEPT["cells"]]
    assert told == list(source_cells(page)), "run python -m tools.notebook"
    assert (KEPT["nbformat"], KEPT["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in KEPT["cells"]}) == len(told)


def test_cells_show_what_they_showed() -> None:
    """But for frames and drawings, which look as their libraries' versions have it."""
    kinds = set()
    for cell, kept in zip(notebook_cells(SOURCE.read_text("utf-8")), KEPT["cells"], strict=True):
        for now, then in zip(cell.get("outputs", ()), kept.get("outputs", ()), strict=True):
            assert now["data"].keys() == then["data"].keys()
            kinds |= now["data"].keys()
            if "to_frame" not in "".join(cell["source"]):
                assert now["data"]["text/plain"] == then["data"]["text/plain"]
                assert now["data"].get("text/html") == then["data"].get("text/html")
    assert kinds == {"text/plain", "text/html", "image/svg+xml"}
