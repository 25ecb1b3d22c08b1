"""Every printed value of the tables and figures: compared with ours, or with a reason why not."""

import os
import signal
import sys
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from generators.errors import InvalidInput
from reports.reproduced import ComparisonRow, ReproductionRecord, exactly
from reports.reproduced_page import (
    BESIDE,
    DIFFERS,
    EQUAL,
    WITHIN,
    AllReproductions,
    ReproducedItem,
    all_document,
    all_fields,
    all_text,
    count_verdicts,
    verdict_of,
)
from tests.command import ran
from topofinder import interrupts
from topofinder.api.reproduce.bfb_examples import least_workload
from topofinder.api.reproduce.everything import (
    COMPILED,
    QUICK_SIZES,
    explain_differences,
    reproduce_all,
)
from topofinder.api.reproduce.forest_figures import half_boxes, stage_seconds
from topofinder.api.reproduce.register import REPRODUCTIONS, SIZED, reproduce_named
from topofinder.api.reproduce.use_case import reproduce
from topofinder.dispatch.kernel import kernel_named
from topofinder.interrupts import interrupt_once

LIBRARY = "measured, of a library or solver that is not built here"
TESTBED = "measured on a testbed of 12 hosts"
PRINTED: dict[str, dict[object, str | None]] = {
    "table5": {"yes": None},
    "figure5": {1: None, 0.666667: None},
    "figure6": dict.fromkeys((0.75, 0.20, 0.40, 0.50, 0, 0.45, 0.35), TESTBED),
    "figure11": {"yes": None, 2: None, 3.1: TESTBED, 1.29: TESTBED, 1.0: TESTBED, 1.42: TESTBED},
    "figure12": {},  # the text has no numbers of it, and the plot no labels
    "figure13": {0.80: TESTBED, 0.40: TESTBED},
    "forest-examples": dict.fromkeys(
        (354.13, 341.33, 62.5, 1, 0.25, 2, "yes", "4/4b", "1/11b", 4, 0)
    ),
    "forest-figure9": dict.fromkeys((16, "3 or 4", 7, 256, 32, "yes")),
    "forest-table3": dict.fromkeys(
        (2.2, 979, 1209, 3.8, 550, 1708), "seconds of 128 cores, measured"
    ),
    "forest-figure10": dict.fromkeys(
        (1.61, 1.36, 1.16, 1.23, 1.91, 1.87, 1.15, 1.43, 1.32, 2.7, 2.42, 1.66, 2.98, 2.86, 1.40),
        LIBRARY,
    ),
    "forest-figure11": dict.fromkeys((1.16, 1.53, 1.32, 1.30, 1.26, 2.30, 1.85, 1.27), LIBRARY),
    "forest-figure12": dict.fromkeys((1.32, 1.14, 1.25), LIBRARY),
    "forest-figure14": {
        **dict.fromkeys((342.8571, 346.6667, 266.6667, 354.1333)),
        36.5: "minutes of 128 cores, measured",
        37.7: "minutes of 128 cores, measured",
        4.0: "minutes of 128 cores, measured",
        "below 1": "seconds of 128 cores, measured",
        37.0: LIBRARY,
        "at least 1.5": LIBRARY,
    },
}
"""Printed values by item, each with the reason why it is not compared, or None: it is."""
WORDS = {
    "table1": "notation", "table2": "words on kinds of topologies", "table3": "formulas of "
    "expansions, which tests of the expansions hold", "forest-figure13": "measured training",
}  # fmt: skip
"""Tables and figures without values of ours, and why."""


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> dict[str, ReproductionRecord]:
    """The items of PRINTED, figure 10 and table 6, worked out once."""
    db = tmp_path_factory.mktemp("all") / "t.db"
    names = (*PRINTED, "figure10", "table6")
    return {name: reproduce_named(name, db) for name in names}


@pytest.mark.parametrize("name", PRINTED)
def test_every_printed_value_is_compared_or_has_a_reason(name: str, made) -> None:
    rows = [row for row in made[name].rows if row.published is not None]
    assert {row.published for row in rows} == set(PRINTED[name])
    for row in rows:
        assert row.compared is (PRINTED[name][row.published] is None), row
        assert row.compared or row.note


def test_words_on_methods_that_are_here_are_found_out() -> None:
    for name, cells, compared in (("forest-table1", 15, 5), ("forest-table2", 30, 7)):
        rows = reproduce_named(name, ":memory:").rows
        assert len(rows) == cells
        assert all(row.published is not None for row in rows)
        told = [row for row in rows if row.compared]
        assert {verdict_of(row) for row in told} == {EQUAL}
        assert len(told) == compared
        assert all(row.note for row in rows if not row.compared)


