"""Compact schedules on the command line: made, chosen unasked, refused, verified and shown."""

import json
import tracemalloc
from fractions import Fraction
from pathlib import Path

import pytest

from db.schedule_rows import ScheduleRow
from db.store import Store
from expansions.build import build
from expansions.collective import Collective
from expansions.compact_schedule import CompactSchedule
from expansions.parser import parse
from expansions.schedule_files.files import read_schedule
from generators.errors import InvalidInput, Unsupported
from generators.families.torus import torus
from generators.formats.by_suffix import write_topology
from tests.command import ran
from tests.db.stored import stored_rows
from tests.schedules import rows_of
from topofinder.api.schedule_methods import ScheduleRequest, make_schedule
from topofinder.api.shared.forest_times import Transfer
from topofinder.api.verify_files import check_schedule
from topofinder.schedules import row_limits
from topofinder.schedules.bfb.evaluation import evaluate
from topofinder.schedules.bfb.schedule import bfb_schedule
from topofinder.schedules.by_candidate import schedule_by_candidate
from topofinder.schedules.compact import bfb_collective_cost, compact_schedule
from topofinder.schedules.register import ScheduleTask
from topofinder.schedules.row_limits import NODE_BYTES, is_compact
from topofinder.verification.schedules import verify_schedule

TIMES = ("--alpha", "10us", "--size", "1MiB", "--bandwidth", "100Gbps")
TRANSFER = Transfer(
    size=Fraction(1 << 20), alpha=Fraction(1, 10**5), bandwidth=Fraction(125 * 10**8)
)
ALL = [Collective.ALLGATHER, Collective.REDUCE_SCATTER, Collective.ALLREDUCE]
RECIPES = ["Q(4)", "C(9,{1,3})", "Torus(3,4)", "UniRing(1,3)^2", "K(3) x UniRing(1,4)", "DirC(3)"]


@pytest.fixture(autouse=True)
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "kept.db"
    monkeypatch.setenv("TOPOFINDER_DB", str(path))
    return path


@pytest.mark.parametrize("suffix", [".npz", ".json"])
@pytest.mark.parametrize("collective", ALL)
def test_compact_says_what_whole_says(collective, suffix, tmp_path: Path, database, capsys) -> None:
    told = {}
    for form in ("compact", "whole"):
        file = tmp_path / f"{form}{suffix}"
        words = ("schedule", "Torus(3,4)", "--collective", collective, f"--{form}", "-o", file)
        made = json.loads(ran(capsys, *words, "--json").out)
        checked = json.loads(ran(capsys, "verify", file, "--json", *TIMES).out)
        shown = json.loads(ran(capsys, "show", file, "--json").out)
        for field in ("rows", "stored_rows", "steps", "bandwidth", "digest", "n", "recipe"):
            assert made[field] == checked.get(field, made[field]) == shown[field], field
        assert checked["valid"] is True
        told[form] = made | {"simulated": checked["simulated"]["stepped"]}
    short, whole = told["compact"], told["whole"]
    for field in ("rows", "steps", "bandwidth", "predicted", "simulated", "collective", "method"):
        assert short[field] == whole[field], field
    assert short["stored_rows"] * 12 == short["rows"]
    assert whole["stored_rows"] == whole["rows"]
    with Store(database) as store:
        assert {row.rows for row in stored_rows(store, "schedules", ScheduleRow)} == {short["rows"]}


@pytest.mark.parametrize("collective", ALL)
@pytest.mark.parametrize("recipe", RECIPES)
def test_every_collective_costs_what_bfb_costs(recipe: str, collective: Collective) -> None:
    topology = build(parse(recipe))
    short = compact_schedule(topology, collective)
    verdict = verify_schedule(topology, short.expand(topology))
    assert verdict.valid, verdict.violation
    assert verdict.redundant == 0
    assert verdict.cost == short.cost(topology) == bfb_collective_cost(topology, collective)
    if collective is Collective.ALLGATHER:
        assert verdict.cost == evaluate(topology).cost
        assert short.rows == bfb_schedule(topology).rows


def test_what_does_not_fit_is_compact_unasked(tmp_path: Path, capsys) -> None:
    """100 million rows; the file holds those of one node."""
    file = tmp_path / "torus.npz"
    made = json.loads(ran(capsys, "schedule", "Torus(100,100)", "-o", file, "--json").out)
    assert (made["rows"], made["stored_rows"]) == (100_040_000, 10_004)
    assert (made["steps"], made["bandwidth"]) == (100, "9999/10000")
    assert made["predicted"] == {"steps": 100, "bandwidth": "9999/10000", "exact": True}
    checked = ran(capsys, "verify", file, *TIMES)
    assert checked.code == 0
    assert checked.out == (
        "valid: allgather on Torus(100,100), 100040000 rows (the 10004 of node 0, translated), "
        "T_L 100 alpha, T_B 9999/10000 M/B\n"
        "simulated: 1.084 ms in steps; too many rows to simulate without barriers\n"
    )


