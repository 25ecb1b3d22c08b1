"""Every code block of the pages is run: made by a command, run by a test, or marked with a reason.

What stands between marks of cog is made anew by `test_docs.py`. Of the other blocks those of
Python run here, those of ELSEWHERE in the test that is named there. A block that nothing can run
here has a line above it that says why: `<!-- not run: it needs a cluster -->`.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import topofinder as tf
from tools.docs import PAGES, ROOT
from topofinder.api.schedule_rounds import answer_rounds
from topofinder.api.schedule_timetable import TimetableRequest, label_task
from topofinder.api.shared.workloads import read_transfer

BLOCK = re.compile(
    r"^(?:<!-- not run: (?P<reason>.+?) -->\n)?```(?P<language>\w*)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
MADE = re.compile(r"\[\[\[cog.*?\[\[\[end\]\]\]", re.DOTALL)
TOLD = re.compile(r"^(tf\..+?)  # (\S+)$", re.MULTILINE)
"""A line and what its value is written as."""

ELSEWHERE = {
    ("README.md", "sh"): ".ci/run",
    ("database.md", "sh"): "tests/db/test_schema.py",
    ("database.md", "sql"): "tests/db/test_schema.py",
    ("notebook.md", "python"): "tests/tools/test_notebook.py",
    ("plugins.md", "python"): "tests/topofinder/cli/test_plugins.py",
    ("python.md", "python"): "tests/test_docs.py",
    ("runtimes.md", "console"): "tests/topofinder/cli/test_run_page.py",
    ("schedule-files.md", "json"): "tests/expansions/schedule_files/test_files_page.py",
    ("timetables.md", "json"): "tests/topofinder/model/test_timetable_files.py",
    ("topology-files.md", "edges"): "tests/generators/formats/test_page.py",
    ("topology-files.md", "fabric"): "tests/generators/formats/test_fabric.py",
    ("topology-files.md", "graphml"): "tests/generators/formats/test_page.py",
    ("topology-files.md", "json"): "tests/generators/formats/test_page.py",
    ("topology-files.md", "python"): "tests/generators/formats/test_page.py",
    ("torch.md", "python"): "tests/topofinder/runtimes/test_torch.py",
}
"""The test that takes the blocks of a page and language from the page, and runs them."""


class CodeBlock(NamedTuple):
    page: str
    place: int
    """Which of the page's blocks that no command makes it is, from 0."""
    reason: str | None
    language: str
    text: str


def blocks_of(page: Path) -> list[CodeBlock]:
    found = BLOCK.finditer(MADE.sub("", page.read_text(encoding="utf-8")))
    return [
        CodeBlock(page.name, place, one["reason"], one["language"], one["text"])
        for place, one in enumerate(found)
    ]


BLOCKS = [block for page in PAGES for block in blocks_of(page)]
RUN_HERE = [
    block
    for block in BLOCKS
    if block.reason is None
    and block.language == "python"
    and (block.page, block.language) not in ELSEWHERE
]


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: f"{block.page}-{block.place}")
def test_every_block_is_run_or_says_why_not(block: CodeBlock) -> None:
    runner = ELSEWHERE.get((block.page, block.language))
    assert block.reason or runner or block in RUN_HERE, block.text
    if runner and block.reason is None:
        assert (block.page if runner != "tests/tools/test_notebook.py" else "SOURCE") in (
            ROOT / runner
        ).read_text(encoding="utf-8")


def test_no_runner_is_named_in_vain() -> None:
    kinds = {(block.page, block.language) for block in BLOCKS if block.reason is None}
    assert set(ELSEWHERE) <= kinds


def make_plan_files() -> None:
    tf.inventory("Torus(4,4)", "fabric.json", current="now.csv")


def make_rounds() -> None:
    request = TimetableRequest(
        subject="Mesh(4,4)", transfer=read_transfer("1us", "1MiB", "1GB/s"), seed=5
    )
    answer_rounds(label_task(request), "it", Path("mesh.npz"), None, at_once=1000)


def make_timetable() -> None:
    times = {"alpha": "1us", "size": "1MiB", "bandwidth": "1GB/s"}
    tf.schedule("Mesh(3,3)", "mesh.npz", method="timed", **times)


FILES: dict[str, Callable[[], object]] = {
    "planning.md": make_plan_files,
    "query.md": lambda: tf.sweep([(n, 4) for n in (8, 9, 10, 12)], db="topofinder.db"),
    "schedule-files.md": lambda: tf.save(tf.schedule("Torus(3,3)").saved, "torus.npz"),
    "schedules.md": lambda: tf.schedule("Q(6)", "c.npz", compact=True),
    "timetables.md": make_timetable,
}
"""What a page has made before its block of Python."""


@pytest.mark.parametrize("block", RUN_HERE, ids=lambda block: f"{block.page}-{block.place}")
def test_python_runs(block: CodeBlock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    make_files = FILES.get(block.page, lambda: None)
    if block.page == "timetables.md" and "blocks" in block.text:
        make_files = make_rounds
    make_files()
    names: dict[str, object] = {}
    exec(block.text, names)
    for line, told in TOLD.findall(block.text):
        assert str(eval(line, names)) == told
