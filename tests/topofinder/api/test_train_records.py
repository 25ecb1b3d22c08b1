"""Stored trainings: looked up under their question, redone when their inputs change."""

import subprocess
import sys
from dataclasses import fields, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import topofinder as tf
from db.store import Store
from db.training_rows import StoredTraining
from tests.command import ran
from tests.privileges import open_folder, ordinary_user
from topofinder.api.train import train
from topofinder.api.train_records import TRAINING_ENGINE, training_question
from topofinder.model.candidate import LinkMode
from topofinder.model.training_model import TrainingModel
from topofinder.simulation.training.accelerators import ACCELERATORS
from topofinder.simulation.training.experts import ExpertSkew, HostAmounts, read_zipf
from topofinder.simulation.training.job import TrainingJob
from topofinder.simulation.training.roofline import ComputeRates

LINKS = {"alpha": "10us", "bandwidth": "100Gbps"}
WORDS = ("--model", "switch-base", "--n", 8, "--d", 2, "--alpha", "10us", "--bandwidth", "100Gbps")
JOB = TrainingJob(
    model=TrainingModel(
        name="one", layers=[{"name": "a", "parameters": 5, "experts": 72, "flops": 10**12}]
    ),
    n=8,
    units=Fraction(2),
    rates=ComputeRates(accelerator=ACCELERATORS["a100"]),
)
OTHERS = {
    "model": TrainingModel(
        name="one", layers=[{"name": "a", "parameters": 6, "experts": 72, "flops": 10**12}]
    ),
    "n": 9,
    "units": Fraction(3),
    "rates": ComputeRates(accelerator=ACCELERATORS["a100"], efficiency=Fraction(1, 3)),
    "buckets": (1,),
    "splits": True,
    "sharded": True,
    "microbatches": 2,
    "skew": read_zipf("zipf:1.2"),
}


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    path = tmp_path / "t.db"
    train("switch-base", 8, 2, db=path, **LINKS)
    return path


