"""`topofinder search`: its table, its JSON, its times, and the answer of the second time."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

import topofinder as tf
from db.rows import SizeRow
from db.store import Store
from expansions.cost import Cost
from expansions.parser import parse
from generators.quantities import rate, seconds, size
from tests.command import ran, ran_alone
from topofinder.api.search_records import frontier_times
from topofinder.api.shared.workloads import read_workload
from topofinder.finder.prediction import predict
from topofinder.model.workload import Workload

SIZE = ("--n", 16, "--d", 4)
TIMES = (
    *("--alpha", "10us", "--size", "1MiB", "--bandwidth", "100Gbps"),
    *("--methods", "bfb"),
)

TABLE = """\
N = 16, d = 4, simplex links (T_L in alpha, T_B in M/B; RS: reduce-scatter)

T_L  T_B    T_B exact  RS T_L  RS T_B  diameter  cost   by   recipe
---  -----  ---------  ------  ------  --------  -----  ---  -----------
  2  1.000          1       2   1.000         2  exact  bfb  Small(4,16)
  3  0.938      15/16       3   0.938         3  exact  bfb  C(16,{3,4})
  2  0.938      15/16       2   0.938                        lower bound

Gap to the bounds (Moore bound; theorem 4): T_L none, T_B none, by different topologies
"""

TIMED = """\
N = 16, d = 4, simplex links (T_L in alpha, T_B in M/B; RS: reduce-scatter)

T_L  T_B    T_B exact  RS T_L  RS T_B  diameter  cost   by   allgather  reduce-scatter  \
allreduce  recipe
---  -----  ---------  ------  ------  --------  -----  ---  ---------  --------------  \
---------  -----------
  2  1.000          1       2   1.000         2  exact  bfb   103.9 us        103.9 us   \
207.8 us  Small(4,16)
  3  0.938      15/16       3   0.938         3  exact  bfb   108.6 us        108.6 us   \
217.3 us  C(16,{3,4})
  2  0.938      15/16       2   0.938                                                              \
lower bound

Gap to the bounds (Moore bound; theorem 4): T_L none, T_B none, by different topologies

Best for allreduce of 1 MiB at alpha 10.0 us, B 100 Gbps: Small(4,16), 207.8 us
"""

IMPORTS_OF_A_SEARCH = """
import sys
from topofinder.cli.app import main
try:
    main()
finally:
    heavy = {"numpy", "numba", "scipy", "networkx", "joblib", "expansions.parser"}
    print(sorted(heavy & set(sys.modules)), file=sys.stderr)
