"""`topofinder report`: its figures are those of the database, in every format."""

import re
from fractions import Fraction
from html import unescape
from pathlib import Path

import networkx as nx
import pytest

from db.store import Store
from expansions.build import build
from expansions.parser import parse
from generators.quantities import rate, seconds, size
from generators.topology import Topology
from tests.command import ran
from topofinder.api.report_range import kind_of, range_report
from topofinder.api.shared.baseline_rows import baseline_rows
from topofinder.api.sweep import fill_sizes
from topofinder.model.workload import Workload

ROW = re.compile(r'<tr data-id="(\w+)"[^>]*>(.*?)</tr>')
CELL = re.compile(r"<td[^>]*>(.*?)</td>")
WORK = Workload(alpha=seconds("10us"), bandwidth=rate("100Gbps"), sizes=((size("1MiB"), 1),))


def rows_of(text: str, name: str) -> dict[str, list[str]]:
    """The cells of a table's rows by id."""
    [table] = re.findall(rf'<table class="rows" id="{name}">(.*?)</table>', text, re.DOTALL)
    return {key: [unescape(cell) for cell in CELL.findall(row)] for key, row in ROW.findall(table)}


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("report") / "t.db"
    fill_sizes([(n, 4) for n in range(5, 33)], "simplex", file, jobs=1)
    return file


@pytest.fixture(scope="module")
def text(db: Path) -> str:
    with pytest.MonkeyPatch.context():
        from reports.pages.html import page
        from reports.size_page import size_document
        from topofinder.api.report_size import size_report

        return page(size_document(size_report(32, 4, "simplex", db)))


def test_figures_of_a_size_are_those_of_the_database(db: Path, text: str) -> None:
    with Store(db) as store:
        found = store.frontier(32, 4, "simplex")
    assert found is not None
    told = rows_of(text, "frontier-rows")
    assert list(told) == [row.id for row in found.members]
    for row in found.members:
        cells = told[row.id]
        assert cells[1] == row.recipe
        assert [int(cells[2]), Fraction(cells[4])] == [row.steps, row.bandwidth]
        assert [int(cells[5]), Fraction(cells[6])] == [row.rs_steps, row.rs_bandwidth]
        assert cells[8] == f"{float(10**6 * WORK.seconds(row)):.1f}"


def test_the_recommendation_is_the_quickest_row_of_all(db: Path, text: str) -> None:
    with Store(db) as store:
        best = min(store.candidates(n=32, d=4, links="simplex"), key=WORK.seconds)
    [words] = re.findall(r"wire (.*?) \(\w\d\)", unescape(text))
    assert words == best.recipe


def test_every_column_of_numbers_has_its_unit(text: str) -> None:
    heads = {unescape(head) for head in re.findall(r'<th scope="col">(.*?)</th>', text)}
    assert {"T_L [alpha]", "T_B [M/B]", "time [us]", "from [bytes]", "f at least [links]"} <= heads


def test_a_range_tells_the_winner_of_every_size(db: Path) -> None:
    report = range_report(range(5, 33), [4], "simplex", db)
    with Store(db) as store:
        for winner in report.parts[0].winners[0]:
            rows = store.candidates(n=winner.row.n, d=4, links="simplex")
            assert winner.seconds == min(map(WORK.seconds, rows))
            assert winner.least <= winner.seconds
    assert len(report.parts[0].winners[0]) == 28


def test_a_range_sets_customary_wirings_beside_the_quickest(db: Path) -> None:
    (part,) = range_report(range(5, 33), [4], "simplex", db).parts
    winners = {one.row.n: one for one in part.winners[0]}
    for n in (9, 16, 25):
        rows = baseline_rows(n, 4, WORK)
        found = {one.name: one for one in part.customary[0] if one.n == n}
        assert set(found) == {row.name for row in rows}
        for name, one in found.items():
            assert one.seconds == min(row.seconds for row in rows if row.name == name)
            assert one.quickest == winners[n].seconds
            assert one.ratio >= 1
    assert any(one.name == "recursive-doubling" for one in part.customary[0] if one.n == 16)


def test_a_range_on_the_command_line(db: Path, tmp_path: Path, capsys) -> None:
    page = tmp_path / "range.html"
    again = tmp_path / "again.html"
    for file in (page, again):
        assert ran(capsys, "report", "--n", "5:32", "--d", "4", "--db", db, "-o", file).code == 0
    assert page.read_bytes() == again.read_bytes()
    with Store(db) as store:
        known = {row.id: row for row in store.candidates(d=4)}
    told = rows_of(page.read_text(), "winners-d4-1")
    assert len(told) == 28
    for key, cells in told.items():
        row = known[key]
        assert (int(cells[0]), cells[2]) == (row.n, row.recipe)
        assert Fraction(cells[4]) == row.bandwidth


