"""The page of a plan: every move once, in order, with totals and ends that follow from the plan."""

import csv
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from generators.errors import InvalidInput
from topofinder.api.inventory import inventory
from topofinder.api.plan import plan
from topofinder.api.plan_records import PlanAnswer
from topofinder.api.plan_work_order import work_order
from topofinder.model.plan_files import move_rows

ACTIONS = {"connect": "connect", "disconnect": "take out"}


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PlanAnswer:
    """A plan on two panels, with its page."""
    monkeypatch.chdir(tmp_path)
    inventory("Torus(3,4)", "i.json", "c.csv", panels=2)
    return plan("i.json", "c.csv", "C(12,{2,3})", "p.csv", time=0.2, work_order="page.html")


class Cells(HTMLParser):
    """The rows of all tables, and the classes of the rectangles; tags must match."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.drawn: list[str] = []
        self.open: list[str] = []
        self.titles: list[str] = []
        self.under: list[tuple[str, list[str]]] = []
        """The latest title, and each row below it."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
            self.under.append((self.titles[-1] if self.titles else "", self.rows[-1]))
        if tag in ("h2", "h3"):
            self.titles.append("")
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.drawn.append(str(dict(attrs)["class"]))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data
        if self.open and self.open[-1] in ("h2", "h3"):
            self.titles[-1] += data


def test_the_page_has_every_move_once(made: PlanAnswer) -> None:
    text = Path("page.html").read_text()
    page = Cells()
    page.feed(text)
    assert not page.open
    assert not re.search("<script|<link|src=|href=", text)
    rows = [row[1:9] for row in page.rows if row[0] == "\N{BALLOT BOX}"]
    expected = [
        [
            number,
            stage,
            {"connect": "connect", "disconnect": "take out"}[action],
            *ends,
            *names,
            mode,
        ]
        for number, stage, panel, action, mode, *rest in move_rows(
            made.plan.fabric, made.plan.stages
        )
        for names, ends in [(rest[:2], rest[2:4])]
    ]
    assert sorted(rows, key=lambda row: int(row[0])) == expected
    assert made.files[-1] == "page.html"


def test_pictures_and_totals_follow_from_the_wirings(made: PlanAnswer) -> None:
    found = made.plan
    page = Cells()
    page.feed(Path("page.html").read_text())
    touched = [panel.name for panel in work_order(found, "").panels if panel.moves]
    here = [number for number, one in enumerate(found.fabric.panels) if one.name in touched]
    before, after = (
        {one for one in wiring.circuits(split=True) if found.fabric.panel[one.a] in here}
        for wiring in (found.before, found.after)
    )
    counts = (len(before & after), len(before - after), len(after - before))
    assert tuple(page.drawn.count(kind) for kind in ("stays", "goes", "comes")) == counts
    assert counts[2] == 2 * found.moves
    every = next(row for row in page.rows if row[0] == "all")
    assert every[1:3] == [str(found.moves), str(found.frees)]
    assert work_order(found, "").ends[-1] == found.seconds_estimated


def test_the_same_plan_gives_the_same_page(made: PlanAnswer) -> None:
    first = Path("page.html").read_bytes()
    plan("i.json", "c.csv", "C(12,{2,3})", time=0.2, work_order="again.html")
    assert Path("again.html").read_bytes() == first


def test_names_of_pages_that_are_refused(made: PlanAnswer) -> None:
    with pytest.raises(InvalidInput, match=r"--work-order: page.txt ends in none of .html, .csv"):
        plan("i.json", "c.csv", "C(12,{2,3})", work_order="page.txt")


def test_a_plan_without_moves_has_a_page(made: PlanAnswer) -> None:
    plan("i.json", "c.csv", "Torus(3,4)", time=0.2, work_order="none.html")
    assert Path("none.html").read_text().count("Nothing is touched here.") == 2