"""


BOUND = {
    "steps": 2,
    "bandwidth": "15/16",
    "steps_source": "Moore bound",
    "bandwidth_source": "theorem 4",
}


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("search") / "found.db"


def test_the_table(capsys: pytest.CaptureFixture[str], db: Path) -> None:
    assert ran(capsys, "search", *SIZE, "--db", db) == (0, TABLE, "")


def test_the_table_with_times(capsys: pytest.CaptureFixture[str], db: Path) -> None:
    assert ran(capsys, "search", *SIZE, *TIMES, "--db", db) == (0, TIMED, "")


@pytest.mark.parametrize("more", [(), ("--json",), TIMES, (*TIMES, "--json")])
def test_a_second_search_is_a_look_up_with_the_same_bytes(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, more: tuple[str, ...]
) -> None:
    arguments = ("search", "--n", 24, "--d", 3, "--db", tmp_path / "a.db", *more)
    first = ran(capsys, *arguments)
    before = (tmp_path / "a.db").read_bytes()
    assert ran(capsys, *arguments) == first
    assert (tmp_path / "a.db").read_bytes() == before


@pytest.mark.parametrize("more", [(), ("--json",), ("--pareto", "latency"), TIMES])
def test_a_look_up_imports_no_numpy_and_prints_what_was_found(
    capsys: pytest.CaptureFixture[str], db: Path, more: tuple[str, ...]
) -> None:
    found = ran(capsys, "search", *SIZE, *more, "--db", db)
    again = ran_alone("search", *SIZE, *more, "--db", db, program=IMPORTS_OF_A_SEARCH)
    assert (again.code, again.out) == (0, found.out)
    assert again.err == "[]\n"


def test_the_json(capsys: pytest.CaptureFixture[str], db: Path) -> None:
    ended = ran(capsys, "search", *SIZE, "--db", db, "--json")
    assert (ended.code, ended.err) == (0, "")
    found = json.loads(ended.out)
    assert set(found) == {
        *("n", "d", "links", "bound", "gap", "free_ports", "frontier", "left_out")
    }
    assert (found["n"], found["d"], found["links"]) == (16, 4, "simplex")
    assert found["bound"] == BOUND
    assert found["frontier"][0] == {
        "recipe": "Small(4,16)",
        "steps": 2,
        "bandwidth": "1",
        "reduce_scatter": {"steps": 2, "bandwidth": "1"},
        "diameter": 2,
        "exact": True,
        "method": "bfb",
        "bandwidth_optimal": False,
        "moore_optimal": True,
        "family": "Small",
        "origin": "family",
    }
    for member in found["frontier"]:
        costs = [candidate.allgather for candidate in predict(parse(member["recipe"]))]
        assert Cost(member["steps"], Fraction(member["bandwidth"])) in costs


def test_the_json_with_times(capsys: pytest.CaptureFixture[str], db: Path) -> None:
    found = json.loads(ran(capsys, "search", *SIZE, *TIMES, "--db", db, "--json").out)
    assert found["workload"] == {
        "collective": "allreduce",
        "alpha": 1e-5,
        "bandwidth": 1.25e10,
        "sizes": [{"size": 1048576.0, "count": 1}],
    }
    size_in_flight = 2**20 / 1.25e10
    for member in found["frontier"]:
        time = member["steps"] * 1e-5 + float(Fraction(member["bandwidth"])) * size_in_flight
        assert member["seconds"]["allgather"] == pytest.approx(time)
        assert member["seconds"]["reduce-scatter"] == pytest.approx(time)
        assert member["seconds"]["allreduce"] == pytest.approx(2 * time)
    assert found["best"]["recipe"] == "Small(4,16)"
    assert found["best"]["seconds"] == found["frontier"][0]["seconds"]["allreduce"]


@pytest.mark.parametrize(
    ("size_text", "recipe"),
    [("1kB", "Small(4,16)"), ("1MiB", "Small(4,16)"), ("1GB", "C(16,{3,4})")],
)
def test_the_best_depends_on_the_size(
    capsys: pytest.CaptureFixture[str], db: Path, size_text: str, recipe: str
) -> None:
    given = ("--alpha", "10us", "--bandwidth", "100Gbps", "--collective", "allgather")
    given = (*given, "--methods", "bfb")
    found = ran(capsys, "search", *SIZE, *given, "--size", size_text, "--db", db).out
    assert found.splitlines()[-1].startswith("Best for allgather of ")
    assert f": {recipe}, " in found.splitlines()[-1]


def test_a_distribution_of_sizes(
    capsys: pytest.CaptureFixture[str], db: Path, tmp_path: Path
) -> None:
    sizes = tmp_path / "buckets.txt"
    sizes.write_text("# DDP buckets\n1MiB, 3\n\n1GB 2 # gradients\n")
    given = ("--alpha", "10us", "--bandwidth", "100Gbps", "--sizes", sizes, "--db", db)
    ended = ran(capsys, "search", *SIZE, *given, "--methods", "bfb")
    with Store(db) as store:
        members = store.frontier(16, 4, "simplex").members
    total = {
        row.recipe: 3 * row.allreduce.runtime(seconds("10us"), size("1MiB"), rate("100Gbps"))
        + 2 * row.allreduce.runtime(seconds("10us"), size("1GB"), rate("100Gbps"))
        for row in members
    }
    best = min(total, key=total.get)
    told = f"5 collectives in 2 sizes at alpha 10.0 us, B 100 Gbps: {best}, "
    assert ended.out.splitlines()[-1] == f"Best for allreduce of {told}{_ms(total[best])}"


def test_a_distribution_of_sizes_is_rated_by_the_best_method_of_each(
    capsys: pytest.CaptureFixture[str], db: Path, tmp_path: Path
) -> None:
    sizes = tmp_path / "buckets.txt"
    sizes.write_text("1MiB 3\n4KiB 40\n1MiB\n")
    given = ("search", *SIZE, "--alpha", "10us", "--bandwidth", "100Gbps", "--collective")
    given = (*given, "allgather", "--db", db)
    found = json.loads(ran(capsys, *given, "--sizes", sizes, "--json").out)
    for row in found["frontier"]:
        assert [(part["size"], part["count"]) for part in row["best_by_size"]] == [
            (2**20, 4), (2**12, 40),
        ]  # fmt: skip
        total = sum(part["count"] * part["best_seconds"] for part in row["best_by_size"])
        assert row["best_seconds"] == pytest.approx(total)
        assert row["bound_seconds"] <= row["best_seconds"] <= row["seconds"]["allgather"]
    alone = json.loads(ran(capsys, *given, "--size", "4KiB", "--json").out)
    for row, one in zip(found["frontier"], alone["frontier"], strict=True):
        assert row["best_by_size"][1]["best_seconds"] == one["best_seconds"]
        assert "best_by_size" not in one
    assert found["best"]["best_seconds"] <= min(row["best_seconds"] for row in found["frontier"])
    told = ran(capsys, *given, "--sizes", sizes).out.splitlines()
    assert told[-3].startswith("Best for allgather of 44 collectives in 3 sizes at ")
    assert told[-2].startswith("  1 MiB, 4 times: ")
    assert told[-1].startswith("  4 KiB, 40 times: ")


def _ms(time: Fraction) -> str:
    return f"{float(time * 1000):.3f} ms"


def test_the_best_is_the_best_of_the_whole_pool(
    capsys: pytest.CaptureFixture[str], db: Path
) -> None:
    ran(capsys, "search", *SIZE, "--db", db)
    with Store(db) as store:
        frontier, pool = store.frontier(16, 4, "simplex"), store.pool(16, 4, "simplex")
    asked = Workload(alpha=seconds("1us"), bandwidth=rate("1Gbps"), sizes=((size("1MB"), 1),))
    times = frontier_times(SizeRow(frontier=frontier, pool=pool), asked)
    assert times.best_seconds == min(asked.seconds(row) for row in pool)
    assert len(times.members) == len(frontier.members)


def test_duplex_links_have_their_own_answers(capsys: pytest.CaptureFixture[str], db: Path) -> None:
    found = json.loads(ran(capsys, "search", *SIZE, "--links", "duplex", "--db", db, "--json").out)
    assert found["links"] == "duplex"
    assert found["bound"] == BOUND | {
        "steps": 3,
        "steps_source": "no graph of defect 1: Erdos et al. 1980",
    }
    assert [member["recipe"] for member in found["frontier"]]
    with Store(db) as store:
        assert store.finished_sizes("duplex") >= {(16, 4)}


def test_the_database_is_named_by_option_variable_or_habit(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TOPOFINDER_DB", raising=False)
    arguments = ("search", "--n", 6, "--d", 2)
    outputs = {ran(capsys, *arguments)}
    monkeypatch.setenv("TOPOFINDER_DB", "variable.db")
    outputs |= {ran(capsys, *arguments), ran(capsys, *arguments, "--db", "option.db")}
    assert len(outputs) == 1
    found = {path.name for path in tmp_path.iterdir()}
    assert found == {"topofinder.db", "variable.db", "option.db"}


@pytest.mark.parametrize("setting", [("NO_COLOR", "1"), ("FORCE_COLOR", "1"), ("COLUMNS", "20")])
def test_the_bytes_do_not_depend_on_the_terminal(
    capsys: pytest.CaptureFixture[str],
    db: Path,
    monkeypatch: pytest.MonkeyPatch,
    setting: tuple[str, str],
) -> None:
    monkeypatch.setenv(*setting)
    assert ran(capsys, "search", *SIZE, *TIMES, "--db", db) == (0, TIMED, "")


RATED = ("--alpha", "10us", "--size", "1MiB", "--bandwidth", "100Gbps", "--collective", "allgather")


def test_the_best_method_is_told_and_remembered(
    capsys: pytest.CaptureFixture[str], db: Path
) -> None:
    words = ("search", *SIZE, *RATED, "--db", db)
    first = ran(capsys, *words, "--json")
    found = json.loads(first.out)
    plain = json.loads(ran(capsys, *words, "--json", "--methods", "bfb").out)
    for rated, row in zip(found["frontier"], plain["frontier"], strict=True):
        assert {name: rated[name] for name in row} == row
        assert rated["bound_seconds"] <= rated["best_seconds"] <= row["seconds"]["allgather"]
        assert rated["gap"] == pytest.approx(rated["best_seconds"] / rated["bound_seconds"] - 1)
        assert rated["best_method"]
    least = min(row["best_seconds"] for row in found["frontier"])
    assert found["best"]["seconds"] == found["best"]["best_seconds"] == least
    assert ran(capsys, *words, "--json") == first
    told = ran(capsys, *words).out.splitlines()
    assert told[-1].endswith("0.0% above the bound of 88.6 us")
    assert "best by" in told[2]


def test_methods_and_models_are_rated_apart(capsys: pytest.CaptureFixture[str], db: Path) -> None:
    words = ("search", *SIZE, *RATED, "--db", db, "--json")
    times = {}
    for model in ("pipelined", "occupied"):
        for methods in ("timed", "bfb,forest"):
            more = ("--model", model, "--methods", methods)
            found = json.loads(ran(capsys, *words, *more).out)
            times[model, methods] = found["best"]["best_seconds"]
            assert methods != "bfb,forest" or "timed" not in found["best"]["best_method"]
    assert times["pipelined", "timed"] < times["occupied", "timed"]


@pytest.mark.parametrize("methods", ["", "ring", "bfb,"])
def test_refuses_methods(capsys: pytest.CaptureFixture[str], db: Path, methods: str) -> None:
    told = ran(capsys, "search", *SIZE, *RATED, "--db", db, "--methods", methods)
    assert (told.code, told.out) == (2, "")
    assert "--methods: some of bfb, timed, forest, pipeline, not" in told.err


def test_failures_are_an_axis(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ("search", "--n", 8, "--d", 4, "--links", "duplex", "--db", tmp_path / "a.db")
    axes = ("--pareto", "latency,bandwidth,resilience", "--failed-pairs", 4, "--effort", 0)
    members = json.loads(ran(capsys, *words, *axes, "--json").out)["frontier"]
    told = [member["resilience"] for member in members]
    assert members
    # 16 circuits of half of M/8 each; with one lost, trees of 7 arcs for 8 roots share 15.
    assert all(one["intact"] == "7/4" for one in told)
    assert all(Fraction(one["links"]["worst"]) >= Fraction(28, 15) for one in told)
    assert all((one["links"]["count"], one["hosts"]["count"]) == (16, 8) for one in told)
    assert all(one["pairs"]["count"] == 4 for one in told)
    text = ran(capsys, *words, *axes).out
    assert all(name in text for name in ("link lost", "host lost", "two lost"))
    refused = ran(capsys, *words, "--failed-pairs", 4)
    line = "topofinder: --failed-pairs: with resilience among the axes of --pareto\n"
    assert (refused.code, refused.err) == (2, line)


def test_pipelines_are_rated_by_name_and_made_alike(tmp_path: Path) -> None:
    """Of one part there is no pipeline; the others take what schedule makes of them."""
    times = {"alpha": "1us", "size": "64MiB", "bandwidth": "100Gbps"}
    found = tf.search(9, 2, workload=read_workload(**times), methods="pipeline", effort=0)
    methods = {name: rating.method for name, rating in found.ratings.items()}
    assert methods["Pi(2,9)"] == "bfb, pipeline of 35 and 1"
    assert methods["Bi(UniRing(1,9))"] == "bfb"
    made = tf.schedule(
        "Pi(2,9)", tmp_path / "p.npz", collective="allreduce", method="bfb", pipeline="auto",
        **times,
    )  # fmt: skip
    assert made.runtime == found.ratings["Pi(2,9)"].seconds
    assert tf.verify(tmp_path / "p.npz").valid