def test_a_range_tells_what_no_allreduce_beats(db: Path, tmp_path: Path, capsys) -> None:
    page = tmp_path / "range.html"
    words = ("report", "--n", "5:16", "--d", "4", "--db", db, "--links", "simplex", "-o", page)
    assert ran(capsys, *words).code == 0
    shown = rows_of(page.read_text(), "allreduce-limits-d4")
    quickest = [rows_of(page.read_text(), f"winners-d4-{place}") for place in (1, 2)]
    assert shown.keys() == quickest[0].keys() | quickest[1].keys()
    for n, recipe, _, _, cut, hosts, *_ in shown.values():
        graph = build(parse(recipe))
        least = min(
            nx.minimum_cut_value(whole, 0, v) if forth else nx.minimum_cut_value(whole, v, 0)
            for whole in [summed_arcs(graph)]
            for v in range(1, graph.n)
            for forth in (True, False)
        )
        assert Fraction(cut) == Fraction(4, least)
        assert Fraction(hosts) == 2 * Fraction(int(n) - 1, int(n))


def summed_arcs(graph: Topology) -> nx.DiGraph:
    """The graph with parallel arcs as one of their number."""
    found = nx.DiGraph()
    for u, v in zip(graph.tail.tolist(), graph.head.tolist(), strict=True):
        more = found.get_edge_data(u, v, {"capacity": 0})["capacity"] + 1
        found.add_edge(u, v, capacity=more)
    return found


def test_markdown_goes_to_stdout(db: Path, capsys) -> None:
    ended = ran(capsys, "report", "--n", 12, "--d", 4, "--db", db)
    assert ended.out.startswith("# topofinder: N = 12, d = 4, simplex links\n")
    assert "\\[alpha\\]" in ended.out


def test_refusals(db: Path, tmp_path: Path, capsys) -> None:
    for words, reason in (
        (("--n", 12, "--d", "2,4"), "--d: one number for a report of one size"),
        (("--n", 12, "--d", 4, "--format", "pdf"), "--format: 'pdf' is none of"),
        (("--n", 12, "--d", 4, "-o", tmp_path / "x.pdf"), "a report is a .html or .md file"),
        (
            ("--n", 12, "--d", 4, "--methods", "ring"),
            "--methods: some of bfb, timed, forest, pipe",
        ),
        (("--n", "12,13", "--d", 4, "--methods", "bfb"), "--methods: only a report of one size"),
        (("--n", "12,13", "--d", 4, "--model", "occupied"), "--model: only a report of one size"),
        (("--n", 4, "--d", 1, "--links", "duplex"), "d: one two-way circuit a host is a matching"),
    ):
        ended = ran(capsys, "report", *words, "--db", db)
        assert ended.code == 2
        assert reason in ended.err
        assert ended.err.count("\n") == 1


def test_a_size_is_rated_once(tmp_path: Path, capsys) -> None:
    asked = ("report", "--n", 8, "--d", 2, "--methods", "bfb", "--db", tmp_path / "t.db", "-o")
    pages = [tmp_path / "first.md", tmp_path / "again.md"]
    assert ran(capsys, *asked, pages[0]).code == 0
    assert ran(capsys, *asked[:5], *asked[7:], pages[1]).code == 0  # without --methods
    first, again = (page.read_text() for page in pages)
    assert first == again
    assert "Best of bfb: the time of the allreduce" in first
    sizes = re.findall(r"^\| (\S+ \w+) \| F1 \| Diamond \| bfb \|", first, re.MULTILINE)
    assert sizes == ["4 KiB", "64 KiB", "1 MiB", "32 MiB", "1 GiB"]


def test_a_stored_plan_is_told_move_by_move(tmp_path: Path, capsys) -> None:
    db, out = tmp_path / "t.db", tmp_path / "out"
    fabric, now, plan = tmp_path / "f.json", tmp_path / "now.csv", tmp_path / "plan.csv"
    for words in (
        ("inventory", "Torus(4,4)", "-o", fabric, "--current", now),
        ("plan", "--inventory", fabric, "--current", now, "--to", "C(16,{3,4})", "-o", plan),
        ("report", "--n", 16, "--d", 4, "--links", "duplex", "-o", out),
    ):
        with_db = () if words[0] == "inventory" else ("--db", db)
        assert ran(capsys, *words, *with_db).code == 0
    planned = [line.split(",")[:7] for line in plan.read_text().splitlines()]
    told = [line.split(",")[:7] for line in (out / "plan-1.csv").read_text().splitlines()]
    assert told[1:] == planned[1:]
    assert len(told) > 2
    with Store(db) as store:
        [row] = store.plans()
    assert f"plans.content = {row.content}" in (out / "report.md").read_text()


def test_kinds_agree_with_recipes(db: Path) -> None:
    with Store(db) as store:
        rows = store.candidates(d=4)
    for row in rows:
        assert row.family is not None
        operators = kind_of(row.family)
        text = str(parse(row.recipe))
        # A product of one family alone is named like a member of it.
        one_family = len(set(re.findall(r"[A-Za-z]\w+(?=\()", text))) == 1
        assert "C" in operators or " x " not in text or one_family
        assert not re.match(r"L[(^]", row.recipe) or operators.startswith("L")
