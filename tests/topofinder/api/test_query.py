"""Queries: filters, orders and times against plain loops over the rows, in every form of output."""

import csv
import io
import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import topofinder
from db.rows import CandidateRow
from db.store import Store
from db.throughput_rows import ThroughputRow
from expansions.collective import Collective
from generators.errors import InvalidInput
from reports.query_columns import COLUMNS, column
from tests.command import ran
from tests.db.sizes import candidate, size
from topofinder.api.failure_costs import FailureCostsByRecipe
from topofinder.api.query_filters import base_families, matching_families, sort_rows
from topofinder.model.workload import Workload

FAMILIES = ["C", "LC", "CxDistReg", "DirC", "Pi", "^LBiRing"]
WORKLOAD = Workload(
    alpha=Fraction(1, 10**5),
    bandwidth=Fraction(125 * 10**8),
    sizes=((Fraction(2**20), 3), (Fraction(1000), 1)),
)
TIMES = ("--alpha", "10us", "--size", "1MiB", "--bandwidth", "100Gbps")


def stored_sizes() -> list[tuple[int, int]]:
    return [(n, d) for n in (8, 9, 64, 65) for d in (2, 4)]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight sizes of three members and one more candidate each, of various families."""
    path = tmp_path_factory.mktemp("query") / "found.db"
    with Store(path) as store:
        for place, (n, d) in enumerate(stored_sizes()):
            family = FAMILIES[place % len(FAMILIES)]
            changes = {
                "family": family,
                "diameter": 2 + place,
                "moore_optimal": place == 1,
                "bandwidth_optimal": place % 2 == 0,
            }
            kept = tuple(candidate(n, d, rank, **changes) for rank in range(4))
            whole = size(n, d, members=kept[:3])
            store.save_or_keep([type(whole)(frontier=whole.frontier, pool=kept)])
        rate = {"n": 8, "d": 2, "method": "test", "seconds": 0.0, "topology": "0" * 64}
        store.save_throughput(
            ThroughputRow(
                recipe="Pi(2,8)*1", demand="uniform", lower=Fraction(1, 4), upper=Fraction(1, 3),
                **rate,
            )
        )  # fmt: skip
    return path


def rows_of(path: Path) -> list[CandidateRow]:
    with Store(path) as store:
        return store.candidates()


def members_of(path: Path) -> set[str]:
    with Store(path) as store:
        return {row.id for frontier in store.frontiers() for row in frontier.members}


FILTERS: list[tuple[dict[str, object], Callable[[CandidateRow], bool]]] = [
    ({}, lambda row: True),
    ({"n": 9}, lambda row: row.n == 9),
    ({"n": (9, 64), "d": 4}, lambda row: 9 <= row.n <= 64 and row.d == 4),
    ({"n": [(8, 8), (65, 99)]}, lambda row: row.n in (8, 65)),
    ({"n": ()}, lambda row: False),
    ({"links": "simplex"}, lambda row: False),
    ({"family": "circulant"}, lambda row: row.family in ("C", "LC", "CxDistReg")),
    ({"family": "LC"}, lambda row: row.family == "LC"),
    ({"family": "BiRing"}, lambda row: row.family == "^LBiRing"),
    ({"method": "bfb"}, lambda row: True),
    ({"recipe_contains": "*2"}, lambda row: "*2" in row.recipe),
    ({"recipe_contains": "%"}, lambda row: False),
    ({"max_steps": 4}, lambda row: row.steps <= 4),
    ({"max_bandwidth": Fraction(9, 8)}, lambda row: row.bandwidth <= Fraction(9, 8)),
    ({"max_diameter": 5}, lambda row: row.diameter is not None and row.diameter <= 5),
    ({"bandwidth_optimal": True}, lambda row: bool(row.bandwidth_optimal)),
    ({"moore_optimal": True}, lambda row: bool(row.moore_optimal) or row.steps == 2),
    ({"exact": True, "d": 2}, lambda row: row.exact and row.d == 2),
]


@pytest.mark.parametrize(("filters", "holds"), FILTERS)
@pytest.mark.parametrize("everything", [False, True])
def test_filters(
    database: Path,
    filters: dict[str, object],
    holds: Callable[[CandidateRow], bool],
    everything: bool,
) -> None:
    kept = [row for row in rows_of(database) if holds(row)]
    members = members_of(database)
    wanted = [row.id for row in kept if everything or row.id in members]
    found = topofinder.query(database, everything=everything, **filters)  # type: ignore[arg-type]
    assert [each.row.id for each in found] == wanted
    assert all(each.row.on_frontier == (each.row.id in members) for each in found)


def test_a_row_says_what_is_stored(database: Path) -> None:
    by_id = {row.id: row for row in rows_of(database)}
    for each in topofinder.query(database, everything=True):
        row = by_id[each.row.id]
        for name in ("recipe", "n", "d", "links", "method", "family", "engine", "exact"):
            assert getattr(each.row, name) == getattr(row, name)
        assert (each.row.allgather, each.row.allreduce) == (row.allgather, row.allreduce)
        assert topofinder.query(database, id=row.id[:12], everything=True).rows == (each,)


@pytest.mark.parametrize("collective", ["allgather", "reduce-scatter", "allreduce"])
def test_times_are_those_of_the_workload(database: Path, collective: str) -> None:
    workload = Workload(
        alpha=WORKLOAD.alpha,
        bandwidth=WORKLOAD.bandwidth,
        sizes=WORKLOAD.sizes,
        collective=Collective(collective),
    )
    for each in topofinder.query(database, workload=workload):
        assert each.seconds == workload.seconds(each.row)


@pytest.mark.parametrize("name", [name for name, each in COLUMNS.items() if each.needs is None])
@pytest.mark.parametrize("descending", [False, True])
def test_every_column_sorts(database: Path, name: str, descending: bool) -> None:
    found = topofinder.query(database, everything=True, sort=name, descending=descending)
    values = [column(name).value(each) for each in found]
    known = [value for value in values if value is not None]
    assert known == sorted(known, reverse=descending)
    assert values == known + [None] * (len(values) - len(known))
    assert (
        topofinder.query(database, everything=True, sort=name, limit=3).rows
        == topofinder.query(database, everything=True, sort=name).rows[:3]
    )


fractions = st.integers(1, 2**62).flatmap(
    lambda below: st.builds(Fraction, st.integers(below, below + 3), st.just(below))
)


@given(st.lists(fractions, max_size=8), st.booleans())
@settings(max_examples=50, deadline=None)
def test_order_is_exact_where_floats_are_equal(values: list[Fraction], descending: bool) -> None:
    from db.query_rows import MatchRow
    from reports.query_row import FoundCandidate

    row = MatchRow(
        *("0", "K(2)", 2, 1, "duplex", "bfb", None, 1, Fraction(1), 1, Fraction(1)),
        *(True, 1, True, True, 1, "0", 1, True),
    )
    found = [FoundCandidate(row._replace(bandwidth=value)) for value in values]
    told = sort_rows(found, column("bandwidth"), descending=descending)
    assert [each.row.bandwidth for each in told] == sorted(values, reverse=descending)


def test_all_to_alls(database: Path) -> None:
    workload = Workload(
        alpha=WORKLOAD.alpha,
        bandwidth=WORKLOAD.bandwidth,
        sizes=WORKLOAD.sizes,
        exchanges=((Fraction(2**20), 2),),
    )
    found = topofinder.query(database, workload=workload, n=8, d=2, sort="alltoall_most")
    assert [each.rate is None for each in found] == [False, True, True]
    assert found[0].exchange == tuple(
        workload.exchange_seconds(8, 2, rate) for rate in (Fraction(1, 3), Fraction(1, 4))
    )
    (first, *_) = topofinder.query(database, with_throughput=True, sort="alltoall_lower")
    assert first.rate is not None
    assert first.rate.lower == Fraction(1, 4)


def test_failures_are_rated_when_they_are_asked_for(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    place = tmp_path / "failing.db"
    topofinder.sweep([(16, 4)], "duplex", place, jobs=1)
    found = topofinder.query(place, with_failures=True, sort="link_lost")
    told = {one.row.recipe: one.failures for one in found}["C(16,{3,4})"]
    assert told is not None
    assert told == FailureCostsByRecipe("duplex").row("C(16,{3,4})")
    words = ("query", "--db", str(place), "--recipe-contains", "C(16,{3,4})")
    lines = ran(capsys, *words, "--with-failures", "--columns", "trees,link_lost,host_lost").out
    assert lines.splitlines()[-1].split() == ["1.8750", "1.9355", "2.0000"]
    (fields,) = json.loads(ran(capsys, *words, "--with-failures", "--json").out)
    assert fields["resilience"]["links"]["bound"] == "60/31"
    with pytest.raises(InvalidInput, match="column 'link_lost' needs --with-failures"):
        topofinder.query(place, sort="link_lost")


TABLE = """\
n      d      links   steps  bandwidth  bandwidth_exact  rs_steps  rs_bandwidth  bandwidth_ratio  \
diameter  cost   time   method  id        recipe
nodes  ports          alpha  M/B        M/B              alpha     M/B           T_B*             \
hops             us
-----  -----  ------  -----  ---------  ---------------  --------  ------------  ---------------  \
--------  -----  -----  ------  --------  ---------
    9      2  duplex      3     1.3889            25/18         3        0.9000           1.5625  \
       4  exact  252.0  bfb     IDIDIDID  Pi(2,9)*1
