"""The report in a real browser: it loads from disk, asks for nothing, can be read and printed.

A frame of a given width stands for a narrow window, which Chromium itself does not make narrower
than 500 pixels.
"""

import json
import re
from html import escape
from pathlib import Path

import pytest

from reports.pages.html import page
from reports.range_page import range_document
from reports.size_page import size_document
from tests.browser import browsed, needs_browser
from topofinder.api.report_range import range_report
from topofinder.api.report_size import size_report
from topofinder.api.train import train

pytestmark = needs_browser

PROBE = """
<script>
addEventListener("load", () => {{
  const page = document.querySelector("iframe").contentDocument;
  const size = text => parseFloat(page.defaultView.getComputedStyle(text).fontSize);
  const scale = text => {{ const m = text.getScreenCTM(); return Math.hypot(m.a, m.b); }};
  const letters = [...page.querySelectorAll("svg text")].map(text => size(text) * scale(text));
  const words = [...page.querySelectorAll("p, td, th, li, a, button, caption, figcaption, label")]
    .filter(one => !one.closest("svg")).map(size);
  const [table] = [...page.querySelectorAll("table.rows")].filter(
    one => one.tBodies[0].rows.length > 2);
  const cells = () => [...table.tBodies[0].rows].map(row => row.cells[0].textContent);
  const before = cells();
  const button = table.querySelector("th button");
  button.focus();
  const focused = page.activeElement === button;
  button.click();
  const up = cells();
  button.click();
  document.title = JSON.stringify({{
    width: page.documentElement.scrollWidth,
    shown: [...page.querySelectorAll("figure > svg")].map(svg => svg.getBoundingClientRect().width),
    tables: page.querySelectorAll("table tbody tr").length,
    least: Math.min(...letters, ...words),
    before, up, down: cells(), focused,
    clipped: [...page.querySelectorAll("th.key")].filter(
      one => one.scrollWidth > one.clientWidth + 1).length,
    body: parseFloat(page.defaultView.getComputedStyle(page.body).fontSize),
    asked: page.defaultView.performance.getEntriesByType("resource").map(one => one.name),
  }});
}});
</script>
<iframe srcdoc="{page}" style="width:{width}px; height:3000px; border:0"></iframe>
"""


@pytest.fixture(scope="module", params=["size", "training", "range"])
def text(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    if request.param == "size":
        return page(size_document(size_report(32, 4)))
    db = tmp_path_factory.mktemp("range") / "t.db"
    if request.param == "training":
        for model in ("gpt2-small", "switch-base"):
            train(model, 16, 4, alpha="10us", bandwidth="100Gbps", db=db)
        return page(size_document(size_report(16, 4, db=db)))
    return page(range_document(range_report(range(8, 25), [2, 4], "simplex", db)))


def test_loads_from_disk_without_errors(text: str, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(text, encoding="utf-8")
    log = tmp_path / "net.json"
    drawn, console = browsed(file, tmp_path, "--dump-dom", f"--log-net-log={log}")
    assert console == []
    assert drawn.count("<figure>") == text.count("<figure>") >= 3
    assert drawn.count("<table ") >= 4
    # Of the page itself nothing but its file may be asked for.
    asked = set(re.findall(r'"url":"(\w+):[^"]*report\.html', log.read_text(errors="replace")))
    assert asked <= {"file"}
    outside = re.findall(r'(?:src|href|xlink:href)="(?!#|data:)([^"]*)"', text)
    assert outside == []


def test_an_error_would_be_seen(tmp_path: Path) -> None:
    file = tmp_path / "broken.html"
    file.write_text("<script>missing()</script>", encoding="utf-8")
    assert len(browsed(file, tmp_path, "--dump-dom")[1]) == 1


@pytest.mark.parametrize("width", [1280, 400])
def test_can_be_read_at_a_width(text: str, tmp_path: Path, width: int) -> None:
    file = tmp_path / "frame.html"
    file.write_text(PROBE.format(page=escape(text, quote=True), width=width), encoding="utf-8")
    drawn, console = browsed(file, tmp_path, "--dump-dom", "--window-size=1400,3200")
    assert console == []
    [title] = re.findall(r"<title>(\{.*?\})</title>", drawn)
    seen = json.loads(title.replace("&quot;", '"'))
    assert seen["width"] <= width  # tables scroll by themselves, the page does not
    assert all(200 <= shown <= max(width, 560) for shown in seen["shown"])
    assert seen["tables"] >= 6
    assert seen["body"] >= 14
    assert seen["least"] >= 12
    assert seen["focused"]
    assert sorted(seen["before"]) == sorted(seen["up"])
    assert seen["down"] == seen["up"][::-1] or len(set(seen["up"])) < len(seen["up"])
    assert seen["clipped"] == 0
    assert seen["asked"] == []


def test_prints(text: str, tmp_path: Path) -> None:
    file, printed = tmp_path / "report.html", tmp_path / "report.pdf"
    file.write_text(text, encoding="utf-8")
    browsed(file, tmp_path, f"--print-to-pdf={printed}", "--no-pdf-header-footer")
    content = printed.read_bytes()
    assert content.startswith(b"%PDF")
    assert len(content) > 20_000
