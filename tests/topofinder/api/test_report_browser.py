"""The report in a real browser: it loads from disk, asks for nothing, can be read and printed.

It is looked at from three widths, walked through by the Tab key, and judged by axe-core, which
checks rules of the Web Content Accessibility Guidelines and comes with the package that drives it.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import topofinder as tf
from reports.pages.html import page
from reports.range_page import range_document
from reports.size_page import size_document
from tests.browser import Browser, browsed, needs_browser
from tests.page_rules import broken_rules, layout_of
from topofinder.api.report_range import range_report
from topofinder.api.report_size import size_report
from topofinder.api.train import train

pytestmark = needs_browser

SORTED = """(() => {
  const [table] = [...document.querySelectorAll("table.rows")].filter(
    one => one.tBodies[0].rows.length > 2);
  const cells = () => [...table.tBodies[0].rows].map(row => row.cells[0].textContent);
  const click = () => { table.querySelector("th button").click(); return cells(); };
  return [cells(), click(), click()];
})()"""
SHOWN = """(() => ({
  pictures: [...document.querySelectorAll("figure > svg")].map(
    svg => svg.getBoundingClientRect().width),
  lines: document.querySelectorAll("table tbody tr").length,
  letters: parseFloat(getComputedStyle(document.body).fontSize),
  asked: performance.getEntriesByType("resource").map(one => one.name),
}))()"""

REACHED = """(() => {
  const kinds = "a[href], button, input, summary, [tabindex]";
  window.stops = [...document.querySelectorAll(kinds)].filter(one => one.checkVisibility());
  return stops.map(one => one.tabIndex);
})()"""
FOCUSED = """(() => {
  const one = document.activeElement;
  return [stops.indexOf(one), getComputedStyle(one).outlineStyle];
})()"""

PAINTED = """new Promise(told => new PerformanceObserver(
  list => told(list.getEntries()[0].startTime)).observe({type: "paint", buffered: true}))"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture(scope="module", params=["size", "training", "range"])
def text(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    if request.param == "size":
        return page(size_document(size_report(32, 4)))
    db = tmp_path_factory.mktemp("range") / "t.db"
    if request.param == "training":
        for model in ("gpt2-small", "switch-base"):
            train(model, 8, 4, alpha="10us", bandwidth="100Gbps", db=db)
        fabric, wired = db.with_name("f.json"), db.with_name("w.csv")
        tf.inventory("C(8,{1,2})", fabric, current=wired, mode="simplex")
        tf.plan(fabric, wired, "C(8,{1,3})", db.with_name("p.json"), db=db, time=1)
        return page(size_document(size_report(8, 4, db=db, methods=("bfb", "timed"))))
    return page(range_document(range_report(range(8, 25), [2, 4], "simplex", db)))


@pytest.fixture(scope="module")
def report(text: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("report") / "report.html"
    file.write_text(text, encoding="utf-8")
    return file


def test_loads_from_disk_without_errors(text: str, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(text, encoding="utf-8")
    log = tmp_path / "net.json"
    drawn, console = browsed(file, tmp_path, "--dump-dom", f"--log-net-log={log}")
    assert console == []
    assert drawn.count("<figure") == text.count("<figure") >= 3
    assert drawn.count("<table ") >= 4
    assert len(text) <= 300_000
    # Of the page itself nothing but its file may be asked for.
    asked = set(re.findall(r'"url":"(\w+):[^"]*report\.html', log.read_text(errors="replace")))
    assert asked <= {"file"}
    outside = re.findall(r'(?:src|href|xlink:href)="(?!#|data:)([^"]*)"', text)
    assert outside == []


def test_an_error_would_be_seen(tmp_path: Path) -> None:
    file = tmp_path / "broken.html"
    file.write_text("<script>missing()</script>", encoding="utf-8")
    assert len(browsed(file, tmp_path, "--dump-dom")[1]) == 1


@pytest.mark.parametrize("width", [1280, 768, 400])
def test_can_be_read_at_a_width(report: Path, browser: Browser, width: int) -> None:
    with browser.page(report, width) as opened:
        layout = layout_of(opened)
        seen: dict[str, Any] = opened.value(SHOWN)
        before, up, down = opened.value(SORTED)
    assert layout.width <= width  # tables scroll by themselves, the page does not
    assert layout.letters >= 12
    assert layout.cut == 0
    assert all(200 <= shown <= max(width, 560) for shown in seen["pictures"])
    assert seen["lines"] >= 6
    assert seen["letters"] >= 14
    assert seen["asked"] == []
    assert sorted(before) == sorted(up)
    assert down == up[::-1] or len(set(up)) < len(up)


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (400, True)])
def test_breaks_no_rule_of_accessibility(
    report: Path, browser: Browser, width: int, dark: bool
) -> None:
    with browser.page(report, width, dark) as opened:
        assert broken_rules(opened) == []


def test_a_broken_rule_would_be_seen(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "broken.html"
    file.write_text("<p style='color: #aaa'>pale<img src='data:,'>", encoding="utf-8")
    with browser.page(file, 400) as opened:
        told = {rule.split(":")[0] for rule in broken_rules(opened)}
    assert {"color-contrast", "document-title", "html-has-lang", "image-alt"} <= told


def test_keys_reach_everything_in_order(report: Path, browser: Browser) -> None:
    with browser.page(report, 768) as opened:
        stops = opened.value(REACHED)
        walked = []
        for _ in stops:
            opened.press_tab()
            place, outline = opened.value(FOCUSED)
            assert outline != "none", place
            walked.append(place)
    assert len(stops) > 20
    assert set(stops) == {0}
    assert walked == [*range(len(stops))]


def test_is_painted_within_a_second(report: Path, browser: Browser) -> None:
    best = 1e9
    for _ in range(5):  # other tests run beside this one
        with browser.page(report, 1280) as opened:
            best = min(best, opened.value(PAINTED))
        if best <= 1000:
            break
    assert best <= 1000


def test_prints(text: str, tmp_path: Path) -> None:
    file, printed = tmp_path / "report.html", tmp_path / "report.pdf"
    file.write_text(text, encoding="utf-8")
    browsed(file, tmp_path, f"--print-to-pdf={printed}", "--no-pdf-header-footer")
    content = printed.read_bytes()
    assert content.startswith(b"%PDF")
    assert len(content) > 20_000
