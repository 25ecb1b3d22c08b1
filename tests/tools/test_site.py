"""The sources of the site: a page for every public name, and every page in the contents."""

import inspect
import re
from pathlib import Path

import pytest

import topofinder
from tools.docs import ROOT

site = pytest.importorskip("tools.site", reason="the extra topofinder[docs] is not installed")

CONTENTS = re.compile(r"^```\{toctree\}\n(?::\w+:.*\n)+\n((?:.+\n)+)```$", re.MULTILINE)


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sources")
    site.write_sources(folder)
    return folder


def contents(page: Path) -> set[str]:
    found = CONTENTS.findall(page.read_text(encoding="utf-8"))
    return {name for names in found for name in names.split()}


def test_every_public_name_has_a_page_with_its_docstring(sources: Path) -> None:
    names = {name for name in topofinder.__all__ if not name.startswith("_")}
    assert contents(sources / "reference" / "index.md") == names
    for name in names:
        text = (sources / "reference" / f"{name}.md").read_text(encoding="utf-8")
        assert text.startswith(f"# {name}\n")
        value = getattr(topofinder, name)
        if inspect.isclass(value) or inspect.isfunction(value):  # others are unions of nouns
            assert (inspect.getdoc(value) or "").split("\n")[0] in text


def test_every_page_is_in_the_contents_once(sources: Path) -> None:
    pages = {page.stem for page in sources.glob("*.md")} - {"index"}
    assert contents(sources / "index.md") == pages | {"reference/index"}
    assert "search" not in pages  # the page of that name is the site's own search


def test_links_lead_to_pages_of_the_site(sources: Path) -> None:
    for page in sources.glob("*.md"):
        for target in re.findall(r"\]\(([\w./-]+\.md)", page.read_text(encoding="utf-8")):
            assert (sources / target).is_file(), f"{page.name}: {target}"


def test_pages_are_those_of_the_checkout(sources: Path) -> None:
    told = {site.RENAMED.get(page.name, page.name) for page in (ROOT / "docs").glob("*.md")}
    assert told <= {page.name for page in sources.glob("*.md")}
