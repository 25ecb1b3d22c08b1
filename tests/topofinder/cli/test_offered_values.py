"""Whatever is offered, overlong or no number at all: one line, and never the whole of it again."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from expansions.parser import parse
from generators import quantities
from generators.errors import InvalidInput
from generators.excerpts import MOST_SHOWN, excerpt
from generators.formats.by_suffix import FORMATS, read_topology
from generators.formats.quantities import LARGEST, LONGEST, exact
from generators.topology import Topology
from tests.command import ran
from tests.saved import SAVED
from topofinder.alltoall.demand.files import read_demand
from topofinder.alltoall.demand.patterns import pattern_demand
from topofinder.api.plan_jobs_file import read_jobs
from topofinder.cli.options import fraction, numbers, ranges, size_pairs
from topofinder.model.inventory.cross_connects import read_wiring
from topofinder.model.inventory.document import inventory_for
from topofinder.model.inventory.ports import port_map, read_port_map
from topofinder.model.workload import read_exchange, read_sizes

LONG = 100_000
VALUES = {
    "long": "x" * LONG,
    "words": "x " * (LONG // 2),
    "digits": "7" * 4000,
    "more digits": "7" * 5000,
    "exponent": "1e999",
    "tiny": "1e-999",
    "nan": "NaN",
    "infinite": "Infinity",
    "zero": "-0",
    "negative": "-1e400",
    "ratio": f"1/{'7' * 400}",
    "division": "1/0",
    "other digits": "\u0663",
    "line ends": "1\\n2",
    "control": "\x1b[2J",
    "empty": "",
}
PAIR = Topology.from_arcs(2, [(0, 1), (1, 0)])
Refusal = Callable[[str, Path], object]


def _file(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def _node_link(value: str) -> str:
    edge = {"source": 0, "target": 1, "capacity": value}
    return json.dumps({"directed": True, "nodes": [{"id": 0}, {"id": 1}], "edges": [edge]})


def _fabric(value: str) -> str:
    link = {"from": "a", "to": "b", "bandwidth": value}
    declared = {"format": "topofinder-fabric", "version": 1, "nodes": ["a", "b"]}
    return json.dumps(declared | {"links": [link]})


def _graphml(value: str) -> str:
    plain = value.replace("\x1b", "")
    key = '<key id="k" for="edge" attr.name="capacity"/>'
    edge = f'<edge source="a" target="a"><data key="k">{plain}</data></edge>'
    return f'<graphml>{key}<graph edgedefault="directed"><node id="a"/>{edge}</graph></graphml>'


def _jobs(value: str) -> str:
    job = {"name": "j", "n": 4, "alpha": value, "bandwidth": "1Gbps", "sizes": [["1MiB", 1]]}
    return json.dumps({"jobs": [job]})


def _inventory(value: str) -> str:
    panel = {"name": "P", "move_time": value}
    host = {"name": "a", "ports": [{"panel": "P", "position": 1}]}
    return json.dumps({"panels": [panel], "hosts": [host]})


def _ports(value: str, folder: Path) -> object:
    fabric = port_map(inventory_for(hosts=2, ports=1))
    return read_wiring(_file(folder / "w.csv", f'port_a,port_b\nh0:0,"{value}"\n'), fabric)


REFUSALS: dict[str, Refusal] = {
    "edges": lambda v, f: read_topology(_file(f / "a.edges", f"0 1 {v or '-'}")),
    "edges, header": lambda v, f: read_topology(_file(f / "a.edges", f"#: nodes {v}")),
    "edges, unit": lambda v, f: read_topology(_file(f / "a.edges", f"#: unit_rate {v}\n0 1")),
    "graphml": lambda v, f: read_topology(_file(f / "a.graphml", _graphml(v))),
    "node-link": lambda v, f: read_topology(_file(f / "a.json", _node_link(v))),
    "fabric": lambda v, f: read_topology(_file(f / "a.json", _fabric(v))),
    "demand": lambda v, f: read_demand(_file(f / "a.csv", f"0,{v}\n1,0\n"), PAIR),
    "sizes": lambda v, f: read_sizes(_file(f / "a.txt", v)),
    "count": lambda v, f: read_sizes(_file(f / "a.txt", f"1MiB {v or '-'}")),
    "jobs": lambda v, f: read_jobs(_file(f / "a.json", _jobs(v))),
    "inventory": lambda v, f: read_port_map(_file(f / "a.json", _inventory(v))),
    "cross-connects": _ports,
    "recipe": lambda v, f: parse(v),
    "recipe argument": lambda v, f: parse(f"K({v})"),
    "pattern": lambda v, f: pattern_demand(f"ring:{v or 'x'}", PAIR),
    "time": lambda v, f: quantities.seconds(v),
    "size": lambda v, f: quantities.size(v),
    "rate": lambda v, f: quantities.rate(v + "bps"),
    "all-to-all": lambda v, f: read_exchange(v),
    "fraction": lambda v, f: fraction(v + "x", "--max-bandwidth"),
    "numbers": lambda v, f: numbers(v + "x", "--n"),
    "ranges": lambda v, f: ranges(v + ":", "--n"),
    "path": lambda v, f: read_topology(f / (v.replace("/", "") + ".edges")),
    "suffix": lambda v, f: read_topology(f / ("a." + v.replace("/", ""))),
}


@pytest.mark.parametrize("reader", REFUSALS)
@pytest.mark.parametrize("value", VALUES)
def test_every_reader_refuses_in_few_words(value: str, reader: str, tmp_path: Path) -> None:
    if (value, reader) == ("zero", "demand"):  # which is a number like any other
        return
    with pytest.raises(InvalidInput) as refusal:
        REFUSALS[reader](VALUES[value], tmp_path)
    short = str(refusal.value).replace(str(tmp_path), "")
    first, *caret = short.split("\n")
    assert len(caret) in ((0, 2) if reader.startswith("recipe") else (0,))
    most = 1000 if reader in ("path", "suffix") else 400  # lists of all units are as long
    assert all(len(line) <= most for line in (first, *caret))


OPTIONS = {
    "search": ("--n", "--d", "--links", "--alpha", "--size", "--bandwidth", "--gap", "--collective",
               "--pareto", "--alltoall", "--time"),
    "query": ("--n", "--d", "--method", "--id", "--max-bandwidth", "--sort", "--columns"),
    "sweep": ("--n", "--d", "--jobs"),
    "schedule": ("--method", "--root", "--chunks", "--k", "--weights", "--fail-links", "--degrade"),
    "throughput": ("--pattern", "--method", "--gap", "--time", "--routing", "--size"),
    "build": ("--format",),
    "plan": ("--mode", "--pin", "--seed", "--time"),
    "reproduce": ("--d",),
}  # fmt: skip
NEEDED = {
    "search": ("--n", "8", "--d", "2"), "query": (), "sweep": ("--n", "8", "--d", "2"),
    "schedule": ("K(3)", "-o", "x.npz"), "throughput": ("K(3)",),
    "build": ("K(3)", "-o", "x.edges"),
    "plan": ("--inventory", "i.json", "--current", "c.csv", "--to", "K(3)"),
    "reproduce": ("table4",),
}  # fmt: skip


EACH = [(command, option) for command, known in OPTIONS.items() for option in known]


@pytest.mark.parametrize(("command", "option"), EACH)
def test_every_option_refuses_in_few_words(
    command: str,
    option: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert ran(capsys, "inventory", "K(3)", "-o", "i.json", "--current", "c.csv").code == 0
    (tmp_path / "a.db").touch()
    forest = ("--k", "--weights", "--fail-links", "--degrade")
    known = {"--alpha": "1us", "--size": "1MiB", "--bandwidth": "1Gbps"}
    times = [word for name, value in known.items() if name != option for word in (name, value)]
    for value in (VALUES["long"], VALUES["words"], VALUES["digits"], VALUES["more digits"]):
        words = [command, *NEEDED[command], f"{option}={value}"]
        if command == "search" and option in (*known, "--alltoall", "--collective"):
            words += times
        if option in forest:
            words += ["--method", "forest"]
        if command not in ("build",):
            words += ["--db", "a.db"]
        ended = ran(capsys, *words)
        assert (ended.code, ended.out) == (2, ""), words[:4]
        lines = ended.err.splitlines()
        assert len(lines) == 1
        assert len(lines[0]) < 600  # the longest lists all columns


def test_ranges_are_bounded_together() -> None:
    for attempt in (
        lambda: numbers("2:1000000000000", "--n"),
        lambda: numbers(",".join(f"{k}000001:{k + 1}000000" for k in range(99)), "--n"),
        lambda: numbers(",".join(map(str, range(1_000_001))), "--d"),
        lambda: size_pairs("1:10000", "1:10000"),
    ):
        with pytest.raises(InvalidInput) as refusal:
            attempt()
        assert len(str(refusal.value)) < 120


def test_a_schedule_that_says_long_things(tmp_path: Path) -> None:
    from expansions.schedule_files.files import read_schedule, write_schedule

    path = tmp_path / "a.json"
    write_schedule(SAVED, path)
    text = path.read_text()
    for field in json.loads(text):
        for value in ("7" * LONG, [7] * LONG, {"x": "7" * LONG}, [["7" * LONG]], 1e999, -0.0):
            path.write_text(json.dumps(json.loads(text) | {field: value}))
            try:
                read_schedule(path)
            except InvalidInput as refusal:
                told = str(refusal).replace(str(tmp_path), "")
                assert len(told) < 300
                assert "\n" not in told
            else:
                assert field in ("recipe", "method", "names")


@settings(deadline=None)
@given(
    st.recursive(
        st.integers() | st.floats() | st.text() | st.binary() | st.booleans() | st.none(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_anything_is_shown_in_a_line_of_forty_characters(value: object) -> None:
    assert len(excerpt(value)) <= MOST_SHOWN
    assert "\n" not in excerpt(value)


def test_numbers_beyond_the_digits_of_python_are_shown() -> None:
    for value in (10**5000, -(10**5000), [10**5000], Fraction(10**5000, 3), {"n": 10**5000}):
        assert "an integer of 5001 digits"[:20] in excerpt(value)
        assert len(excerpt(value)) <= MOST_SHOWN
    assert excerpt(Fraction(-1, 2)) == "-1/2"


@settings(deadline=None)
@given(st.integers(1, 2 * LONGEST), st.sampled_from(["", "-", "1/", "0.", "1e", "1e-"]))
def test_exact_is_in_range_or_refused(digits: int, before: str) -> None:
    try:
        found = exact("latency", before + "7" * digits)
    except InvalidInput:
        return
    assert 1 / LARGEST <= found <= LARGEST
    float(found)


def test_all_formats_are_attacked() -> None:
    assert set(FORMATS) == {"graphml", "json", "edges"}


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("schedule", "K(4)", "--chunks", "1.5"), "'--chunks': {}, not '1.5'"),
        (("search", "--n", "1e3", "--d", "4"), "'--n': {}, not '1e3'"),
        (("throughput", "K(4)", "--gap", "wide"), "'--gap': {}, not 'wide'"),
        (("query", "--limit", "-1"), "'--limit': {}, not '-1'"),
        (("schedule", "K(4)", "--chunks", "7" * 5000), "'--chunks': {}, not '" + "7" * 36 + "..."),
    ],
)
def test_the_parser_shows_what_it_refuses(
    capsys: pytest.CaptureFixture[str], words: tuple[str, ...], line: str
) -> None:
    ended = ran(capsys, *words)
    before, after = line.split("{}")
    assert ended.code == 2
    assert ended.err.startswith(f"topofinder: Invalid value for {before}")
    assert ended.err.endswith(f"{after}\n")


@pytest.mark.parametrize("command", ["schedule", "inventory"])
def test_a_bad_recipe_is_told_before_a_missing_output(
    capsys: pytest.CaptureFixture[str], command: str
) -> None:
    ended = ran(capsys, command, "L(K(4,4)")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("topofinder: expected ')' or an operator, not the end (column 9)")
    assert "--output" in ran(capsys, command, "L(K(4,4))").err
    assert "--output" in ran(capsys, command, "DGXA100(2)").err
    assert "--output" in ran(capsys, command, "fabric.edges").err
