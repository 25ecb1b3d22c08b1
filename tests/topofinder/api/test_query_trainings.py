"""Queries in the order of stored trainings: which training, which candidates, and refusals."""

import json
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import pytest

import topofinder as tf
from db.store import Store
from generators.errors import InvalidInput
from tests.command import ran
from topofinder.api.train import train

LINKS = {"alpha": "10us", "bandwidth": "100Gbps"}
MODEL = "name,parameters,activation_bytes,experts\na,1000000,,\nb,4000000,2048,8\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with trainings at two sizes, two at one of them, and a model's table."""
    folder = tmp_path_factory.mktemp("trained")
    (folder / "net.csv").write_text(MODEL)
    db = folder / "t.db"
    train("gpt2-small", 16, 4, db=db, **LINKS)
    train("gpt2-small", 8, 2, db=db, **LINKS)
    train("resnet-50", 16, 4, db=db, **LINKS)
    train("resnet-50", 16, 4, db=db, alpha="20us", bandwidth="100Gbps")
    train(folder / "net.csv", 8, 2, db=db, batch=4096, everything=True, **LINKS)
    return folder


@pytest.fixture
def db(folder: Path) -> Path:
    return folder / "t.db"


def test_rows_come_by_the_time_of_their_iteration(db: Path) -> None:
    found = tf.query(db, train="gpt2-small")
    assert {(one.row.n, one.row.d) for one in found} == {(16, 4), (8, 2)}
    seconds = [one.iteration.seconds[1] for one in found if one.iteration]
    assert len(seconds) == len(found)
    assert seconds == sorted(seconds)
    rated = {
        row.recipe: row.seconds[1]
        for row in train("gpt2-small", 16, 4, db=db, **LINKS).record.rows
        if row.kind == "candidate"
    }
    assert {
        one.row.recipe: one.iteration.seconds[1] for one in found if one.iteration and one.row.n > 8
    } == rated


def test_other_filters_and_orders_hold(db: Path) -> None:
    assert {one.row.n for one in tf.query(db, train="gpt2-small", n=(9, 20))} == {16}
    assert {one.row.steps for one in tf.query(db, train="gpt2-small", max_steps=2)} == {2}
    found = tf.query(db, train="gpt2-small", sort="steps", columns="steps,iteration,training")
    assert [one.row.steps for one in found] == sorted(one.row.steps for one in found)
    times = [one.iteration.seconds[1] for one in tf.query(db, train="gpt2-small", descending=True)]
    assert times == sorted(times, reverse=True)


def test_the_table_and_json(db: Path, capsys) -> None:
    words = ("--columns", "n,d,iteration,iteration_least,compute,exposed,exchanged,recipe")
    ended = ran(capsys, "query", "--db", db, "--train", "gpt2-small", "--n", 8, *words)
    assert ended.err == ""
    assert ended.out == (
        "n      d      iteration  iteration_least  compute  exposed  exchanged  recipe\n"
        "nodes  ports  ms         ms               ms       ms       ms\n"
        "-----  -----  ---------  ---------------  -------  -------  ---------  -------\n"
        "    8      2     60.500           60.500   45.175   15.325      0.000  Diamond\n"
    )
    ended = ran(capsys, "query", "--db", db, "--train", "gpt2-small", "--n", 8, "--json")
    (row,) = json.loads(ended.out)
    (best,) = tf.query(db, train="gpt2-small", n=8)
    assert row["training"]["id"] == best.training
    assert row["training"]["seconds"] == [float(end) for end in best.iteration.seconds]


def test_a_workload_may_be_priced_beside_it(db: Path, capsys) -> None:
    words = ("--train", "resnet-50", "--alpha", "20us", "--bandwidth", "100Gbps", "--size", "1MiB")
    ended = ran(capsys, "query", "--db", db, *words, "--columns", "recipe,time,iteration")
    assert ended.code == 0
    assert len(ended.out.splitlines()) == 3 + len(tf.query(db, train="resnet-50", alpha="20us"))


