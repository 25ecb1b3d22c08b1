"""`schedule --method timed` and the quickest of all methods: output, files, refusals."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

import topofinder as tf
from db.store import Store
from db.timetable_rows import TimetableRow
from tests.db.stored import stored_rows
from topofinder.cli.app import main
from topofinder.verification.timetables import verify_timetable

COMPILING = "topofinder: compiling kernels, which takes some seconds the first time...\n"
TIMES = ("--alpha", "10us", "--size", "1MiB", "--bandwidth", "100Gbps")


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(list(map(str, words)))
    told = capsys.readouterr()
    return int(ended.value.code or 0), told.out, told.err


def test_timed_text_and_files(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file, db = tmp_path / "k.npz", tmp_path / "a.db"
    words = ("schedule", "K(4)", "-o", file, "--method", "timed", *TIMES, "--db", db)
    code, out, err = run(capsys, *words)
    assert (code, err.replace(COMPILING, "")) == (0, "")
    assert out == (
        "allgather on K(4) by translated, 1 chunk: 72.9 us, which nothing beats\n"
        "  1 MiB in all, alpha 10.0 us, links of 33.3333 Gbps, pipelined\n"
        "  4 chunks of 256 KiB, 12 sends (the 3 of node 0, translated)\n"
        "  links busy 86.3 %; over 20 equal spans of time: "
        "100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 26 0 0 %\n"
        "  bounds: cut 72.9 us, release 72.9 us\n"
        f"  written to {file}\n"
    )
    loaded = tf.load(file)
    assert verify_timetable(loaded).violation is None
    assert run(capsys, "verify", file)[0] == 0
    with Store(db) as store:
        (row,) = stored_rows(store, "timetables", TimetableRow)
    assert (row.recipe, row.seconds) == ("K(4)", loaded.seconds)


@pytest.mark.parametrize("collective", ["allgather", "reduce-scatter", "allreduce"])
def test_auto_takes_the_quickest_and_tells_the_others(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, collective: str
) -> None:
    words = ("schedule", "C(8,{1,3})", "-o", tmp_path / "c.npz", "--collective", collective)
    found = json.loads(run(capsys, *words, *TIMES, "--json", "--db", tmp_path / "a.db")[1])
    times = [Fraction(each["exact"]) for each in found["methods"] if each["exact"]]
    assert times == sorted(times)
    names = [each["method"] for each in found["methods"]]
    assert {"timed", "bfb", "forest"} <= set(names)
    kind = tf.load(tmp_path / "c.npz")
    quickest = names[0]
    assert (quickest == "timed") == isinstance(kind, tf.Timetable)
    if isinstance(kind, tf.Timetable):
        assert kind.seconds == times[0]


def test_a_broadcast_is_of_the_size_in_every_method(tmp_path: Path) -> None:
    given = {"alpha": "1us", "size": "3MB", "bandwidth": "8Gbps", "collective": "broadcast"}
    for method in ("timed", "forest", "bfb"):
        found = tf.schedule("UniRing(1,3)", root=0, method=method, **given)  # type: ignore[arg-type]
        fields = found.to_dict()
        assert fields["runtime"] >= 0.003, method


def test_all_to_all_meets_the_flow(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ("schedule", "Torus(4,4)", "-o", tmp_path / "t.npz", "--collective", "all-to-all")
    code, out, err = run(capsys, *words, *TIMES, "--json", "--db", tmp_path / "a.db")
    assert (code, err.replace(COMPILING, "")) == (0, "")
    found = json.loads(out)
    table = tf.load(tmp_path / "t.npz")
    assert verify_timetable(table).violation is None
    rate = tf.throughput("Torus(4,4)", size="1MiB", bandwidth="100Gbps")
    assert Fraction(found["bounds"]["exchange"]) >= rate.timed.least
    assert table.seconds >= rate.timed.least
    assert table.seconds <= rate.timed.least * Fraction(3, 2)


def test_damage_weights_and_models(tmp_path: Path) -> None:
    given = {"alpha": "1us", "size": "1MiB", "bandwidth": "100Gbps", "method": "timed"}
    whole = tf.schedule("BiRing(2,5)", **given)  # type: ignore[arg-type]
    cut = tf.schedule("BiRing(2,5)", fail_links=["0-1"], **given)  # type: ignore[arg-type]
    heavy = tf.schedule("BiRing(2,5)", weights=["0=3"], **given)  # type: ignore[arg-type]
    held = tf.schedule("BiRing(2,5)", model="occupied", **given)  # type: ignore[arg-type]
    for answer in (whole, cut, heavy, held):
        assert verify_timetable(answer.timetable).violation is None
    assert cut.timetable.damage == "--fail-links 0-1"
    assert cut.time > whole.time
    assert held.time >= whole.time
    assert heavy.timetable.origin.tolist().count(0) == 3 * heavy.timetable.origin.tolist().count(1)


def test_switches_at_their_ports_and_unwound(tmp_path: Path) -> None:
    fabric = "Switch2D(2,2)"
    ports = tf.schedule(fabric, method="timed", size="1MB")
    unwound = tf.schedule(fabric, method="timed", size="1MB", unwind=1)
    assert ports.timetable.channels > ports.timetable.topology.arcs
    assert unwound.timetable.topology.switches == ()
    for answer in (ports, unwound):
        assert verify_timetable(answer.timetable).violation is None


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("K(4)", "--method", "timed"), "--method timed needs --size"),
        (("K(4)", "--method", "timed", "--size", "1MiB"), "--size needs --bandwidth"),
        (
            ("K(4)", "--method", "timed", "--size", "1MiB", "--bandwidth", "1Gbps"),
            "--method timed needs --alpha",
        ),
        (("DGX1", "--method", "timed", *TIMES), "tells the"),
        (("K(4)", "--method", "timed", *TIMES, "--root", "9", "--collective", "broadcast"), "9"),
        (("K(4)", "--method", "timed", *TIMES, "--chunks", "0"), "chunks: at least 1 a shard"),
        (("K(4)", "--method", "timed", *TIMES, "--tries", "0"), "--tries: 1 to 65536, not 0"),
        (("K(4)", "--method", "timed", *TIMES, "--matching", "x"), "--matching: best or random"),
        (("K(4)", "--method", "timed", *TIMES, "--pattern", "ring:1"), "for --collective all-to"),
        (("K(4)", "--method", "timed", *TIMES, "--compact"), "--compact and --whole are for"),
        (("K(4)", "--method", "bfb", *TIMES, "--tries", "5"), "--tries is for --method"),
        (("K(4)", "--method", "bfb", *TIMES, "--collective", "all-to-all"), "--method timed"),
        (("K(4)", "--method", "timed", "--alpha", "-1us", "--size", "1MiB"), "--alpha"),
    ],
)
def test_refuses(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[str, ...], line: str
) -> None:
    file = tmp_path / "x.npz"
    code, out, err = run(capsys, "schedule", *words, "-o", file, "--db", tmp_path / "a.db")
    assert (code, out) == (2, "")
    assert line in err
    assert "Traceback" not in err
    assert not file.exists()


@pytest.mark.parametrize(
    ("text", "more", "line"),
    [
        ("0 1\n1 2\n2 1\n", (), "node 1 cannot reach node 0"),
        ("#: columns latency\n0 1 -1\n1 0 1\n", (), "line 2: latency: must be 0 or more, not '-1'"),
        ("0 1\n1 0\n", ("--fail-nodes", "7"), "--fail-nodes: no node is called '7'"),
        ("0 1\n1 0\n", ("--fail-links", "0-1"), "node 1 cannot reach node 0"),
    ],
)
def test_topologies_that_cannot_be_served_are_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, more: tuple[str, ...], line: str
) -> None:
    (tmp_path / "a.edges").write_text(text)
    words = ("schedule", tmp_path / "a.edges", "--method", "timed", *TIMES, *more)
    code, out, err = run(capsys, *words, "-o", tmp_path / "a.npz", "--db", tmp_path / "a.db")
    assert (code, out, err.replace(COMPILING, "").count("\n")) == (2, "", 1)
    assert line in err


def test_timed_allreduces_tell_what_none_beats(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ("schedule", "Q(3)", "--collective", "allreduce", "--method", "timed", *TIMES)
    out = run(capsys, *words, "-o", tmp_path / "q.npz", "--db", tmp_path / "a.db")[1]
    assert (
        "  bytes alone, without latency:\n"
        "    any allreduce: at least 83.9 us by cuts, 146.8 us by what hosts send\n"
        "    reduce-scatter, then allgather by trees: 146.8 us, optimal (theorem 19 b); "
        "reduce, then broadcast: 167.8 us\n"
    ) in out
    told = json.loads(run(capsys, "show", tmp_path / "q.npz", "--json")[1])
    whole = Fraction(2**20) / (100 * 10**9 // 8)  # M/B
    rows = tf.show("Q(3)").to_dict()["any_allreduce"]
    for name in ("cuts", "hosts", "reduce_scatter_allgather", "reduce_broadcast"):
        assert Fraction(told["any_allreduce"][name]) == Fraction(rows[name]) * whole
    assert told["runtime"] >= float(Fraction(told["any_allreduce"]["hosts"]))
    assert "any_allreduce" not in tf.schedule("K(4)", method="timed", alpha="1us", size="1MiB",
                                              bandwidth="1Gbps").to_dict()  # fmt: skip
