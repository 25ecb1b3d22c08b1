"""The printed values of tables 4 and 7 to 9, of figures of the same paper and of TACOS, one by one.

They are copied from the papers' own tables and texts, line by line as they stand there, and looked
for in what `reproduce` compares. `test_everything.py` has those of the other items. A value that is
nowhere compared stands in ELSEWHERE with the reason.
"""

import re
from collections import Counter
from pathlib import Path

import pytest

import topofinder.api.reproduce.tacos_items as tacos_items
from reports.reproduced import ReproductionRecord, exactly
from topofinder.api.reproduce.register import REPRODUCTIONS, reproduce_named
from topofinder.api.reproduce.sources import Sources
from topofinder.api.reproduce.tacos_figures import read_tacos_figures

TABLE_4 = """
Pi_{4,1024} | 5 1.332 323.5 5 409.1
L^3(C(16,{3,4})) | 6 1.020 291.0 6 403.5
L^2(Diamond^[]2) | 8 1.004 328.4 8 446.6
L(DBJMod(2,4)^[]2) | 11 1.000 387.8 9 529.9
(UniRing(1,4)[]UniRing(1,8))^[]2 | 20 0.999 567.6 20 1174.4
bound | 5 0.999 267.6 5 382.3
ShiftedRing | 20640 10738
DoubleBinaryTree | 1434 21475
"""
TABLE_7 = """
N=32 L(K_{4,4}) | 3 1.000 3 5.71e-2
N=32 DistReg(4,32) | 4 0.969 4 5.26e-2
N=32 bound | 3 0.969 3 5.80e-2
N=64 Pi_{4,64} | 3 1.312 3 2.17e-2
N=64 L(DBJMod(4,2)) | 4 1.000 4 2.21e-2
N=64 Diamond^[]2 | 6 0.984 6 1.87e-2
N=64 bound | 3 0.984 3 2.42e-2
N=256 DBJ(4,4) | 4 1.328 4 4.04e-3
N=256 L^2(DBJMod(4,2)) | 5 1.016 5 4.10e-3
N=256 L(Diamond^[]2) | 7 1.000 7 3.62e-3
N=256 DBJMod(2,4)^[]2 | 10 0.996 8 2.94e-3
N=256 bound | 4 0.996 4 4.39e-3
N=1024 Pi_{4,1024} | 5 1.332 5 8.01e-4
N=1024 L^3(C(16,{3,4})) | 6 1.020 6 8.12e-4
N=1024 L^2(Diamond^[]2) | 8 1.004 8 7.34e-4
N=1024 L(DBJMod(2,4)^[]2) | 11 1.000 9 6.18e-4
N=1024 (UniRing(1,4)[]UniRing(1,8))^[]2 | 20 0.999 20 2.79e-4
N=1024 bound | 5 0.999 5 8.57e-4
"""
TABLE_8 = """
Octahedron J(4,2) | 6 2 2 0 2 0
Paley graph P9 = H(2,3) | 9 2 2 0 2 0
K5,5 - I | 10 3 2 1 2 1
Distance-3 graph of Heawood graph | 14 3 2 1 2 1
Line graph of Petersen graph | 15 3 2 1 2 1
4-cube Q4 = H(4,2) | 16 4 2 2 2 2
Line graph of Heawood graph | 21 3 2 1 3 0
Incidence graph of PG(2,3) | 26 3 3 0 3 0
Incidence graph of AG(2,4) minus a parallel class | 32 4 3 1 3 1
Odd graph O4 | 35 3 3 0 3 0
Line graph of Tutte's 8-cage | 45 4 3 1 3 1
Doubled Odd Graph D(O4) | 70 7 3 4 4 3
Incidence graph of GQ(3,3) | 80 4 3 1 4 0
Line graph of Tutte's 12-cage | 189 6 4 2 5 1
Incidence graph of GH(3,3) | 728 6 5 1 6 0
"""
TABLE_9 = """
K(5) | m-1 m yes yes yes yes no no
K(4,4) | d 2d yes yes yes yes no no
H(2,3) | n(q-1) q^n yes yes T_L=n yes no no
Kautz(2,0) | d d^n(d+1) yes yes yes yes no no
Kautz(2,2) | d d^n(d+1) yes no yes yes no no
Pi(4,25) | d m no no T_L<=T_L*+1 yes no no
Pi(4,11) | d m no no T_L<=T_L*+1 yes yes no
C(16,{3,4}) | d m yes yes no yes no no
DirC(4) | d d+2 yes yes yes yes no no
BiRing(2,7) | d m yes yes floor(m/2) yes no no
BiRing(4,7) | d m yes yes floor(m/2) yes no yes
UniRing(1,6) | d m yes yes m-1 yes no no
UniRing(2,6) | d m yes yes m-1 yes no yes
Diamond | 2 8 no yes yes no no no
DBJ(4,1) | d d^n yes yes yes yes yes no
DBJ(2,3) | d d^n yes no yes yes yes no
DBJMod(2,3) | 2 8 yes yes T_L=4 no no no
DBJMod(2,4) | 2 16 no yes T_L=5 no no no
DBJMod(3,2) | 3 9 no yes T_L=3 no no no
DBJMod(4,2) | 4 16 no yes T_L=3 no no no
DistReg(4,14) | d m yes yes - yes no no
"""
TEXTS: dict[str, tuple[float | str, ...]] = {
    "figure7": (56, 10, 4, 9, 14, 28, 42, 5.2),
    "figure8": (0.30, 0.50, 0.10, 0.25, 0.07, 0.25),
    "figure9": (8, 4, 2, 1.5, 1.05, 27, 9, 3.3, 1.7, 0.91, 0.58, 0.30),
    "figure14": (13.33, 21.60, 101.8, 79, 1.71, 6.21, 0.47, 1.32),
    "figure15": ("generalized Kautz", "circulant"),
    "figure16": (4, 1, 0),
    "figure18": (2, 1),
}
"""Values that the captions of figures and the texts on them have."""
SERIES = {"figure3": 40, "figure14": 2 * 16 + 8}
"""Plotted analytic series: values with a printed or proved counterpart in all."""
_TESTBED = "measured on MI250, A100 or H100 boxes"
ELSEWHERE = {
    "direct-connect 5.4: within 9 % and 6 % of the bounds": "ratios of values of table 4",
    "direct-connect 8.4: the tree takes about twice ShiftedRing": "a ratio of values of table 4",
    "direct-connect 8.3: circulants barely matched by the 2D torus": "no number",
    "direct-connect 4, D(G) of circulants": "theorem 22, tests of the family hold it",
    "forestcoll-arxiv 1: 61, 36, 37 and 52 %": _TESTBED,
    "forestcoll-arxiv 5: means from 1 MB to 1 GB (50, 24, 36, 35, 34, 52, 38, 30 %)": _TESTBED,
    "forestcoll-nsdi26 figure 13: training": _TESTBED,
    "tacos figure 1": "a heat map without numbers",
    "tacos figures 3 to 13": "drawings of the method; no values",
    "tacos table 1 to 4": "words on algorithms and topologies",
    "tacos section V: 6 to 8 %, about 1 %": "their simulator against hardware, measured",
    "tacos section VI.C: 10^3 to 10^5": "synthesis times over those of TACCL, measured",
    "tacos abstract: 1.08 s": "the 1080 ms of table V",
}
"""Values that are compared nowhere, or under another name, and why."""
TACOS_ELSEWHERE = {
    "figure20": "training times of models whose batches and layers are not told",
    "figure21": "training times of models whose batches and layers are not told",
    "training_speedup": "means over figures 20 and 21",
    "abstract": "the 4.27 of table V (test_tacos_figures.py)",
}


