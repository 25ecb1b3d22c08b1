"""The site in a browser: its search has the page on each word among the first three.

axe-core finds no rule of accessibility broken on its pages, wide and light or narrow and dark.
The folder of a site that is built is taken from the variable TOPOFINDER_SITE; else one is built.
"""

import json
import os
import re
import warnings
from html import unescape
from pathlib import Path

import pytest

from tests.browser import Browser, browsed, needs_browser
from tests.page_rules import broken_rules

site = pytest.importorskip("tools.site", reason="the extra topofinder[docs] is not installed")

PAGES = {
    "Moore bound": {"costs"},
    "reduce-scatter": {"costs", "schedules"},
    "allreduce": {"costs", "schedules", "forests", "how-to-message-size"},
    "all-to-all": {"throughput", "how-to-all-to-all"},
    "patch panel": {"planning", "how-to-panel"},
    "optical circuit switch": {"planning"},
    "duplex": {"how-a-search-works", "recipes", "frontiers"},
    "simplex": {"how-a-search-works", "recipes", "frontiers"},
    "alpha": {"costs"},
    "recipe": {"recipes", "reference/Recipe"},
    "line graph": {"recipes", "costs"},
    "degree expansion": {"recipes", "costs"},
    "Cartesian product": {"recipes", "costs"},
    "generalized Kautz": {"recipes", "costs"},
    "circulant": {"recipes", "costs"},
    "torus": {"recipes"},
    "Cayley graph": {"discovery", "recipes"},
    "lift": {"recipes", "discovery"},
    "graft": {"recipes", "discovery"},
    "BFB": {"schedules", "costs"},
    "ForestColl": {"forests"},
    "timetable": {"timetables", "reference/Timetable"},
    "bottleneck cut": {"forests"},
    "certificate": {"throughput", "verification", "reference/Certificate"},
    "frontier": {"frontiers", "how-a-search-works", "reference/Frontier"},
    "workload": {"how-a-search-works", "reference/Workload"},
    "MSCCL": {"runtimes"},
    "MPI": {"runtimes"},
    "resume a sweep": {"how-a-search-works", "clusters", "command-line"},
    "merge databases": {"database", "reference/merge"},
}
"""The pages that tell what each is; one of them is to be found."""

PROBE = """<!DOCTYPE html>
<html><head><title></title>
<script src="_static/documentation_options.js"></script>
<script src="_static/doctools.js"></script>
<script src="_static/sphinx_highlight.js"></script>
<script src="_static/searchtools.js"></script>
<script src="_static/language_data.js"></script>
<script src="searchindex.js"></script>
<script>
addEventListener("load", () => {
  const found = {};
  for (const term of %s) {
    const results = Search._performSearch(...Search._parseQuery(term)).reverse();
    found[term] = [...new Set(results.map(one => one[0]))].slice(0, 3);
  }
  document.title = JSON.stringify(found);
});
</script></head><body></body></html>
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    known = Path(os.environ.get("TOPOFINDER_SITE", folder))
    if known == folder:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PendingDeprecationWarning)  # of Sphinx, by MyST
            assert site.build_site(folder) == 0
    return known


@pytest.fixture(scope="module")
def found(built: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    folder = tmp_path_factory.mktemp("probe")
    page = built / "probe.html"
    page.write_text(PROBE % json.dumps(list(PAGES)), encoding="utf-8")
    try:
        drawn, console = browsed(page, folder, "--dump-dom", "--virtual-time-budget=20000")
    finally:
        page.unlink()
    assert console == []
    [title] = re.findall(r"<title>(.*?)</title>", drawn)
    return dict(json.loads(unescape(title)))


@needs_browser
@pytest.mark.slow
@pytest.mark.parametrize("term", PAGES)
def test_a_word_finds_its_page(term: str, found: dict[str, list[str]]) -> None:
    assert PAGES[term] & set(found[term]), f"{term}: {found[term]}"


@needs_browser
@pytest.mark.slow
@pytest.mark.parametrize("name", ["index", "tutorial", "costs", "recipes", "pictures", "search"])
def test_no_rule_of_accessibility_is_broken(name: str, built: Path, tmp_path: Path) -> None:
    with Browser(tmp_path) as browser:
        for width, dark in ((1280, False), (400, True)):
            with browser.page(built / f"{name}.html", width, dark) as opened:
                assert broken_rules(opened) == []


def test_what_the_theme_leaves_out_is_mended(tmp_path: Path) -> None:
    page = tmp_path / "reference" / "page.html"
    page.parent.mkdir()
    page.write_text("".join(site.MENDED), encoding="utf-8")
    for _ in range(2):
        site.mend_pages(tmp_path)
        assert page.read_text(encoding="utf-8") == "".join(site.MENDED.values())


def test_the_pages_are_those_of_the_site() -> None:
    import topofinder

    pages = {site.RENAMED.get(page.name, page.name) for page in (site.ROOT / "docs").glob("*.md")}
    names = {f"reference/{name}.md" for name in topofinder.__all__}
    assert {f"{page}.md" for some in PAGES.values() for page in some} <= pages | names