@pytest.mark.parametrize(
    ("most", "compact"), [(132, True), (167, True), (168, False), (10**6, False)]
)
def test_the_form_follows_the_number_of_rows(most: int, compact: bool) -> None:
    """An allgather on C(12,{1,2}) takes 132 rows at least, and 168 by BFB."""
    topology = build(parse("C(12,{1,2})"))
    rows = bfb_schedule(topology).rows
    found = make_schedule(ScheduleRequest(subject="C(12,{1,2})", most_rows=most)).saved
    assert isinstance(found.schedule, CompactSchedule) is (rows > most)
    assert found.schedule.rows == rows
    assert (rows > most) is compact


@pytest.mark.parametrize(
    ("wish", "many", "obstacle", "compact"),
    [
        (None, 167, None, True),
        (None, 168, None, False),
        (False, 167, None, False),
        (True, 10**6, None, True),
        (None, 100, "none is known", False),
    ],
)
def test_many_rows_are_kept_compact_where_they_can_be(
    wish: bool | None, many: int, obstacle: str | None, compact: bool
) -> None:
    found = is_compact(
        build(parse("C(12,{1,2})")),
        Collective.ALLGATHER,
        wish=wish,
        most_rows=10**6,
        obstacle=lambda: obstacle,
        many_rows=many,
    )
    assert found is compact


@pytest.mark.parametrize("recipe", ["Bi(UniRing(1,4))", "Bi(C(7,{1,3}))", "Q(3)"])
def test_bfb_stands_in_where_it_costs_no_more(recipe: str) -> None:
    whole = make_schedule(ScheduleRequest(subject=recipe)).saved
    short = make_schedule(ScheduleRequest(subject=recipe, most_rows=5)).saved
    assert isinstance(short.schedule, CompactSchedule)
    assert short.cost.steps <= whole.cost.steps
    assert short.cost.bandwidth <= whole.cost.bandwidth


def test_bfb_does_not_stand_in_where_it_costs_more() -> None:
    with pytest.raises(InvalidInput, match="only bfb has that form, at T_L 1 and T_B 6/5"):
        make_schedule(ScheduleRequest(subject="Bi(DirC(3))", most_rows=5))
    found = make_schedule(ScheduleRequest(subject="Bi(DirC(3))", compact=True))
    assert (str(found.saved.cost.bandwidth), found.candidate) == ("6/5", None)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (
            ["Q(14)", "--whole", "-o", "a.npz"],
            "268419072 or more (18.7 GiB of memory); --com",
        ),
        (["Q(11)", "-o", "a.json"], "such a file holds 1048576, but there are 4192256 or more"),
        (
            ["Pi(4,9000)", "-o", "a.npz"],
            "80991000 or more (5.7 GiB of memory); no --compact",
        ),
        (["Pi(4,70000)", "-o", "a.npz"], "but there are 4899930000 or more (342.3 GiB of memory)"),
        (["Q(17)", "--whole", "-o", "a.npz"], "17179738112 rows or more (1200.0 GiB of memory)"),
        (["Q(17)", "--method", "ring", "-o", "a.npz"], "only bfb has the compact form, not ring"),
        (["Q(17)", "--chunks", "2", "-o", "a.npz"], "schedules in whole chunks have no compact"),
        (["Q(17)", "--collective", "reduce", "-o", "a.npz"], "a reduce has no compact form"),
        (["Q(14)", "--chunks", "2", "-o", "a.npz"], "no --compact: schedules in whole chunks"),
        (["L(K(4,4))", "--compact", "-o", "a.npz"], "compact: no translations of the graph"),
        (["Q(3)", "--compact", "--chunks", "2", "-o", "a.npz"], "compact: schedules in whole"),
        (
            ["Q(3)", "--compact", "--collective", "reduce", "--root", "1", "-o", "a.npz"],
            "compact: a reduce is about one node only",
        ),
        (
            ["BiRing(2,4)", "--method", "ring", "--compact", "-o", "a.npz"],
            "compact: only bfb has that form, not ring",
        ),
        (
            ["Bi(UniRing(1,4))", "--method", "expansion", "--compact", "-o", "a.npz"],
            "compact: only bfb has that form, not expansion",
        ),
    ],
)
def test_refusals(words: list[str], line: str, tmp_path: Path, capsys) -> None:
    ended = ran(capsys, "schedule", *words[:-1], tmp_path / words[-1])
    assert (ended.code, ended.out) == (2, "")
    assert line in ended.err
    assert ended.err.count("\n") == 1
    assert not (tmp_path / words[-1]).exists()