def lines_of(text: str) -> list[tuple[str, list[str]]]:
    pairs = (line.rsplit(" | ", 1) for line in text.strip().splitlines())
    return [(name, values.split()) for name, values in pairs]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ReproductionRecord]:
    """The tables and series; throughputs are left out, for printed values are looked at alone."""
    db = tmp_path_factory.mktemp("printed") / "t.db"
    names = ("table4", "table7", "table8", "table9", "figure3", "figure14")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Sources, "rate", lambda self, recipe: exactly(1))
        return {name: reproduce_named(name, db) for name in names}


@pytest.mark.parametrize(
    ("name", "text", "values"),
    [("table4", TABLE_4, 34), ("table7", TABLE_7, 72), ("table8", TABLE_8, 90)],
)
def test_every_cell_of_a_table_of_numbers_stands_beside_ours(
    name: str, text: str, values: int, made: dict[str, ReproductionRecord]
) -> None:
    cells = 0
    for subject, line in lines_of(text):
        rows = [row for row in made[name].rows if row.subject == subject]
        found = Counter(row.published for row in rows if isinstance(row.published, int | float))
        assert found == Counter(map(float, line)), subject
        assert all(row.compared for row in rows)
        cells += len(line)
    assert cells == values
    assert {subject for subject, _ in lines_of(text)} == {row.subject for row in made[name].rows}