def test_nothing_is_both_in_the_register_and_in_words() -> None:
    assert not set(WORDS) & set(REPRODUCTIONS)
    assert set(PRINTED) <= set(REPRODUCTIONS)


def test_what_is_compared_is_equal_or_says_why(made) -> None:
    wrong = [
        (name, row.subject, row.quantity)
        for name, found in made.items()
        for row in found.rows
        if verdict_of(row) == DIFFERS and not row.note
    ]
    assert wrong == []
    differing = {
        (name, row.subject) for name, found in made.items() for row in found.rows
        if verdict_of(row) == DIFFERS
    }  # fmt: skip
    assert differing == {("figure11", "Torus(3,3,2)"), ("figure11", "Torus(3,3,3,2)")}


def test_table_6_has_all_156_values_and_figure_10_is_optimal(made) -> None:
    assert len(made["table6"].rows) == 12 * 13
    assert all(row.published is not None for row in made["table6"].rows)
    assert count_verdicts(made["figure10"].rows) == {EQUAL: 24, WITHIN: 0, DIFFERS: 0, BESIDE: 0}
    bfb = [row for row in made["table6"].rows if row.quantity == "BFB"]
    assert [row.published for row in bfb].count("< 0.01") == 6
    assert Counter(isinstance(row.ours, str) for row in bfb) == {False: 10, True: 2}


def test_the_model_has_the_trend_of_figure_6(made) -> None:
    saved = {
        (row.subject, row.quantity): float(row.ours[0])
        for row in made["figure6"].rows
        if row.published is not None
    }
    assert round(saved["N=12", "allreduce of 1 KB: ours saves against ShiftedRing"], 2) == 0.76
    assert round(saved["N=12", "allreduce of 1 MB: ours saves against ShiftedRing"], 2) == 0.48
    assert all(share > 0 for share in saved.values())


def test_halls_condition_is_the_linear_program() -> None:
    """LP (1) by scipy on random offers."""
    import numpy as np
    from scipy.optimize import linprog

    generator = np.random.default_rng(5)
    for _ in range(30):
        near, shards = int(generator.integers(1, 5)), int(generator.integers(1, 5))
        offers = [
            frozenset(generator.choice(near, int(generator.integers(1, near + 1)), False).tolist())
            for _ in range(shards)
        ]
        pairs = [(v, w) for v, each in enumerate(offers) for w in sorted(each)]
        weight = [[float(w == x) for _, x in pairs] + [-1.0] for w in range(near)]
        whole = [[float(v == x) for x, _ in pairs] + [0.0] for v in range(shards)]
        best = linprog([0.0] * len(pairs) + [1.0], weight, [0.0] * near, whole, [1.0] * shards)
        assert float(least_workload(offers)) == pytest.approx(best.fun)


def test_half_boxes_keep_what_eight_gpus_have() -> None:
    half = half_boxes(2)
    assert (half.n, len(half.switches)) == (17, 1)
    assert max(stage_seconds(half)) < 5


def row(ours: str, published: object, **more: object) -> ComparisonRow:
    value = ours if ours in ("yes", "no") else exactly(Fraction(ours))
    return ComparisonRow(
        subject="a", quantity="b", unit="", ours=value, published=published, **more
    )  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("made_row", "verdict"),
    [
        (row("323.54", 323.5), EQUAL),
        (row("323.56", 323.5), DIFFERS),
        (row("1434.4", 1434), EQUAL),
        (row("1434.6", 1434), DIFFERS),
        (row("5/3", 2), DIFFERS),
        (row("0.0008124", 8.12e-4), EQUAL),
        (row("0.0008126", 8.12e-4), DIFFERS),
        (row("yes", "yes"), EQUAL),
        (row("no", "yes"), DIFFERS),
        (row("1", 1.0), EQUAL),
        (row("2", 1, compared=False), BESIDE),
        (row("2", None), None),
    ],
)
def test_verdicts_are_to_the_printed_digits(made_row: ComparisonRow, verdict: str | None) -> None:
    assert verdict_of(made_row) == verdict


