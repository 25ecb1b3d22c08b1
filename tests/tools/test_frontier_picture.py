"""Ratios to the bound: against the frontiers of a search, and the files that are made of them."""

from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

from db.store import Store
from generators.searched_sizes import are_finds_shipped
from tools.frontier_picture import (
    DEGREES,
    PAGE,
    PICTURE,
    TOP,
    draw,
    heat_strips,
    read_ratios,
    size_ratio,
    spread_table,
    sweep,
    worst_of_each_table,
    worst_table,
)
from topofinder.api.shared.frontiers import search_size
from topofinder.api.sweep import fill_sizes
from topofinder.model.candidate import LinkMode

LEGS = list(product(LinkMode, (2, 3)))


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("frontiers") / "a.db"
    sweep(file, LEGS, largest=24, effort=0, jobs=1)
    return file


def test_ratios_are_those_of_the_best_stored_candidate(db: Path) -> None:
    found = {(one.links, one.d, one.n): one for one in read_ratios(db, LEGS)}
    assert len(found) == 4 * 23
    seconds = Fraction(8 * 2**20, 100 * 10**9)
    for (links, d, n), one in found.items():
        size = search_size(n, d, links)
        times = [
            (row.steps + row.rs_steps) * Fraction(1, 10**5)
            + (row.bandwidth + row.rs_bandwidth) * seconds
            for row in size.pool or ()
        ]
        frontier = size.frontier
        alpha = Fraction(1, 10**5)
        least = frontier.bound_steps * alpha + frontier.bound_bandwidth * seconds
        if n - 1 <= d:  # some neighbour is reached by d // (n - 1) links in the only step
            once = alpha + Fraction(d, n * (d // (n - 1))) * seconds
            least = min(once, 2 * alpha + frontier.bound_bandwidth * seconds)
        assert one.ratio == min(times) / (2 * least) >= 1


def test_a_sweep_goes_on_where_it_was(tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    fill_sizes([(n, 2) for n in range(2, 9)], LinkMode.SIMPLEX, file, jobs=1)
    with Store(file) as store:
        before = store.frontier(5, 2, "simplex")
    sweep(file, [(LinkMode.SIMPLEX, 2)], largest=12, effort=0, jobs=1)
    with Store(file) as store:
        assert store.frontier(5, 2, "simplex") == before
    assert [one.n for one in read_ratios(file, [(LinkMode.SIMPLEX, 2)])] == list(range(2, 13))


def test_sizes_are_searched_with_effort(tmp_path: Path) -> None:
    file, plain = tmp_path / "a.db", tmp_path / "b.db"
    leg = [(LinkMode.SIMPLEX, 2)]
    sweep(file, leg, largest=17, effort=1, jobs=1)
    sweep(plain, leg, largest=17, effort=0, jobs=1)
    with Store(file) as store:
        assert store.finished_sizes("simplex", effort=1) == {(n, 2) for n in range(2, 18)}
    for old, new in zip(read_ratios(plain, leg), read_ratios(file, leg), strict=True):
        assert new.ratio <= old.ratio


def test_the_files_are_the_same_bytes_every_time(db: Path, tmp_path: Path) -> None:
    page, picture = tmp_path / "page.md", tmp_path / "a.png"
    page.write_text(
        "<!-- table ratios -->\n<!-- end -->\n<!-- table worst -->\n<!-- end -->\n"
        "<!-- table each -->\n<!-- end -->\n"
    )
    draw([db], page, picture)
    first = page.read_bytes(), picture.read_bytes()
    draw([db], page, picture)
    assert (page.read_bytes(), picture.read_bytes()) == first
    found = list(read_ratios(db, LEGS))
    assert worst_table(found) in first[0].decode()
    assert spread_table(found) in first[0].decode()
    assert worst_of_each_table(found) in first[0].decode()
    assert first[1] == heat_strips(found)
    assert first[1].startswith(b"\x89PNG")


def test_legs_of_many_ports_have_a_picture_of_their_own(db: Path, tmp_path: Path) -> None:
    many, leg = tmp_path / "many.db", (LinkMode.DUPLEX, 9)
    sweep(many, [leg], largest=12, effort=0, jobs=1)
    page, picture = tmp_path / "page.md", tmp_path / "a.png"
    names = "ratios", "worst", "each", "many ratios", "many worst", "many each"
    empty = [f"<!-- table {name} -->\n<!-- end -->\n" for name in names]
    page.write_text("".join(empty))
    draw([many], page, picture, (9, 10))
    assert not picture.exists()
    found = list(read_ratios(many, [leg]))
    assert (tmp_path / "a-many.png").read_bytes() == heat_strips(found)
    text = page.read_text()
    assert text.startswith("".join(empty[:3]))
    for table in (spread_table(found), worst_table(found), worst_of_each_table(found)):
        assert table in text
    draw([db], page, picture, (2, 3))
    assert picture.read_bytes() == heat_strips(read_ratios(db, LEGS))
    assert page.read_text().endswith(text.partition(empty[2])[2])


def test_the_worst_come_first(db: Path) -> None:
    lines = worst_table(read_ratios(db, LEGS)).splitlines()[2:]
    ratios = [float(line.split(" | ")[3]) for line in lines]
    assert len(ratios) == 20
    assert ratios == sorted(ratios, reverse=True)
    assert TOP > 1


def test_the_page_shows_the_picture_and_sizes_as_a_search_finds_them() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert f"({PICTURE.name})" in text
    assert PICTURE.stat().st_size < 300_000
    table = text.split("<!-- table worst -->\n")[1].split("\n<!-- end -->")[0].splitlines()
    rows = [line.strip("| ").split(" | ") for line in table[2:]]
    assert len(rows) == 20
    links, d, n = min(((row[0], int(row[1]), int(row[2])) for row in rows), key=lambda row: row[2])
    assert d in DEGREES
    found = search_size(n, d, links, effort=int(are_finds_shipped(n, d, links)))
    one = size_ratio(n, d, LinkMode(links), found.pool or ())
    shown = next(row for row in rows if row[:3] == [links, str(d), str(n)])
    assert shown[3:5] == [f"{float(one.ratio):.3f}", f"{one.cost.steps}, {one.cost.bandwidth}"]


def test_the_worst_of_each_strip_are_its_own(db: Path) -> None:
    found = list(read_ratios(db, LEGS))
    lines = worst_of_each_table(found).splitlines()[2:]
    assert len(lines) == len(LEGS)
    for line, (links, d) in zip(lines, LEGS, strict=True):
        ratios = [one for one in found if (one.links, one.d) == (links, d)]
        worst = max(ratios, key=lambda one: one.ratio)
        assert line.startswith(f"| {links.value} | {d} | {worst.n} ({float(worst.ratio):.3f})")
        assert line.count("(") == min(20, len(ratios))
