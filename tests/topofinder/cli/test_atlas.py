"""`topofinder atlas`: its pages say what the database says, and lead to every size and file."""

import re
import shlex
from collections.abc import Iterator
from fractions import Fraction
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest

import topofinder as tf
from db.rows import FrontierRow
from db.store import Store
from generators.formats.by_suffix import read_topology
from generators.quantities import rate, seconds, size
from tests.browser import Browser, needs_browser
from tests.command import ran
from tests.page_rules import broken_rules, layout_of
from topofinder import interrupts
from topofinder.api.sweep import fill_sizes
from topofinder.model.workload import Workload

HOSTS = (5, 8, 16, 48)
WORK = Workload(alpha=seconds("10us"), bandwidth=rate("100Gbps"), sizes=((size("1MiB"), 1),))


class Links(HTMLParser):
    """Where a page's links lead, and the ids that it has."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.to: list[str] = []
        self.ids: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if tag == "a" and name == "href":
                self.to.append(value or "")
            elif name == "id":
                self.ids.append(value or "")


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("atlas") / "t.db"
    fill_sizes([(n, d) for n in HOSTS for d in (3, 4)], "simplex", file, jobs=1)
    fill_sizes([(8, 4)], "duplex", file, jobs=1)
    return file


@pytest.fixture(scope="module")
def atlas(db: Path) -> Path:
    out = db.with_name("atlas")
    done = tf.atlas(db, out, n=[(5, 48)], d=[(3, 4)])
    assert done.files == sum(path.is_file() for path in out.rglob("*"))
    return out


def rows_of(db: Path) -> list[FrontierRow]:
    """The sizes that the atlas has; a search stores smaller ones as well."""
    with Store(db) as store:
        return store.frontiers(n=(5, 48), d=(3, 4))


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def steps_to(page: Path) -> Iterator[Path]:
    """The pages that one click leads to."""
    for link in Links(read(page)).to:
        if (name := link.split("#")[0]).endswith(".html"):
            yield (page.parent / name).resolve()


def test_every_link_leads_to_a_file_and_place_that_is_there(atlas: Path) -> None:
    for page in atlas.rglob("*.html"):
        found = Links(read(page))
        assert len(set(found.ids)) == len(found.ids)
        for link in found.to:
            name, _, place = link.partition("#")
            target = page.parent / name if name else page
            assert target.is_file(), (page, link)
            assert not place or place in Links(read(target)).ids, (page, link)


def test_any_size_is_two_clicks_away(db: Path, atlas: Path) -> None:
    sizes = {(row.n, f"d{row.d}-{row.links}") for row in rows_of(db)}
    first = set(steps_to(atlas / "index.html"))
    second = {page for block in first for page in steps_to(block)}
    assert {(int(p.stem), p.parent.name) for p in second if p.stem.isdigit()} == sizes


def test_pages_tell_what_is_stored(db: Path, atlas: Path) -> None:
    for row in rows_of(db):
        text = read(atlas / f"d{row.d}-{row.links}" / f"{row.n}.html")
        lines = re.findall(r'<tr data-id="(\w+)" id="F(\d+)">(.*?)</tr>', text)
        assert [(key, int(mark)) for key, mark, _ in lines] == [
            (member.id, place) for place, member in enumerate(row.members, 1)
        ]
        for member, (_, _, line) in zip(row.members, lines, strict=True):
            cells = [unescape(cell) for cell in re.findall(r"<td[^>]*>(.*?)</td>", line)]
            assert cells[1] == member.recipe
            assert (int(cells[2]), Fraction(cells[3])) == (member.steps, member.bandwidth)
            assert cells[5] == f"{float(10**6 * WORK.seconds(member)):.1f}"
        least = 2 * (10 * row.bound_steps * Fraction(1, 10**6))
        least += 2 * row.bound_bandwidth * 2**20 / Fraction(10**11, 8)
        ratio = min(map(WORK.seconds, row.members)) / least
        block = read(atlas / f"d{row.d}-{row.links}.html")
        assert f"<b>{row.n}</b> {float(ratio):.3f}</a>" in block


def test_files_are_the_graphs_and_cost_what_the_pages_say(db: Path, atlas: Path) -> None:
    for row in rows_of(db):
        place = atlas / f"d{row.d}-{row.links}"
        for mark, member in enumerate(row.members, 1):
            files = [place / f"{row.n}-F{mark}.{kind}" for kind in ("edges", "graphml", "json")]
            graphs = [read_topology(file) for file in files]
            arcs = [sorted(zip(g.tail.tolist(), g.head.tolist(), strict=True)) for g in graphs]
            assert arcs[0] == arcs[1] == arcs[2]
            if member.method == "bfb":
                found = tf.evaluate(graphs[0]).cost
                assert (found.steps, found.bandwidth) == (member.steps, member.bandwidth)


def test_commands_of_a_page_make_its_files(
    atlas: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    place = atlas / "d4-simplex"
    commands = re.findall(r"<pre>(.*?)</pre>", read(place / "16.html"), re.DOTALL)
    for line in unescape("\n".join(commands)).splitlines():
        words = shlex.split(line)
        assert words[0] == "topofinder"
        assert ran(capsys, *words[1:]).code == 0
    for file in tmp_path.glob("*.edges"):
        assert read(file) == read(place / file.name)


def test_command(db: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "new" / "pages"
    done = ran(
        capsys, "atlas", "--db", db, "--n", "8", "--links", "duplex", "--files", "", "-o", out
    )
    assert done == (2, "", f"topofinder: {out}: there is no folder {tmp_path / 'new'}\n")
    out = tmp_path / "pages"
    told = ran(capsys, "atlas", "--db", db, "--n", "16", "--d", "3:4", "--files", "", "-o", out)
    assert told == (0, f"atlas of 2 sizes, 5 files, written to {out}/index.html\n", "")
    first = {path: read(path) for path in out.rglob("*.html")}
    words = ("--db", db, "--n", "16", "--d", "3:4", "--files", "", "-o", out, "--quiet")
    again = ran(capsys, "atlas", *words)
    assert again == (0, "", "")
    assert {path: read(path) for path in out.rglob("*.html")} == first


def test_refusals(db: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "pages"
    ended = ran(capsys, "atlas", "--db", db, "--n", "9", "-o", out)
    assert ended == (2, "", f"topofinder: {db}: no stored frontier has such a size\n")
    ended = ran(capsys, "atlas", "--db", db, "--files", "dot", "-o", out)
    assert ended == (2, "", "topofinder: --files: 'dot' is none of edges, graphml, json\n")
    missing = tmp_path / "none.db"
    assert ran(capsys, "atlas", "--db", missing, "-o", out).code == 2
    assert not out.exists()


def test_a_recipe_that_cannot_be_built_is_told(db: Path, tmp_path: Path) -> None:
    with Store(db) as store:
        [row] = store.frontiers(n=8, d=4, links="duplex")
    other = tmp_path / "other.db"
    done = tf.export_db(db, other, n=[(8, 8)], d=[(4, 4)], links="duplex")
    assert done.sizes == 1
    with Store(other) as store, store.connection as connection:
        connection.execute("UPDATE candidates SET recipe = 'No<such>(8)'")
    tf.atlas(other, tmp_path / "pages")
    text = read(tmp_path / "pages" / "d4-duplex" / f"{row.n}.html")
    assert "Its graph cannot be built here: " in text
    assert "No&lt;such&gt;(8)" in text
    assert "<such>" not in text


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@needs_browser
@pytest.mark.parametrize("name", ["index.html", "d4-simplex.html", "d4-simplex/16.html"])
def test_pages_can_be_read_at_three_widths(atlas: Path, browser: Browser, name: str) -> None:
    for width, dark in ((1280, False), (768, True), (400, True)):
        with browser.page(atlas / name, width, dark) as opened:
            layout = layout_of(opened)
            assert layout.width <= width
            assert layout.letters >= 12
            assert layout.cut == 0
            if width != 768:
                assert broken_rules(opened) == []


@pytest.mark.parametrize("kept", [2, 5])
def test_an_atlas_whose_time_is_over_is_whole(db: Path, tmp_path: Path, kept: int) -> None:
    def stop(done: int, total: int) -> None:
        if done == kept - 1:  # what is begun then is the last
            interrupts._ending.asked = True

    try:
        done = tf.atlas(db, tmp_path / "part", n=[(5, 48)], d=[(3, 4)], files="", progress=stop)
    finally:
        interrupts._ending.asked = False
    total = len(rows_of(db))
    assert (done.sizes, done.open) == (kept, total - kept)
    assert done.files == sum(path.is_file() for path in (tmp_path / "part").rglob("*"))
    for page in (tmp_path / "part").rglob("*.html"):
        assert all(other.is_file() for other in steps_to(page))
    assert str(done).endswith(f"; {total - kept} are left, as the time was over")


def test_no_time_leaves_a_size_at_least(db: Path, tmp_path: Path) -> None:
    whole = tf.atlas(db, tmp_path / "one", n=[(5, 48)], d=[(3, 4)], files="", time="1us")
    assert 1 <= whole.sizes <= 2