@pytest.fixture
def no_rating(stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    del stored  # it is worked out before

    def refuse(*given: object) -> None:
        raise AssertionError("the store has the answer")

    monkeypatch.setattr("topofinder.api.train_answers.rate_size", refuse)


def stored_training(path: Path) -> StoredTraining:
    with Store(path) as store:
        (found,) = store.trainings()
    return found


@pytest.mark.parametrize("name", [each.name for each in fields(TrainingJob) if each.init])
def test_every_field_of_a_job_is_part_of_the_question(name: str) -> None:
    asked = (2, LinkMode.SIMPLEX, Fraction(1), Fraction(2))
    other = replace(JOB, **{name: OTHERS[name]})
    assert training_question(other, *asked).id != training_question(JOB, *asked).id
    assert training_question(replace(JOB), *asked) == training_question(JOB, *asked)


def test_matrices_of_hosts_are_told_apart() -> None:
    asked = (2, LinkMode.SIMPLEX, Fraction(1), Fraction(2))

    def asked_id(first: int, label: str = "matrix") -> str:
        place = np.ones((8, 8), dtype=np.int32)
        place[0, 0] = first
        skew = ExpertSkew(label=label, amounts=HostAmounts(values=(0, 1, 2), place=place))
        return training_question(replace(JOB, skew=skew), *asked).id

    assert asked_id(1) == asked_id(1)
    assert len({asked_id(1), asked_id(2), asked_id(1, "other")}) == 3


@pytest.mark.usefixtures("no_rating")
def test_the_same_arguments_are_answered_from_the_store(
    stored: Path, tmp_path: Path, capsys
) -> None:
    found = train("switch-base", 8, 2, db=stored, trace=tmp_path / "t.json", **LINKS)
    kinds = {row.kind for row in found.record.rows}
    assert kinds == {"candidate", "baseline", "bound"}
    ended = ran(capsys, "train", *WORDS, "--db", stored)
    assert (ended.code, ended.out) == (0, f"{found}\n")


def test_a_stored_answer_is_what_is_worked_out(stored: Path, tmp_path: Path) -> None:
    for place, path in enumerate((stored, None)):
        trace = tmp_path / f"{place}.json"
        found = train("switch-base", 8, 2, db=path, trace=trace, **LINKS)
        assert found.to_dict() == train("switch-base", 8, 2, **LINKS).to_dict()
    assert (tmp_path / "0.json").read_text("utf-8") == (tmp_path / "1.json").read_text("utf-8")


def test_other_arguments_are_stored_beside(stored: Path) -> None:
    train("switch-base", 8, 2, db=stored, rate="60TFLOPS", **LINKS)
    train("switch-base", 8, 2, db=stored, everything=False, **LINKS)
    train("resnet-50", 8, 2, db=stored, **LINKS)
    with Store(stored) as store:
        assert len(store.trainings(model="switch-base")) == 3
        assert len(store.trainings(model="resnet-50")) == 1


def test_a_narrower_throughput_makes_the_answer_anew(stored: Path) -> None:
    before = stored_training(stored)
    with Store(stored) as store:
        (row,) = store.throughputs(recipe="Diamond")
        store.connection.execute("DELETE FROM throughputs WHERE recipe = 'Diamond'")
        store.save_throughput(replace(row, lower=row.lower / 2))
    found = train("switch-base", 8, 2, db=stored, **LINKS)
    wider = next(row for row in found.record.rows if row.recipe == "Diamond")
    assert wider.seconds[1] > before.best.seconds[1]
    assert stored_training(stored).inputs != before.inputs


def test_an_older_engine_s_answer_is_replaced(stored: Path, monkeypatch) -> None:
    for module in ("train_answers", "train_records"):
        monkeypatch.setattr(f"topofinder.api.{module}.TRAINING_ENGINE", TRAINING_ENGINE + 1)
    train("switch-base", 8, 2, db=stored, **LINKS)
    assert stored_training(stored).engine == TRAINING_ENGINE + 1


@pytest.mark.usefixtures("no_rating")
def test_a_newer_engine_s_answer_is_used_and_named(stored: Path, capsys) -> None:
    with Store(stored) as store:
        store.connection.execute("UPDATE trainings SET engine = 9, inputs = 'other'")
    ended = ran(capsys, "train", *WORDS, "--db", stored)
    assert ended.code == 0
    assert ended.err == (
        f"topofinder: database '{stored}': training of switch-base at n 8, d 2, simplex: "
        "is used as engine 9 found it; this one is 1\n"
    )
    assert stored_training(stored).engine == 9


def test_what_cannot_be_read_is_kept_and_named(stored: Path, capsys) -> None:
    with Store(stored) as store:
        store.connection.execute("UPDATE iterations SET most = 'x'")
    ended = ran(capsys, "train", *WORDS, "--db", stored)
    assert ended.code == 0
    assert "training of switch-base at n 8, d 2, simplex: most is stored as x, no fraction; " in (
        ended.err
    )
    assert "it is kept, and what is found instead is not stored" in ended.err
    with Store(stored) as store:
        assert {most for (most,) in store.connection.execute("SELECT most FROM iterations")} == {
            "x"
        }


def test_a_file_that_can_only_be_read_is_said_to_be_so(capsys) -> None:
    with open_folder() as folder:
        path = folder / "a.db"
        tf.search(8, 2, db=path)
        path.chmod(0o444)
        with ordinary_user():
            ended = ran(capsys, "train", *WORDS[:1], "resnet-50", *WORDS[2:], "--db", path)
    assert ended.code == 0
    assert "cannot be written; what is found is not stored" in ended.err


def test_what_costs_more_may_win_by_its_all_to_all() -> None:
    kept, every = (train("switch-base", 32, 4, everything=all, **LINKS) for all in (False, True))
    assert train("switch-base", 32, 4, **LINKS).to_dict() == every.to_dict()
    assert every.record.considered > kept.record.considered
    assert every.record.best.seconds[1] < kept.record.best.seconds[1]
    assert every.record.best.recipe not in {row.recipe for row in tf.search(32, 4).pool}
    rated = [row for row in every.record.rows if row.kind == "candidate"]
    members = {row.recipe for row in tf.search(32, 4).members}
    quickest = min(row.seconds[1] for row in rated if row.recipe in members)
    assert members <= {row.recipe for row in rated}
    assert all(row.seconds[1] < quickest for row in rated if row.recipe not in members)
    assert str(kept).endswith("; --all considers more")
    assert str(every).endswith("excluded by bounds")


def test_gradients_alone_are_quickest_on_what_is_kept() -> None:
    kept, every = (train("gpt2-small", 32, 4, everything=all, **LINKS) for all in (None, True))
    assert every.record.best == kept.record.best
    assert not kept.record.is_partial


def test_exports_take_trainings_of_their_sizes_along(stored: Path, tmp_path: Path) -> None:
    train("switch-base", 16, 2, db=stored, **LINKS)
    tf.export_db(stored, tmp_path / "part.db", n=[(8, 8)])
    part = stored_training(tmp_path / "part.db")
    with Store(stored) as store:
        assert store.trainings(n=8) == [part]
    assert train("switch-base", 8, 2, db=tmp_path / "part.db", **LINKS).record.rows == part.rows
    merged = tf.merge(tmp_path / "part.db", tmp_path / "all.db")
    assert merged.agrees
    with Store(tmp_path / "all.db") as store:
        assert store.trainings() == []


def test_a_look_up_does_not_wait_for_scipy() -> None:
    asked = (
        "import sys, topofinder.api.train; print('scipy' in sys.modules, 'numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"
