"""The section of a report on trainings: its words, bars, curves and tables are what is stored."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from db.store import Store
from db.training_rows import StoredTraining
from reports.pages.document import Block, Plot, Table
from reports.size_page import size_document
from reports.size_report import SizeReport
from reports.trace import read_timeline
from tests.command import ran
from topofinder.api.report_size import size_report
from topofinder.api.train import train

LINKS = {"alpha": "10us", "bandwidth": "100Gbps"}


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("trained") / "t.db"
    train("gpt2-small", 16, 4, db=path, **LINKS)
    train("resnet-50", 16, 4, db=path, sharded=True, **LINKS)
    return path


@pytest.fixture(scope="module")
def report(db: Path) -> SizeReport:
    return size_report(16, 4, db=db)


@pytest.fixture
def found(report: SizeReport) -> StoredTraining:
    return report.trainings[0]


def section(report: SizeReport) -> tuple[Block, ...]:
    sections = size_document(report).sections
    return next(one.blocks for one in sections if one.title == "Training")


def plots(report: SizeReport) -> dict[str, Plot]:
    return {one.name: one for one in section(report) if isinstance(one, Plot)}


def test_where_none_is_stored_the_command_is_told() -> None:
    (words,) = section(size_report(16, 4))
    assert words == (
        "No training of a model is stored for this size (topofinder train --model MODEL --n 16 "
        "--d 4 --links simplex --alpha TIME --bandwidth RATE)."
    )


def test_words_and_table_are_what_is_stored(report: SizeReport, found: StoredTraining) -> None:
    words, table = section(report)[0], section(report)[4]
    assert isinstance(table, Table)
    assert words == (
        "gpt2-small: 124,439,808 parameters, 8192 tokens a host and iteration, alpha 10.0 us, "
        "100 Gbps a host; compute times are estimates, 50% of the peak of an NVIDIA A100 SXM "
        "80 GB. The quickest wiring is C(16,{3,4}): 62.989 ms an iteration, 72% compute, 28% "
        f"exposed allreduce. The ideal bound is 62.489 ms. Of {found.considered} candidates exact "
        f"bounds exclude {found.excluded}. The row id is candidates.id; the training's is "
        f"trainings.id = {found.question.id}."
    )
    assert [line.cells[0] for line in table.lines] == [row.recipe for row in found.rows]
    for line, row in zip(table.lines, found.rows, strict=True):
        assert line.cells[2] == f"{float(1000 * row.seconds[1]):.3f}"
        assert line.key == (row.candidate or "")


def test_bars_end_where_iterations_end(report: SizeReport, found: StoredTraining) -> None:
    (axes,) = plots(report)["training-1-parts"].draw().axes
    names = [text.get_text() for text in axes.get_yticklabels()]
    assert names == list(dict.fromkeys(row.recipe for row in found.rows))
    first = {row.recipe: row for row in reversed(found.rows)}
    for place, name in enumerate(names):
        ends = [bars[place].get_x() + bars[place].get_width() for bars in axes.containers]
        assert max(ends) == pytest.approx(float(1000 * first[name].seconds[1]))
    legend = [text.get_text() for text in axes.get_legend().get_texts()]
    assert legend == ["compute", "exposed allreduce", "all-to-all"]


def test_the_timeline_ends_with_the_iteration(report: SizeReport, found: StoredTraining) -> None:
    spans = read_timeline(found.timeline or "")
    assert max(span.end for span in spans) == found.best.seconds[1]
    (axes,) = plots(report)["training-1-timeline"].draw().axes
    assert [text.get_text() for text in axes.get_yticklabels()] == ["communication", "compute"]


def test_curves_have_every_bucket(report: SizeReport, found: StoredTraining) -> None:
    (axes,) = plots(report)["training-1-buckets"].draw().axes
    curve = axes.lines[1]
    assert curve.get_label() == found.best.recipe
    expected = [(size, float(1000 * most)) for size, most in found.best.by_bucket]
    assert list(zip(curve.get_xdata(), curve.get_ydata(), strict=True)) == expected
    assert min(most for _, most in found.best.by_bucket) == found.best.seconds[1]


def test_sharded_parameters_have_no_buckets(report: SizeReport) -> None:
    assert "training-2-buckets" not in plots(report)
    (axes,) = plots(report)["training-2-parts"].draw().axes
    assert axes.get_legend().get_texts()[1].get_text() == "exposed gathers"


def test_many_trainings_are_counted(report: SizeReport, found: StoredTraining) -> None:
    many = section(replace(report, trainings=(found,) * 8))
    assert many[-1] == "2 more are stored (topofinder query --train MODEL)."
    long = replace(found, timeline=None, units=Fraction(5, 2))
    assert "training-1-timeline" not in plots(replace(report, trainings=(long,)))


def test_what_cannot_be_read_is_named(tmp_path: Path, capsys) -> None:
    path = tmp_path / "t.db"
    train("gpt2-small", 8, 2, db=path, **LINKS)
    with Store(path) as store:
        store.connection.execute("UPDATE trainings SET units = 'x'")
    ended = ran(capsys, "report", "--n", 8, "--d", 2, "--db", path)
    assert ended.code == 0
    assert "No training of a model is stored for this size" in ended.out
    assert "units is stored as x, no fraction; it is kept" in ended.err
