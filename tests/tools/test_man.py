"""Man pages: one for each command, with all of its options, its examples, and no stray requests."""

import re
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from tools.man import write_man_pages
from topofinder.cli.app import COMMANDS, app
from topofinder.cli.examples import EXAMPLES
from topofinder.cli.register_help import REGISTERS

REQUEST = re.compile(r"\.(TH|SH|B|BR|TP|PP|nf|fi)\b")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("man")
    write_man_pages(folder)
    found: list[Path] = sorted((folder / "man1").iterdir())
    return {path.name: path.read_text(encoding="utf-8") for path in found}


def test_each_command_has_a_page_with_all_its_options_and_examples(pages: dict[str, str]) -> None:
    group: Any = get_command(app)
    assert set(pages) == {"topofinder.1", *(f"topofinder-{name}.1" for name in COMMANDS)}
    for name in COMMANDS:
        text = pages[f"topofinder-{name}.1"].replace("\\-", "-").replace("\\e", "\\")
        shown = [one for one in group.commands[name].params if not getattr(one, "hidden", False)]
        for parameter in shown:
            assert not parameter.opts[0].startswith("-") or parameter.opts[0] in text, parameter
        assert all(" ".join(line.split()) in text for line in EXAMPLES[name])
        assert f"topofinder-{name}(1)" in pages["topofinder.1"].replace("\\-", "-")


def test_lines_that_begin_with_a_dot_are_requests_that_roff_knows(pages: dict[str, str]) -> None:
    lines = [line for text in pages.values() for line in text.splitlines()]
    assert all(REQUEST.match(line) for line in lines if line[:1] in (".", "'"))
    assert not [words for words in REGISTERS if any(words in line for line in lines)]