def test_candidates_off_the_frontier_take_part(folder: Path, db: Path) -> None:
    every = tf.query(db, train=folder / "net.csv")
    assert tf.query(db, train="net").rows == every.rows
    on_frontier = tf.query(db, train="net", everything=False)
    assert {one.row.id for one in on_frontier} <= {one.row.id for one in every}
    assert all(one.row.on_frontier for one in on_frontier)


def test_a_training_is_chosen_by_its_links_or_its_id(db: Path) -> None:
    slow = tf.query(db, train="resnet-50", alpha="20us")
    quick = tf.query(db, train="resnet-50", alpha="10us", bandwidth="100Gbps")
    assert slow[0].iteration.seconds[1] > quick[0].iteration.seconds[1]
    assert tf.query(db, train="resnet-50", training=slow[0].training[:8]).rows == slow.rows


def test_several_at_one_size_are_named(db: Path, capsys) -> None:
    with Store(db) as store:
        ids = [one.question.id[:8] for one in store.trainings(model="resnet-50")]
        alphas = [one.question.alpha for one in store.trainings(model="resnet-50")]
    ended = ran(capsys, "query", "--db", db, "--train", "resnet-50")
    assert (ended.code, ended.out) == (2, "")
    named = [
        f"{id} (alpha {float(alpha * 10**6):.1f} us, 100 Gbps, 64 samples, "
        "50% of the peak of an NVIDIA A100 SXM 80 GB)"
        for id, alpha in zip(ids, alphas, strict=True)
    ]
    assert ended.err == (
        "topofinder: --train: 2 trainings are stored at n 16, d 4, simplex; choose one by --alpha, "
        f"--bandwidth or --training ID: {'; '.join(named)}\n"
    )
    assert set(alphas) == {Fraction(1, 10**5), Fraction(2, 10**5)}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            ("--train", "vgg-16", "--n", "16", "--d", "4", "--alpha", "10us"),
            "--train: no such training of 'vgg-16' is stored; topofinder train --model vgg-16 "
            "--n 16 --d 4 --alpha 10us --bandwidth RATE stores one; stored are trainings of "
            "gpt2-small, net, resnet-50",
        ),
        (
            ("--train", "gpt2-small", "--links", "duplex"),
            "--train: no such training of 'gpt2-small' is stored; topofinder train "
            "--model gpt2-small --n N --d D --alpha TIME --bandwidth RATE stores one; stored are "
            "trainings of gpt2-small, net, resnet-50",
        ),
        (
            ("--train", "gpt2-small", "--alpha", "10"),
            "--alpha: '10' has no unit; write for example",
        ),
        (("--train", "nonsense"), "model: 'nonsense' is unknown; a .json or .csv file, or one of"),
        (("--train", "none.csv"), "none.csv: cannot be read"),
        (("--training", "12"), "training: chooses among trainings, which needs a model: train"),
        (
            ("--sort", "iteration"),
            "sort: column 'iteration' needs a stored training: --train",
        ),
        (
            ("--columns", "training"),
            "--columns: column 'training' needs a stored training",
        ),
        (("--train", "gpt2-small", "--alltoall", "1MiB"), "--alltoall needs --alpha, --bandwidth"),
    ],
)
def test_mistakes_get_one_line(db: Path, capsys, words: Sequence[str], told: str) -> None:
    ended = ran(capsys, "query", "--db", db, *words)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"topofinder: {told}")
    assert ended.err.count("\n") == 1


def test_a_table_that_has_changed_is_another_model(folder: Path, db: Path, tmp_path: Path) -> None:
    other = tmp_path / "net.csv"
    other.write_text(MODEL.replace("4000000", "4000001"))
    assert tf.query(db, train=folder / "net.csv")
    with pytest.raises(InvalidInput, match="no such training of 'net' is stored"):
        tf.query(db, train=other)