def test_the_page_has_each_value_and_its_reason() -> None:
    rows = (row("1", 2), row("2", 2), row("3", None))
    found = explain_differences(ReproductionRecord(name="figure9", title="T", rows=rows))
    assert found.rows[0].note.startswith("the paper's compute times are not printed")
    assert found.rows[1:] == rows[1:]
    answer = AllReproductions(items=(ReproducedItem(found=found, seconds=0.25),), quick=True)
    assert "figure9     3      1            0        1             0    0.2" in all_text(answer)
    assert [each["verdict"] for each in all_fields(answer)] == [DIFFERS, EQUAL, None]
    _, section = all_document(answer).sections
    (table,) = section.blocks
    assert [line.cells[-2] for line in table.lines] == [DIFFERS, EQUAL, ""]


def test_kernels_that_are_compiled_at_once_are_kernels() -> None:
    assert all(kernel_named(name).name == name for name in COMPILED)


def test_quick_sizes_are_for_those_that_take_some() -> None:
    assert set(QUICK_SIZES) <= set(SIZED)


def test_a_page_of_some_items(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    answer = reproduce_all(quick=True, out=page, names=("table 5", "fig18", "forest-figure14"))
    told = str(answer)
    assert told.startswith("Tables and figures of the papers, worked out anew, at small sizes")
    text = page.read_text(encoding="utf-8")
    assert all(f"\n## {title}" in text for title in ("All", "Table 5", "Figure 18", "Figure 14"))
    assert "346.6667" in text


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "reproduce: a table or figure is needed, or --all"),
        (("table5", "--quick"), "--quick: goes with --all"),
        (("table5", "--all"), "--all: takes no table or figure"),
        (("--all", "--n", "5"), "--all: takes no --n"),
        (("--all", "--csv"), "--all: takes no --csv"),
        (("--all", "-o", "a.txt"), "a.txt: a report is a .html or .md file, or a folder"),
    ],
)
def test_refusals(capsys, tmp_path: Path, words: tuple[str, ...], told: str) -> None:
    ended = ran(capsys, "reproduce", *words, "--db", tmp_path / "t.db")
    assert (ended.code, ended.err) == (2, f"topofinder: {told}\n")


def test_the_printed_size_of_table_3_keeps_all_six_values() -> None:
    rows = reproduce_named("forest-table3", ":memory:", sizes=(1024,)).rows
    assert {row.published for row in rows} == set(PRINTED["forest-table3"])


def test_sizes_without_any_are_refused() -> None:
    with pytest.raises(InvalidInput, match="--n: is for"):
        reproduce_named("table5", ":memory:", sizes=(4,))


@pytest.fixture
def heeded_interrupts() -> Iterator[None]:
    """Python's own handler, also where the tests were started with SIGINT ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("heeded_interrupts")
@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
def test_ctrl_c_leaves_the_rows_that_are_worked_out(tmp_path: Path) -> None:
    def interrupt(done: int, total: int) -> None:
        if done == 1:
            os.kill(os.getpid(), signal.SIGINT)

    with interrupt_once():
        found = reproduce("figure 3", db=tmp_path / "t.db", progress=interrupt)
        assert signal.getsignal(signal.SIGINT) is signal.SIG_DFL  # a second one ends the process
    assert found.to_dict()["missing"] == ["K(5)", "DirC(4)", "H(2,3)"]
    assert found.to_dict()["title"].endswith("; interrupted, without K(5), DirC(4), H(2,3)")
    assert found.rows == reproduce("figure 3", db=tmp_path / "t.db").rows[:10]


@pytest.mark.usefixtures("heeded_interrupts")
@pytest.mark.skipif(sys.platform == "win32", reason="no such signals")
def test_ctrl_c_leaves_the_items_that_are_worked_out(tmp_path: Path) -> None:
    def interrupt(line: str) -> None:
        if line.startswith("2 of"):
            os.kill(os.getpid(), signal.SIGINT)

    names = ("table 8", "figure 3", "figure 7", "figure 18")
    with interrupt_once():
        found = reproduce_all(names=names, out=tmp_path / "p.md", tell=interrupt)
    assert [bool(item.found.rows) for item in found.found.items] == [True, True, False, False]
    missing = "; interrupted, without some of figure3, figure7, figure18"
    assert str(found).splitlines()[0].endswith(missing)
    assert "Left out: interrupted" in (tmp_path / "p.md").read_text("utf-8")


def test_sizes_that_are_not_filled_leave_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupts._ending, "asked", True)
    for name in ("figure7", "figure15"):
        with pytest.raises(KeyboardInterrupt):
            reproduce_named(name, ":memory:", sizes=(9,))