def test_every_claim_of_table_9_stands_beside_ours(made: dict[str, ReproductionRecord]) -> None:
    claimed = {"yes": "optimal", "no": "no", "-": None, "T_L<=T_L*+1": "T_L* + 1", "T_L=n": 2}
    formulas = {"floor(m/2)": lambda n: n // 2, "m-1": lambda n: n - 1}
    for subject, line in lines_of(TABLE_9):
        rows = {row.quantity: row for row in made["table9"].rows if row.subject == subject}
        degree, hosts, symmetric, optimal, steps, by_bfb, loops, parallel = line
        assert (rows["reverse-symmetric"].published, rows["bandwidth-optimal"].published) == (
            symmetric,
            optimal,
        )
        assert rows["scheduled by BFB"].published == by_bfb
        assert (rows["self-loops"].published, rows["parallel arcs"].published) == (loops, parallel)
        n = rows["N"].published
        assert isinstance(n, int)
        assert not hosts.isdigit() or n == int(hosts)
        assert not degree.isdigit() or rows["degree"].published == int(degree)
        told = rows["T_L"].published
        if steps in formulas:
            assert told == formulas[steps](n)
        elif match := re.fullmatch(r"T_L=(\d)", steps):
            assert told in (int(match[1]), "optimal")
        else:
            assert told == claimed[steps]
    assert len({row.subject for row in made["table9"].rows}) == len(lines_of(TABLE_9))


@pytest.mark.parametrize("name", SERIES)
def test_series_have_all_their_points(name: str, made: dict[str, ReproductionRecord]) -> None:
    assert sum(row.published is not None for row in made[name].rows) == SERIES[name]


def test_texts_on_figure_14_are_whole(made: dict[str, ReproductionRecord]) -> None:
    found = [row.published for row in made["figure14"].rows if row.subject == "fit"]
    assert found == [*TEXTS["figure14"]]
    for row in made["figure14"].rows:
        assert row.compared or row.note


def test_every_item_of_tacos_is_compared_or_has_a_reason() -> None:
    """Items are asked for by name: each name of the printed figures is in the code, or here."""
    folder = Path(tacos_items.__file__).parent
    code = "".join(path.read_text(encoding="utf-8") for path in folder.glob("tacos_*.py"))
    items = {one.item for one in read_tacos_figures()}
    unused = {item for item in items if f'"{item}"' not in code}
    assert unused == set(TACOS_ELSEWHERE)
    assert all(TACOS_ELSEWHERE.values())


def test_reasons_are_given_and_items_exist() -> None:
    assert all(ELSEWHERE.values())
    assert {*TEXTS, *SERIES} <= set(REPRODUCTIONS)


@pytest.mark.parametrize("name", ["figure7", "figure15", "figure18"])
def test_texts_on_figures_are_whole(name: str) -> None:
    sizes = {"figure7": (16,), "figure15": (32,), "figure18": (8,)}[name]
    found = reproduce_named(name, ":memory:", sizes=sizes, time=0.01)
    printed = {row.published for row in found.rows if row.published is not None}
    assert printed == set(TEXTS[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["figure8", "figure9", "figure16"])
def test_texts_on_training_are_whole(name: str, tmp_path: Path) -> None:
    found = reproduce_named(name, tmp_path / "t.db", time=0.01)
    printed = {row.published for row in found.rows if row.published is not None}
    assert printed == set(TEXTS[name])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "item", "size"),
    [
        ("tacos-figure16", "figure16", 8),
        ("tacos-figure17", "figure17a", 9),
        ("tacos-table5", "table5", 16),
    ],
)
def test_every_value_on_a_shape_of_tacos_stands_beside_ours(
    name: str, item: str, size: int
) -> None:
    found = reproduce_named(name, ":memory:", sizes=(size,))
    told = {row.published for row in found.rows}
    for one in read_tacos_figures():
        elsewhere = one.subject.startswith("RFS") and one.subject != "RFS(2,4,2)"
        if one.item == item and not elsewhere:
            assert one.value in told, one
