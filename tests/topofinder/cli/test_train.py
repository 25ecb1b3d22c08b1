"""`topofinder train`: ratings against the prices of the same collectives, and refusals."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

import topofinder as tf
from tests.command import ran
from topofinder.alltoall.solver.bounds import moore_bound, moore_rate
from topofinder.api.train import Training, train

ASKED = ("--alpha", "10us", "--bandwidth", "100Gbps")
LINKS = {"alpha": "10us", "bandwidth": "100Gbps"}


@pytest.fixture(scope="module")
def base() -> Training:
    return train("switch-base", 16, 4, links="duplex", **LINKS)


def test_the_bound_comes_first_and_the_frontier_before_baselines(base: Training) -> None:
    kinds = [row.kind for row in base.record.rows]
    assert kinds[0] == "bound"
    assert base.record.best.kind == "candidate"
    members = tf.search(16, 4, links="duplex").members
    rated = {row.recipe for row in base.record.rows if row.kind == "candidate"}
    assert rated == {member.recipe for member in members}  # no other is quicker
    assert base.record.considered > base.record.excluded + len(rated)
    schedules = {row.schedule for row in base.record.rows if row.kind == "baseline"}
    assert {"shifted-ring", "torus-by-dimension", "double-binary-tree"} <= schedules
    seconds = [row.seconds[1] for row in base.record.rows]
    assert seconds == sorted(seconds)


def test_workers_rate_the_same(base: Training) -> None:
    by_workers = train("switch-base", 16, 4, links="duplex", backend="loky", **LINKS)
    assert str(by_workers) == str(base)


def test_all_to_alls_are_those_of_the_throughput(base: Training) -> None:
    best = base.record.best
    tokens = Fraction(1 << 20, 16)
    found = tf.throughput(best.recipe)
    least, most = found.times(tokens * 768 * 2, Fraction(125 * 10**8))
    assert best.exchange[0] <= 12 * 4 * most
    assert best.exchange[1] >= 12 * 4 * least


def test_one_bucket_exposes_the_allreduce_of_all_gradients() -> None:
    found = train("gpt2-small", 16, 4, buckets=["1TiB"], **LINKS)
    members = {member.recipe: member for member in tf.search(16, 4).members}
    for row in found.record.rows:
        if row.kind == "candidate":
            cost = members[row.recipe].allreduce
            sent = Fraction(2 * 124_439_808)
            taken = cost.runtime(Fraction(1, 10**5), sent, Fraction(125 * 10**8))
            assert row.exposed == (taken, taken)
            assert row.seconds[0] == row.compute + taken


def test_measured_times_are_taken(tmp_path: Path, capsys) -> None:
    model = tmp_path / "net.csv"
    model.write_text("name,parameters\na,1000\nb,2000\n")
    times = tmp_path / "times.csv"
    times.write_text("layer,forward_seconds,backward_seconds\na,0.25,0.5\nb,0.125,1\n")
    words = ("--model", model, "--profile", times, "--batch", 1, "--n", 8, "--d", 2)
    ended = ran(capsys, "train", *words, *ASKED, "--db", tmp_path / "t.db", "--json")
    assert ended.code == 0
    fields = json.loads(ended.out)
    assert fields["estimate"] is None
    assert {row["compute"] for row in fields["rows"]} == {1.875}


def test_answers_are_stored_and_used_again(tmp_path: Path) -> None:
    db = tmp_path / "t.db"
    first = train("switch-base", 8, 4, db=db, **LINKS)
    assert len(tf.query(db, n=8, d=4, with_throughput=True)) >= 1
    assert train("switch-base", 8, 4, db=db, **LINKS).to_dict() == first.to_dict()


def test_a_measured_table_is_a_model(tmp_path: Path, capsys) -> None:
    table = tmp_path / "net.json"
    layer = {"name": "a", "parameters": 1000, "forward_seconds": 0.25, "backward_seconds": 0.5}
    table.write_text(json.dumps({"name": "net", "batch": 8, "layers": [layer]}))
    words = ("--profile", table, "--n", 8, "--d", 2, *ASKED, "--db", tmp_path / "t.db")
    ended = ran(capsys, "train", *words)
    assert ended.code == 0
    head = "net: 1,000 parameters, 8 samples a host\n"
    assert ended.out.startswith(head)
    assert "compute times are measured\n" in ended.out
    ended = ran(capsys, "train", "--n", 8, "--d", 2, *ASKED)
    said = "topofinder: model: a name, a table of layers, or a .json profile is needed\n"
    assert (ended.code, ended.out, ended.err) == (2, "", said)


def test_the_timeline_of_the_best_is_written(tmp_path: Path, base: Training) -> None:
    path = tmp_path / "trace.json"
    found = train("switch-base", 16, 4, links="duplex", trace=path, **LINKS)
    events = json.loads(path.read_text("utf-8"))["traceEvents"]
    ends = [event["ts"] + event["dur"] for event in events if event["ph"] == "X"]
    assert max(ends) == pytest.approx(float(found.record.best.seconds[1]) * 1e6)
    assert found.to_dict() == base.to_dict()


def test_the_timeline_is_drawn(tmp_path: Path, capsys) -> None:
    words = ("--model", "switch-base", "--n", 8, "--d", 2, "--db", tmp_path / "t.db")
    ended = ran(capsys, "train", *words, *ASKED, "-o", tmp_path / "t.svg")
    assert ended.code == 0
    text = (tmp_path / "t.svg").read_text("utf-8")
    for word in ("forward", "backward", "all-to-all", "allreduce", "communication"):
        assert word in text
    assert "reduce-scatter" not in text


def test_what_has_no_schedule_for_shards_is_left_out() -> None:
    found = train("resnet-50", 12, 4, sharded=True, **LINKS)
    names = [name for name, _ in found.record.left_out]
    assert names == ["DoubleBinaryTree(12)"]
    assert "left out: DoubleBinaryTree(12): has no schedule of its own for allgather" in str(found)


def test_larger_types_send_more() -> None:
    narrow, wide = (train("gpt2-small", 8, 2, dtype=dtype, **LINKS) for dtype in (None, "float32"))
    assert wide.record.best.seconds[1] > narrow.record.best.seconds[1]


def test_microbatches_share_the_batch() -> None:
    whole, parts = (
        train("gpt2-small", 8, 2, rate="60TFLOPS", accumulate=k, **LINKS) for k in (1, 4)
    )
    assert parts.record.units == whole.record.units == 8192
    assert abs(parts.record.best.compute - whole.record.best.compute) < Fraction(1, 10**6)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--model", "lenet"), "model: 'lenet' is unknown; a .json or .csv file, or one of"),
        (("--accelerator", "tpu"), "accelerator: 'tpu' is unknown; the choices are a100"),
        (("--efficiency", "0"), "efficiency: above 0 and at most 1, not 0"),
        (("--rate", "60"), "--rate: '60' has no unit; write for example 60TFLOPS"),
        (("--dtype", "int8"), "dtype: 'int8' is unknown; the choices are float64"),
        (("--batch", "0"), "batch: at least 1 token, not 0"),
        (("--bucket", "x"), "--bucket: 'x' is not a quantity"),
        (("--accumulate", "0"), "accumulate: 1 to 4096, not 0"),
        (
            ("--n", "48"),
            "n: 256 experts cannot be spread evenly over 48 hosts; the choices are 2, 4, 8,"
            " 16, 32, 64, 128, 256 and multiples of 256\n",
        ),
        (("--experts-skew", "1.2"), "--experts-skew: '1.2' is not zipf:S, such as zipf:1.2\n"),
        (("--demand", "m.csv"), "m.csv: cannot be read: no such file or directory\n"),
        (("--demand", "m.txt"), "m.txt: suffix '.txt' is none of .csv, .npz\n"),
        (("--n", "1"), "n: a fabric has 2 to"),
        (("--d", "0"), "d: a host has 1 to"),
        (("--trace", "t.txt"), "t.txt: a timeline is written to a .json file"),
        (("--output", "t.txt"), "t.txt: a timeline is written to a .svg or .png file"),
        (("--profile", "none.csv"), "none.csv: cannot be read"),
        (("--alpha", "10"), "--alpha: '10' has no unit"),
    ],
)
def test_mistakes_get_one_line(
    tmp_path: Path, monkeypatch, capsys, words: tuple[str, ...], told: str
) -> None:
    monkeypatch.chdir(tmp_path)
    given = {"--model": "switch-base", "--n": "8", "--d": "2", "--alpha": "10us"}
    given |= {"--bandwidth": "100Gbps", words[0]: words[1]}
    ended = ran(capsys, "train", *(word for pair in given.items() for word in pair))
    assert ended.code == 2
    assert ended.out == ""
    assert ended.err.startswith(f"topofinder: {told}")
    assert ended.err.count("\n") == 1


def test_a_table_without_a_batch_needs_one(tmp_path: Path) -> None:
    model = tmp_path / "net.csv"
    model.write_text("name\na\n")
    with pytest.raises(tf.InvalidInput, match="batch: net tells none; --batch is needed"):
        train(model, 8, 2, **LINKS)


MIXTRAL = ("--model", "mixtral-8x7b", "--n", 4, "--d", 2)


def test_a_matrix_that_is_even_changes_nothing(tmp_path: Path, capsys) -> None:
    even = tmp_path / "even.csv"
    even.write_text("0.5,0.5,0.5,0.5\n" * 4)
    db = ("--db", tmp_path / "t.db", "--json")
    plain, told = (
        json.loads(ran(capsys, "train", *MIXTRAL, *ASKED, *db, *words).out)
        for words in ((), ("--demand", even))
    )
    assert told.pop("experts") == "matrix, the busiest host takes 1.00 times the mean"
    assert plain.pop("experts") is None
    assert told == plain


def test_a_matrix_of_another_size_is_refused(tmp_path: Path, capsys) -> None:
    path = tmp_path / "three.csv"
    path.write_text("0,1,1\n1,0,1\n1,1,0\n")
    ended = ran(capsys, "train", *MIXTRAL, *ASKED, "--demand", path)
    said = f"topofinder: {path}: demand: 4 x 4 is needed, not 3 in a row\n"
    assert (ended.code, ended.out, ended.err) == (2, "", said)
    ended = ran(capsys, "train", *MIXTRAL, *ASKED, "--demand", path, "--experts-skew", "zipf:1")
    said = "topofinder: --experts-skew and --demand exclude each other\n"
    assert (ended.code, ended.out, ended.err) == (2, "", said)


def test_uneven_loads_are_certified_anew_and_stored(tmp_path: Path, capsys) -> None:
    words = (*MIXTRAL, *ASKED, "--experts-skew", "zipf:1", "--db", tmp_path / "t.db")
    first = ran(capsys, "train", *words)
    assert first.code == 0
    assert "loads of experts: zipf:1, the busiest host takes 2.21 times the mean\n" in first.out
    assert ran(capsys, "train", *words).out == first.out
    # The host with experts 0 and 1 receives 552 thousandths of what three others send.
    tokens = 4096 * 2 * 4096 * 2
    shares = [Fraction(10**6, k).__round__() for k in range(1, 9)]
    hot = Fraction(sum(shares[:2]), sum(shares))
    least = 4 * 32 * 3 * hot * tokens / Fraction(125 * 10**8)
    found = json.loads(ran(capsys, "train", *words, "--json").out)
    bound = next(row for row in found["rows"] if row["kind"] == "bound")
    assert bound["alltoall"] == [pytest.approx(float(least))] * 2
    assert all(row["alltoall"][0] >= bound["alltoall"][1] * (1 - 1e-12) for row in found["rows"])


def test_more_hosts_than_experts_hold_replicas(tmp_path: Path, capsys) -> None:
    words = ("--model", "mixtral-8x7b", "--n", 16, "--d", 4, "--rate", "60TFLOPS")
    few, many = (train("mixtral-8x7b", n, 4, rate="60TFLOPS", **LINKS).record.best for n in (8, 16))
    assert few.compute == many.compute
    assert many.exposed[1] > few.exposed[1]  # 45 billion parameters more are summed
    ended = ran(capsys, "train", *words, *ASKED, "--db", tmp_path / "t.db")
    assert (ended.code, ended.err) == (0, "")


def test_rates_of_moore_graphs() -> None:
    for n, d in ((8, 2), (100, 4), (1024, 3)):
        problem = tf.throughput(f"UniRing({d},{n})").problem
        assert moore_rate(n, d) == moore_bound(problem)
        assert moore_rate(n, d, two_way=True) <= moore_rate(n, d)
    assert moore_rate(10, 3, two_way=True) == tf.throughput("Small(3,10)").upper  # Petersen's