def test_a_topology_file_has_no_known_symmetry(tmp_path: Path, capsys) -> None:
    graph = tmp_path / "graph.edges"
    write_topology(build(parse("Q(3)")), graph)
    ended = ran(capsys, "schedule", graph, "--compact", "-o", tmp_path / "a.npz")
    assert (ended.code, ended.out) == (2, "")
    assert "compact: no translations of the graph are known" in ended.err


def test_translations_that_are_no_group(tmp_path: Path, capsys) -> None:
    found = row_limits.group_obstacle(build(parse("Coset(S3;{1},2)")))
    assert found in (None, "the known translations of the graph form no group")
    with pytest.raises(InvalidInput, match="a broadcast is about one node only"):
        compact_schedule(build(parse("Q(3)")), Collective.BROADCAST)
    with pytest.raises((InvalidInput, Unsupported), match="translation"):
        compact_schedule(build(parse("Diamond")), Collective.ALLGATHER)


@pytest.mark.parametrize(("collective", "root"), [("broadcast", 5), ("reduce", 0)])
def test_one_source_of_a_vast_graph(collective: str, root: int) -> None:
    graph = build(parse("Q(4)"))
    task = ScheduleTask(topology=graph, collective=Collective(collective), root=root)
    found = schedule_by_candidate(task, most_at_once=10).saved
    verdict = verify_schedule(found.topology, found.schedule)
    assert verdict.valid, verdict.violation
    assert (verdict.redundant, verdict.steps) == (0, 4)
    expected = compact_schedule(found.topology, Collective.ALLGATHER).rows_of(found.topology, root)
    if collective == "broadcast":
        assert rows_of(found.schedule) == rows_of(expected)


def test_the_same_command_writes_the_same_bytes(tmp_path: Path, capsys) -> None:
    for file in ("one.npz", "two.npz"):
        assert ran(capsys, "schedule", "Q(5)", "--compact", "-o", tmp_path / file).code == 0
    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()


def test_times_without_barriers_where_rows_are_few(tmp_path, capsys) -> None:
    file = tmp_path / "a.json"
    ran(capsys, "schedule", "Torus(3,4)", "--compact", "-o", file)
    found = json.loads(ran(capsys, "verify", file, "--json", *TIMES).out)["simulated"]
    assert found["unsynchronised"] <= found["stepped"]
    again = check_schedule(read_schedule(file), transfer=TRANSFER, most_expanded=10)
    assert float(again.stepped) == found["stepped"]
    assert again.unsynchronised is None


def test_a_damaged_schedule_is_not_valid(tmp_path: Path, capsys) -> None:
    file = tmp_path / "a.json"
    ran(capsys, "schedule", "UniRing(1,5)", "--compact", "-o", file)
    saved = read_schedule(file)
    assert saved.cost.bandwidth == Fraction(4, 5)
    wrong = json.loads(file.read_text())
    wrong["table"][0][1] = 2  # the ring's load stays: only the replay can tell
    file.write_text(json.dumps(wrong))
    ended = ran(capsys, "verify", file)
    assert ended.code == 2
    assert "content: the file says" in ended.err
    content = ended.err.rsplit(" ", 1)[1].strip()
    file.write_text(json.dumps(wrong | {"content": content}))
    ended = ran(capsys, "verify", file, "--json")
    assert ended.code == 1
    found = json.loads(ended.out)
    assert found["valid"] is False
    assert found["violation"].startswith(
        "step 1, row 0: arc 2 [2, 3] with [0, 1) of the shard of node 0"
    )


def test_above_the_limit_of_graphs_the_rows_of_one_node_are_written(tmp_path: Path, capsys) -> None:
    file = tmp_path / "a.json"
    words = ("Torus(270,270)", "--collective", "reduce-scatter")
    made = ran(capsys, "schedule", *words, "--compact", "-o", file)
    assert (made.code, made.err) == (0, "")
    assert made.out.splitlines()[0] == (
        "reduce-scatter on Torus(270,270) by bfb: T_L 270 alpha, T_B 72899/72900 M/B"
    )
    kept = read_schedule(file, large=True)
    assert isinstance(kept.schedule, CompactSchedule)
    assert kept.schedule.rows == 72900 * kept.stored_rows
    assert str(kept.cost.bandwidth) == "72899/72900"


def test_what_is_made_grows_with_the_nodes_and_not_with_their_square() -> None:
    compact_schedule(torus(8, 8), Collective.ALLGATHER)  # kernels
    for side in (100, 316):
        graph = torus(side, side)
        tracemalloc.start()
        found = compact_schedule(graph, Collective.ALLGATHER)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert graph.n <= found.origin.rows + 1 < 1.1 * graph.n
        assert peak < NODE_BYTES * graph.n
