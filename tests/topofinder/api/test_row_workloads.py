"""Times of rows over topologies that tell their own rates, latencies and limits of hosts."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

import topofinder as tf
from generators.topology import Topology
from tests.command import ran
from topofinder.schedules.bfb.schedule import bfb_schedule

NAME = "C(7,{1,2})"
GIVEN = {"alpha": "10us", "size": "1MiB", "bandwidth": "32Gbps"}
"""Four links of 8 Gbps."""
TOLD = {"unit_rate": Fraction(10**9), "unit_latency": Fraction(1, 10**5)}
SIZE = {"size": "1MiB"}


def _file(folder: Path, **told: object) -> str:
    graph = replace(tf.build(NAME).topology, translation=None, orbits=None, **told)
    tf.write_topology(graph, folder / "told.edges")
    return str(folder / "told.edges")


@pytest.mark.parametrize("collective", ["allgather", "allreduce", "broadcast"])
@pytest.mark.parametrize("pipeline", [None, 3, "auto"])
def test_rates_of_a_file_are_those_of_options(tmp_path: Path, collective, pipeline) -> None:
    file, how = _file(tmp_path, **TOLD), {"collective": collective, "pipeline": pipeline}
    how |= {"root": 3} if collective == "broadcast" else {}
    known = tf.schedule(NAME, method="bfb", **GIVEN, **how)
    found = tf.schedule(file, tmp_path / "a.npz", method="bfb", **SIZE, **how)
    assert found.runtime == known.runtime
    assert found.made.parts == known.made.parts
    played = tf.verify(tmp_path / "a.npz", **SIZE).record
    assert played.stepped == found.runtime
    assert played.stepped == tf.verify(known.saved, **GIVEN).record.stepped


def test_unequal_links_take_the_rates_of_a_file(tmp_path: Path) -> None:
    values = tuple(Fraction(1 + arc % 2) for arc in range(28))
    file = _file(tmp_path, **TOLD, capacity=values)
    plain = replace(tf.read_topology(file), unit_rate=None, unit_latency=None)
    assert tf.schedule(file, **SIZE, method="bfb").runtime == (
        tf.schedule(plain, **GIVEN, method="bfb").runtime
    )


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({**SIZE, "bandwidth": "1Gbps"}, "--bandwidth: the topology tells the rates of its links"),
        ({**SIZE, "alpha": "1us"}, "--alpha: the topology tells the latencies of its links"),
        ({"bandwidth": "1Gbps"}, "times need --alpha, --bandwidth and --size; missing --size"),
        ({**SIZE, "injection": "1Gbps"}, "--injection: the topology tells it of its hosts itself"),
    ],
)
def test_what_is_told_twice_is_refused(tmp_path: Path, given: dict[str, str], told: str) -> None:
    file = _file(tmp_path, **TOLD, injection=3)
    with pytest.raises(tf.InvalidInput, match=told):
        tf.schedule(file, method="bfb", **given)
    tf.schedule(file, tmp_path / "a.npz", method="bfb")
    with pytest.raises(tf.InvalidInput, match=told):
        tf.verify(tmp_path / "a.npz", **given)


@pytest.mark.parametrize("told", [{"unit_rate": 10**9}, {"unit_latency": Fraction(1, 10**5)}])
def test_what_nobody_tells_is_missing(tmp_path: Path, told: dict[str, Fraction]) -> None:
    missing = "bandwidth" if "unit_latency" in told else "alpha"
    with pytest.raises(tf.InvalidInput, match=f"missing --{missing}"):
        tf.schedule(_file(tmp_path, **told), method="bfb", **SIZE)


@pytest.mark.parametrize("pipeline", [2, "auto"])
def test_parts_are_weighed_with_what_hosts_add(tmp_path: Path, pipeline) -> None:
    file = _file(tmp_path, **TOLD, injection=2)
    made = tf.schedule(file, tmp_path / "a.npz", method="bfb", pipeline=pipeline, **SIZE)
    played = tf.verify(tmp_path / "a.npz", **SIZE).record
    assert played.stepped == made.runtime
    assert played.with_hosts
    alone = tf.schedule(file, method="bfb", **SIZE).runtime
    assert made.made.without_pipeline == alone
    assert pipeline == 2 or made.runtime <= alone


def _slow_bandwidth(graph: Topology, limit: Fraction) -> Fraction:
    """T_B by counting, step by step, what every arc and every host carries."""
    rows, total = bfb_schedule(graph), Fraction()
    carried: Counter[tuple[int, str, int]] = Counter()
    for arc, step, begin, end in zip(rows.arc, rows.step, rows.begin, rows.end, strict=True):
        places = (("arc", arc), ("out", graph.tail[arc]), ("in", graph.head[arc]))
        for kind, place in places:
            carried[int(step), kind, int(place)] += int(end - begin)
    for step in range(1, rows.steps + 1):
        loads = [
            Fraction(amount, rows.denominator) / (1 if kind == "arc" else limit)
            for (when, kind, _), amount in carried.items()
            if when == step
        ]
        total += max(loads)
    return total * graph.degree / graph.n


@pytest.mark.parametrize("name", [NAME, "Pi(3,8)", "Mesh(2,3)", "DirC(3)"])
@pytest.mark.parametrize("limit", [Fraction(1, 2), Fraction(3, 2), Fraction(9)])
def test_show_counts_limits_of_hosts(tmp_path: Path, name: str, limit: Fraction) -> None:
    graph = replace(tf.build(name).topology, translation=None, orbits=None, injection=limit)
    file = tmp_path / "wiring.graphml"
    tf.write_topology(graph, file)
    facts = tf.show(str(file)).facts
    plain = replace(graph, injection=None)
    assert facts.main.bandwidth == _slow_bandwidth(plain, limit)
    assert facts.main.rs_bandwidth == _slow_bandwidth(plain.transpose(), limit)
    least = Fraction(graph.n - 1, graph.n) * max(1, graph.degree / limit)
    assert facts.main.bandwidth >= facts.bound.bandwidth == least
    seconds = tf.schedule(str(file), **GIVEN, method="bfb").runtime
    assert seconds == facts.main.steps * Fraction(1, 10**5) + facts.main.bandwidth * Fraction(
        2**20, 4 * 10**9
    )


def test_show_tells_the_limit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = _file(tmp_path, injection=Fraction(3))
    told = ran(capsys, "show", file)
    assert "T_B 8/7 M/B (no Moore graph" in told.out or "; injection limit)" in told.out
    assert "\n  hosts send, and receive, as much as 3 links at most: T_B counts it\n" in told.out
    found = tf.show(file).to_dict()
    assert (found["injection"], found["bound"]["bandwidth_source"]) == ("3", "injection limit")
