"""`topofinder throughput` and what it hands to `verify`, `search` and files: exact output."""

import csv
import json
import re
import signal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from db.store import Store
from generators.formats.by_suffix import write_topology
from generators.topology import Topology
from tests.command import ran, started
from topofinder import throughput
from topofinder.model.certificate_files import read_certificate, write_certificate

TIMES = ("--size", "1MiB", "--bandwidth", "100Gbps")


@pytest.fixture(autouse=True)
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The database of a test, in a folder of its own."""
    path = tmp_path / "kept" / "throughputs.db"
    path.parent.mkdir()
    monkeypatch.setenv("TOPOFINDER_DB", str(path))
    return path


def timeless(text: str) -> str:
    """The output with the seconds that it took left out."""
    return re.sub(r"in \d+\.\d\d s", "in - s", text)


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    ended = ran(capsys, *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("topofinder: ")
    assert ended.err.count("\n") == 1
    return ended.err.removeprefix("topofinder: ")[:-1]


def test_the_interval_and_what_stands_beside_it(tmp_path: Path, capsys) -> None:
    proof, routes = tmp_path / "a.npz", tmp_path / "a.csv"
    words = ("--certificate", proof, "--routes", routes, "--routing", "flows")
    made = ran(capsys, "throughput", "C( 16,{3,4})", *TIMES, *words)
    assert (made.code, made.err) == (0, "")
    assert timeless(made.out) == (
        "C(16,{3,4}): all-to-all, uniform demand, 16 nodes, degree 4\n"
        "  f = 1/8 = 1.250000e-01, by translations in - s\n"
        "  bounds: hop distances 1.333334e-01, Moore 1.538462e-01\n"
        "  1 MiB a node at 100 Gbps: 167.8 us\n"
        f"  certificate written to {proof}\n"
        f"  flows of every source written to {routes}; "
        "largest link load 8, rate 1.250000e-01\n"
    )
    checked = ran(capsys, "verify", proof)
    assert checked.code == 0
    assert checked.out == ("valid: uniform all-to-all on C(16,{3,4}), f = 1/8 = 1.250000e-01\n")


def test_json_of_both(tmp_path: Path, capsys, database: Path) -> None:
    proof, routes = tmp_path / "a.json", tmp_path / "r.json"
    words = ("--pattern", "ring", "--certificate", proof, "--routes", routes, "--json")
    made = json.loads(ran(capsys, "throughput", "Kautz(2,1)", *TIMES, *words).out)
    checked = json.loads(ran(capsys, "verify", proof, "--json").out)
    assert (made["recipe"], made["n"], made["d"]) == ("Kautz(2,1)", 6, 2)
    assert made["demand"] == "ring:1"
    assert made["seconds"] >= 0
    assert made["interrupted"] is False
    assert made["bound"]["moore"] is None
    assert checked["valid"] is True
    for name in ("recipe", "n", "demand", "lower", "upper", "exact", "gap"):
        assert made[name] == checked[name]
    lower, upper = Fraction(made["lower"]), Fraction(made["upper"])
    assert lower <= upper <= Fraction(made["bound"]["hops"])
    # The busiest host has 1 MiB for its two neighbours, over links of 50 Gbps.
    assert made["time"]["most"] == pytest.approx(2**19 / (float(lower) * 6.25e9))
    assert made["time"]["least"] == pytest.approx(2**19 / (float(upper) * 6.25e9))
    document = json.loads(routes.read_text())
    assert made["routes"] == {"file": str(routes)} | {
        name: document[name] for name in made["routes"] if name != "file"
    }
    assert len(document["routes"]) == made["routes"]["rows"]
    with Store(database) as store:
        (row,) = store.throughputs()
    assert (row.recipe, row.demand, row.lower, row.upper) == (
        "Kautz(2,1)", "ring:1", lower, upper
    )  # fmt: skip
    assert row.method == made["method"]


def test_times_are_those_of_the_paper(capsys) -> None:
    """Table 4: 409.1 us for Pi(4,1024) comes of f = 8.01e-4; here L(K(4,4)) with f = 2/35."""
    made = json.loads(ran(capsys, "throughput", "L(K(4,4))", *TIMES, "--json").out)
    assert made["exact"] == "2/35"
    assert made["time"]["most"] == pytest.approx(2**20 / 32 / (2 / 35 * 12.5e9 / 4))


def test_one_path_for_each_pair(tmp_path: Path, capsys) -> None:
    routes = tmp_path / "one.csv"
    words = ("--routes", routes, "--routing", "single", "--seed", "3")
    made = ran(capsys, "throughput", "K(5)", *words)
    assert timeless(made.out).splitlines()[-1] == (
        f"  20 pairs on one path each written to {routes}: 1.000 hops on average, 1 at most; "
        "largest link load 1, rate 1.000000e+00, loss 0.000%"
    )
    with routes.open() as file:
        assert len({(row["source"], row["sink"]) for row in csv.DictReader(file)}) == 20
    content = routes.read_bytes()
    ran(capsys, "throughput", "K(5)", *words)
    assert routes.read_bytes() == content


def test_a_file_a_matrix_switches_and_capacities(tmp_path: Path, capsys, database: Path) -> None:
    star = Topology.from_arcs(
        4,
        [(0, 3), (3, 0), (1, 3), (3, 1), (2, 3), (3, 2)],
        switches=(3,),
        capacity=[1, 1, 2, 2, 1, 1],
    )
    file, matrix, proof = tmp_path / "star.json", tmp_path / "demand.csv", tmp_path / "p.npz"
    write_topology(star, file)
    matrix.write_text("0,1,0\n0,0,4\n0,0,0\n")
    made = ran(capsys, "throughput", file, "--demand", matrix, "--certificate", proof, "--json")
    found = json.loads(made.out)
    assert (found["exact"], found["recipe"]) == ("1/4", None)
    assert found["demand"].startswith("matrix ")
    assert ran(capsys, "verify", proof, "--on", file).code == 0
    with Store(database) as store:
        (row,) = store.throughputs()
    assert (row.recipe, row.demand) == (None, found["demand"])
    np.savez(tmp_path / "same.npz", demand=[[0, 1, 0], [0, 0, 4], [0, 0, 0]])
    again = ran(capsys, "throughput", file, "--demand", tmp_path / "same.npz", "--json")
    assert json.loads(again.out)["demand"] == found["demand"]


def test_links_with_rates_of_their_own(tmp_path: Path, capsys) -> None:
    """Two hosts, 1000 bytes each, of which half goes over a link of 100 bytes a second."""
    file = tmp_path / "pair.json"
    pair = Topology.from_arcs(2, [(0, 1), (1, 0)], capacity=[2, 2], unit_rate=Fraction(50))
    write_topology(pair, file)
    made = ran(capsys, "throughput", file, "--size", "1000B")
    assert "\n  1 kB a node at link rates: 5.000 s\n" in made.out
    assert refused(capsys, "throughput", file, *TIMES) == (
        "--bandwidth: the topology tells the rates of its links itself"
    )


def test_a_worse_interval_changes_nothing(capsys, database: Path) -> None:
    ran(capsys, "throughput", "Pi(4,24)")
    with Store(database) as store:
        before = store.throughputs()
    assert ran(capsys, "throughput", "Pi(4,24)", "--gap", "0.5").code == 0
    with Store(database) as store:
        assert store.throughputs() == before


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("K(4)", "--gap", "-0.1"), "gap: a number from 0 to below 1 is needed, not -0.1"),
        (("K(4)", "--gap", "nan"), "gap: a number from 0 to below 1 is needed, not nan"),
        (("K(4)", "--time", "0s"), "--time: '0s' is not above zero"),
        (("K(4)", "--time", "5"), "--time: '5' has no unit; write for example 10us or 1.5ms"),
        (("K(4)", "--size", "1MiB"), "--size needs --bandwidth: the topology tells no rates of"),
        (("K(4)", "--bandwidth", "1Gbps"), "--bandwidth is for the time that a --size takes"),
        (("K(4)", "--method", "magic"), "method: 'magic' is none of "),
        (("K(4)", "--pattern", "gossip"), "pattern: 'gossip' is none of uniform, permutation:"),
        (("K(4)", "--pattern", "experts:3"), "pattern: experts:3 needs sizes of which each"),
        (("K(4)", "--pattern", "ring", "--demand", "a.csv"), "pattern: ring and a demand matrix"),
        (("K(4)", "--demand", "a.csv"), "a.csv: cannot be read: no such file or directory"),
        (("K(4)", "--demand", "a.txt"), "a.txt: suffix '.txt' is none of .csv, .npz"),
        (("K(4)", "--routes", "a.txt"), "a.txt: suffix '.txt' is none of .csv, .json"),
        (("K(4)", "--routes", "a.csv", "--routing", "x"), "routing: 'x' is none of paths, single"),
        (("K(4)", "--certificate", "a.txt"), "a.txt: suffix '.txt' is none of .npz, .json"),
        (("missing.graphml",), "missing.graphml: cannot be read"),
    ],
)
def test_refusals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys, words: tuple, line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert refused(capsys, "throughput", *words).startswith(line)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept"]


def test_graphs_and_matrices_that_are_refused(tmp_path: Path, capsys) -> None:
    apart, matrix = tmp_path / "apart.edges", tmp_path / "bad.csv"
    write_topology(Topology.from_arcs(4, [(0, 1), (1, 0), (2, 3), (3, 2), (0, 2)]), apart)
    assert re.search(r"node \d cannot reach node \d", refused(capsys, "throughput", apart))
    for text, line in (
        ("0,-1\n1,0\n", "demand[0][1]: must be 0 or more, not '-1'"),
        ("0,nan\n1,0\n", "demand[0][1]: a number such as 3, 0.5 or 3/2 is needed, not 'nan'"),
        ("0,1,2\n1,0,2\n", "demand: 2 x 2 is needed, not 3 in a row"),
    ):
        matrix.write_text(text)
        told = refused(capsys, "throughput", "K(2)", "--demand", matrix)
        assert told == f"{matrix}: {line}"


def test_a_certificate_that_does_not_hold(tmp_path: Path, capsys) -> None:
    path = tmp_path / "a.npz"
    saved = throughput("K(4)").certificate
    rows = saved.rows.copy()
    rows[0, np.flatnonzero(rows[0])[0]] = 0
    fields = {name: getattr(saved, name) for name in type(saved).__slots__}
    write_certificate(type(saved)(**fields | {"rows": rows}), path)
    checked = ran(capsys, "verify", path)
    assert checked.code == 1
    assert checked.err == ""
    assert checked.out == "not valid: flow of node 0: node 1 keeps 0, and asks for 1\n"
    told = json.loads(ran(capsys, "verify", path, "--json").out)
    assert told == {"valid": False, "violation": checked.out[len("not valid: ") : -1]}
    write_certificate(saved, path)
    other = ran(capsys, "verify", path, "--on", "C(5,{1,2})")
    assert (other.code, other.out) == (1, "not valid: the file's graph is not that of C(5,{1,2})\n")
    mixed = refused(capsys, "verify", path, "--alpha", "1us", *TIMES)
    assert mixed == "--alpha, --size and --bandwidth are for schedules and forests"
    assert read_certificate(path).digest == saved.digest


SEARCH = ("search", "--n", "18", "--d", "4")


def test_search_shows_and_stores_throughputs(capsys, database: Path) -> None:
    made = ran(capsys, *SEARCH, "--with-throughput", "--json")
    members = json.loads(made.out)["frontier"]
    with Store(database) as store:
        stored = {row.recipe: row for row in store.throughputs()}
    assert set(stored) == {member["recipe"] for member in members}
    lines = ran(capsys, *SEARCH, "--with-throughput").out.splitlines()
    assert lines[2].endswith("  f at least    f at most     recipe")
    for member, line in zip(members, lines[4:], strict=False):
        row, told = stored[member["recipe"]], member["throughput"]
        assert (Fraction(told["lower"]), Fraction(told["upper"])) == (row.lower, row.upper)
        assert throughput(member["recipe"]).lower <= row.upper
        least, most, recipe = line.split()[-3:]
        assert recipe == member["recipe"]
        assert Fraction(least) <= row.lower <= row.upper <= Fraction(most)


def test_search_on_one_axis(capsys) -> None:
    alone = json.loads(ran(capsys, *SEARCH, "--pareto", "alltoall", "--json").out)["frontier"]
    plain = json.loads(ran(capsys, *SEARCH, "--with-throughput", "--json").out)["frontier"]
    best = max(Fraction(member["throughput"]["lower"]) for member in alone)
    assert all(best >= Fraction(member["throughput"]["lower"]) for member in plain)
    fewest = json.loads(ran(capsys, *SEARCH, "--pareto", "latency", "--json").out)["frontier"]
    assert [member["steps"] for member in fewest] == [min(m["steps"] for m in plain)]
    assert "throughput" not in fewest[0]


def test_search_for_expert_parallelism(capsys) -> None:
    words = ("--alpha", "10us", *TIMES, "--alltoall", "4MiB,24")
    made = ran(capsys, *SEARCH, *words)
    assert made.out.splitlines()[-1].startswith(
        "Best for allreduce of 1 MiB and 24 all-to-alls at alpha 10.0 us, B 100 Gbps: "
    )
    found = json.loads(ran(capsys, *SEARCH, *words, "--json").out)
    assert found["workload"]["all-to-all"] == [{"size": 2.0**22, "count": 24}]
    least, most = found["best"]["all-to-all"]
    rate = throughput(found["best"]["recipe"])
    times = [24 * 2**22 / 18 / (float(f) * 12.5e9 / 4) for f in (rate.upper, rate.lower)]
    assert [least, most] == pytest.approx(times, rel=2e-3)
    for member in found["frontier"]:
        total = member["seconds"]["allreduce"] + member["seconds"]["all-to-all"][1]
        assert found["best"]["seconds"] + most <= total * (1 + 1e-9)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ("--pareto", "speed"),
            "pareto: 'speed' is none of latency, bandwidth, alltoall, resilience",
        ),
        (("--alltoall", "1MiB"), "--alltoall needs --alpha, --bandwidth and --size beside it"),
        (("--gap", "1"), "--gap: a number from 0 to below 1 is needed, not 1.0"),
        (("--time", "x"), "--time: 'x' is not a quantity; write for example 10us or 1.5ms"),
    ],
)
def test_search_refusals(capsys, words: tuple, line: str) -> None:
    assert refused(capsys, "search", "--n", "8", "--d", "2", *words) == line


STOPPED = """
import topofinder.api.throughput as request
from topofinder.cli.app import main
from topofinder.alltoall.solve import bound_throughput

def interrupted(problem, **options):
    def tell(now):
        print("ready", flush=True)
        import time
        time.sleep(60)
    return bound_throughput(problem, **options | {"tell": tell, "gap": 0, "method": "equilibrium"})

request.bound_throughput = interrupted
main()
"""


def test_ctrl_c_tells_the_best_so_far(tmp_path: Path) -> None:
    words = ("throughput", "Pi(4,64)", "--json", "--db", tmp_path / "a.db")
    with started(*words, program=STOPPED) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "ready\n"
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert (running.returncode, err) == (0, "")
    found = json.loads(out)
    assert found["interrupted"] is True
    assert 0 < Fraction(found["lower"]) <= Fraction(found["upper"])
    with Store(tmp_path / "a.db") as store:
        (row,) = store.throughputs()
    assert row.lower == Fraction(found["lower"])