@pytest.fixture
def crewed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cells:
    """The page of two crews at four panels in racks, with labels; a list beside it."""
    monkeypatch.chdir(tmp_path)
    inventory("Torus(4,4)", "i.json", "c.csv", panels=4)
    document = json.loads(Path("i.json").read_text())
    for panel, rack in zip(document["panels"], ("r2", "r1", "r2", "r1"), strict=True):
        panel["rack"] = rack
    for number, host in enumerate(document["hosts"]):
        host["rack"] = f"row{number // 8}"
        for place, port in enumerate(host["ports"]):
            port |= {"label": f"<L{number}.{place}>", "cable": f"c{number}&{place}"}
    document["walks"] = [{"between": ["P0", "P1"], "time": "5min"}]
    Path("i.json").write_text(json.dumps(document))
    for name in ("page.html", "list.csv"):
        plan("i.json", "c.csv", "C(16,{3,4})", time=0.2, work_order=name, crews=2)
    page = Cells()
    page.feed(Path("page.html").read_text())
    assert not page.open
    return page


def test_crews_find_their_moves_visit_by_visit(crewed: Cells) -> None:
    """The same moves in the same order as in the list of crews, with all that is told there."""
    with Path("list.csv").open() as file:
        listed = list(csv.DictReader(file))
    assert {row["crew"] for row in listed} == {"1", "2"}
    ticked = [(title, row) for title, row in crewed.under if row[0] == "\N{BALLOT BOX}"]
    assert [row[1] for _, row in ticked] == [row["move"] for row in listed]
    ends = [f"{what}_{end}" for what in ("label", "cable", "rack") for end in "ab"]
    for (title, row), told in zip(ticked, listed, strict=True):
        where = f"Stage {told['stage']}, {told['panel']}, rack {told['panel_rack']}: from start + "
        assert title.startswith(where)
        assert row[3] == ACTIONS[told["action"]]
        assert row[9:15] == [told[name] for name in ends]
    crews = [title for title in crewed.titles if title.startswith("Crew")]
    assert crews == ["Crew 1", "Crew 2"]


def test_panels_of_a_rack_are_together(crewed: Cells) -> None:
    named = [title for title in crewed.titles if title.startswith("P")]
    assert named == ["P1, rack r1", "P3, rack r1", "P0, rack r2", "P2, rack r2"]
    heads = next(row for row in crewed.rows if row[0] == "done")
    assert heads[9:] == [
        *("label, from", "label, to", "cable, from", "cable, to"),
        *("rack, from", "rack, to", "by", "failed at"),
    ]


def test_what_is_not_told_has_no_column(made: PlanAnswer) -> None:
    page = Cells()
    page.feed(Path("page.html").read_text())
    heads = next(row for row in page.rows if row[0] == "done")
    assert heads == ["done", "move", "stage", "", "from", "to", "port", "port", "mode", "by",
                     "failed at"]  # fmt: skip


def test_lengths_are_told_of_moves_and_summed_by_panel(made: PlanAnswer) -> None:
    """Hosts stand four to a rack, racks in a row; the way of light is added up here again."""
    document = json.loads(Path("i.json").read_text())
    for number, host in enumerate(document["hosts"]):
        host["rack"] = f"r{number // 4}"
    document["panels"][0]["rack"] = "r0"
    trays = [("r0", "r1", "2.5m"), ("r1", "r2", "3m")]
    document["trays"] = [{"between": [a, b], "length": length} for a, b, length in trays]
    Path("i.json").write_text(json.dumps(document | {"slack": "1m"}))
    for name in ("page.html", "list.csv"):
        plan("i.json", "c.csv", "C(12,{2,3})", time=0.2, work_order=name)
    at = {"r0": 0.0, "r1": 2.5, "r2": 5.5}
    with Path("list.csv").open() as file:
        listed = list(csv.DictReader(file))
    sums: dict[tuple[str, str], float] = {}
    for row in listed:
        one, two = at[row["rack_a"]], at[row["rack_b"]]
        length = one + two + 2 if row["panel"] == "P0" else abs(one - two) + 1
        assert float(row["length_m"]) == length
        key = row["panel"], row["action"]
        sums[key] = sums.get(key, 0.0) + length
    page = Cells()
    page.feed(Path("page.html").read_text())
    assert page.rows[0][-2:] == ["metres to make", "metres to take out"]
    for name in ("P0", "P1"):
        told = next(row for row in page.rows if row[0].split(",")[0] == name)
        wanted = [sums.get((name, action), 0.0) for action in ("connect", "disconnect")]
        assert [float(cell) for cell in told[-2:]] == wanted