"""

MARKDOWN = r"""| n [nodes] | bandwidth_exact [M/B] | recipe |
| --- | --- | --- |
| 9 | 25/18 | Pi(2,9)\*1 |
"""


def test_table_markdown_and_csv(capsys: pytest.CaptureFixture[str], database: Path) -> None:
    wanted = ("query", "--db", database, "--n", "9", "--d", 2, "--max-steps", 3)
    identity = candidate(9, 2, 0).id
    shown = ran(capsys, *wanted, *TIMES)
    assert (shown.code, shown.err) == (0, "")
    assert shown.out == TABLE.replace("IDIDIDID", identity[:8])
    columns = ("--columns", "n,bandwidth_exact,recipe")
    assert ran(capsys, *wanted, *columns, "--markdown").out == MARKDOWN
    told = ran(capsys, *wanted, "--csv", *TIMES).out
    ((head, row),) = [list(csv.reader(io.StringIO(told)))]
    cells = dict(zip(head, row, strict=True))
    assert cells["id"] == identity
    assert float(cells["bandwidth [M/B]"]) == 25 / 18
    seconds = 6 * Fraction(1, 10**5) + (Fraction(25, 18) + Fraction(9, 10)) * 2**20 / (125 * 10**8)
    assert float(cells["time [us]"]) == float(seconds * 10**6)


def test_json(capsys: pytest.CaptureFixture[str], database: Path) -> None:
    wanted = ("query", "--db", database, "--n", "8", "--d", "2")
    found = json.loads(ran(capsys, *wanted, *TIMES, "--json", "--with-throughput").out)
    assert found[0] == {
        "id": candidate(8, 2, 0).id,
        "recipe": "Pi(2,8)*1",
        "n": 8,
        "d": 2,
        "links": "duplex",
        "steps": 3,
        "bandwidth": "11/8",
        "reduce_scatter": {"steps": 3, "bandwidth": "8/9"},
        "diameter": 2,
        "exact": True,
        "method": "bfb",
        "bandwidth_optimal": True,
        "moore_optimal": False,
        "family": "C",
        "on_frontier": True,
        "bound": {
            "steps": 2,
            "bandwidth": "7/8",
            "steps_source": "Moore bound",
            "bandwidth_source": "theorem 4",
        },
        "throughput": {
            "lower": "1/4",
            "upper": "1/3",
            "exact": None,
            "gap": 0.25,
            "method": "test",
        },
        "seconds": {
            "allreduce": float(
                Fraction(6, 10**5) + (Fraction(11, 8) + Fraction(8, 9)) * 2**20 / (125 * 10**8)
            )
        },
    }
    assert [row["steps"] for row in found] == [3, 4, 5]


def test_nothing_found_is_no_error(capsys: pytest.CaptureFixture[str], database: Path) -> None:
    wanted = ("query", "--db", database, "--n", "1000:2000")
    remark = "nothing that is stored agrees with all of this"
    further = "; --all looks beyond the frontiers"
    assert ran(capsys, *wanted, "--json") == (0, "[]\n", f"{remark}{further}\n")
    assert ran(capsys, *wanted, "--json", "--all") == (0, "[]\n", f"{remark}\n")
    assert ran(capsys, *wanted, "--json", "--quiet") == (0, "[]\n", "")
    assert ran(capsys, *wanted, "-q", "--csv", "--columns", "n,recipe").out == "n [nodes],recipe\n"
    assert ran(capsys, *wanted, "-q", "--columns", "n,time", *TIMES).out == (
        "n      time\nnodes  us\n-----  ----\n"
    )


REFUSALS = [
    (("--sort", "speed"), "sort: no column 'speed'; the choices are n, d, links, steps, "),
    (("--columns", "n,x"), "--columns: no column 'x'; the choices are n, d, links, steps, "),
    (("--columns", "n", "--json"), "--columns is for tables; --json tells every field"),
    (("--csv", "--json"), "--csv and --json exclude each other"),
    (
        ("--family", "ringlet"),
        "family: no family 'ringlet'; the choices are BiRing (two-way ring), ",
    ),
    (("--method", "magic"), "method: no method 'magic'; the choices are bfb"),
    (("--links", "both"), "Invalid value for '--links': 'both' is not one of 'simplex', 'duplex'"),
    (("--sort", "time"), "sort: column 'time' needs a workload: --alpha, --size and --bandwidth"),
    (("--sort", "alltoall_most", *TIMES), "sort: column 'alltoall_most' needs all-to-alls in the "),
    (("--columns", "alltoall_lower"), "--columns: column 'alltoall_lower' needs --with-throughput"),
    (("--max-bandwidth", "1e999"), "--max-bandwidth: a number such as 1.02 or 1023/1024 is "),
    (("--max-bandwidth", "1/0"), "--max-bandwidth: a number such as 1.02 or 1023/1024 is needed"),
    (("--n", "9:2"), "--n: the range '9:2' is empty"),
    (("--n", ",".join(["9"] * 201)), "n: at most 200 ranges, not 201"),
    (("--id", "x"), "id: 1 to 32 hexadecimal digits are needed, not 'x'"),
    (("--alpha", "1us"), "times need --alpha, --bandwidth and --size; missing --bandwidth"),
    (("--limit", "-1"), "Invalid value for '--limit': Input should be greater than or equal to 0"),
]


@pytest.mark.parametrize(("arguments", "line"), REFUSALS)
def test_bad_filters_get_one_line(
    capsys: pytest.CaptureFixture[str], database: Path, arguments: tuple[str, ...], line: str
) -> None:
    ended = ran(capsys, "query", "--db", database, *arguments)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"topofinder: {line}")
    assert ended.err.count("\n") == 1


def test_a_missing_database_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    ended = ran(capsys, "query", "--db", tmp_path / "none.db")
    assert ended == (2, "", f"topofinder: database '{tmp_path}/none.db': does not exist\n")
    assert not (tmp_path / "none.db").exists()


MEANT = [
    ({"d": [2, 4]}, {2, 4}),
    ({"d": (2, 3)}, {2}),
    ({"d": [(3, 9), 2]}, {2, 4}),
    ({"d": np.int64(4)}, {4}),
    ({"d": []}, set()),
]


@pytest.mark.parametrize(("filters", "ports"), MEANT)
def test_numbers_and_ranges_from_a_program(
    database: Path, filters: dict[str, object], ports: set[int]
) -> None:
    found = topofinder.query(database, **filters)  # type: ignore[arg-type]
    assert {each.row.d for each in found} == ports


@pytest.mark.parametrize(
    ("filters", "line"),
    [
        ({"n": "8"}, "n: a number, a pair .least, most., or a list of them, not '8'"),
        ({"n": 1.5}, "n: a number"),
        ({"n": [(1, 2, 3)]}, r"not \(1, 2, 3\)"),
        ({"max_bandwidth": "1"}, "max_bandwidth: an int or a Fraction is needed, not '1'"),
        ({"limit": "3"}, "limit must be an integer, not '3'"),
        ({"limit": -1}, "limit must be from 0 to"),
    ],
)
def test_a_program_is_told_what_it_does_wrong(
    database: Path, filters: dict[str, object], line: str
) -> None:
    with pytest.raises(InvalidInput, match=line):
        topofinder.query(database, **filters)  # type: ignore[arg-type]


DAMAGE = [
    "UPDATE candidates SET n = 'many'",
    "UPDATE candidates SET bandwidth_num = 'x'",
    "UPDATE candidates SET recipe = x'00'",
    "UPDATE candidates SET steps = 1.5",
    "UPDATE candidates SET family = 3.5",
]


@pytest.mark.parametrize("change", DAMAGE)
def test_damaged_rows_are_refused(tmp_path: Path, change: str) -> None:
    path = tmp_path / "damaged.db"
    with Store(path) as store:
        store.save_or_keep([size()])
        store.connection.execute("PRAGMA ignore_check_constraints = ON")
        store.connection.execute("PRAGMA foreign_keys = OFF")
        store.connection.execute(change)
    if "family" in change:
        assert [each.row.family for each in topofinder.query(path)] == ["3.5"] * 3
        return
    with pytest.raises(InvalidInput, match=r"the candidate .* is damaged|no such candidate"):
        topofinder.query(path, everything=True)


def test_words_for_families() -> None:
    assert base_families("DirCxSmallxUniRing") == ["DirC", "Small", "UniRing"]
    assert base_families("L*DBJMod") == ["DBJMod"]
    stored = ["C", "LC", "DirC", "Cay", "CxDistReg", "Coset", "H", "odd"]
    assert matching_families("C", stored) == ("C", "LC", "CxDistReg")
    assert matching_families("Circulant graph", stored) == ("C", "LC", "CxDistReg")
    assert matching_families("hamming", stored) == ("H",)
    assert matching_families("odd", stored) == ("odd",)
    assert matching_families("hypercube", stored) == ()
