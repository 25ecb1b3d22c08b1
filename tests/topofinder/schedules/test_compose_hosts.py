"""Composed step schedules of hosts: valid, and exactly what is predicted from the hosts alone."""

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from expansions.collective import Collective
from expansions.hosts import host_topology, host_wiring, parse_host_fabric
from expansions.schedule import Schedule
from generators.errors import Unsupported
from generators.topology import Topology
from tests.command import ran
from topofinder.lowering.switched_rows import rows_between_hosts
from topofinder.schedules.compose_hosts import inner_way, predict_steps
from topofinder.schedules.register import ScheduleTask, answer_task
from topofinder.verification.schedules import verify_schedule

FABRICS = [
    "HostA100[K(8,8)]",
    "HostH100[K(9)]",
    "Host(3;switch+m@450GB/s;1@50GB/s)[K(3,3)]",
    "Host(4;switch@50GB/s;ports:0.2@50GB/s)[C(5,{1})]",
    "Host(4*4.8*2;switch@450GB/s;1@50GB/s)[C(8,{1,3})]",
    "Host(4*4.8*2;mesh@450GB/s;1@50GB/s)[C(8,{1,3});any]",
    "Host(2;switch@20GB/s;2@50GB/s)[Pi(4,9)]",
    "Host(2;mesh@20GB/s;1@50GB/s)[C(5,{1})]",
    "Host(1;none;4@50GB/s)[C(8,{1,3})]",
    "Host(5;switch+r@90GB/s;1@50GB/s)[UniRing(5,3)]",
    "Host(4;links:0-1*4.1-2.2-3*2@20GB/s;ports:0.2.2@50GB/s)[Pi(3,7)]",
    "Host(5;links:0-1.1-2.2-3.3-4.4-0.0-2*2@90GB/s;1@50GB/s)[K(5,5);any]",
    "HostMI250[K(17)]",
]
COLLECTIVES = [Collective.ALLGATHER, Collective.REDUCE_SCATTER, Collective.ALLREDUCE]


@pytest.mark.parametrize("name", FABRICS)
@pytest.mark.parametrize("collective", COLLECTIVES)
def test_steps_are_valid_and_cost_what_is_predicted(name: str, collective: Collective) -> None:
    fabric = parse_host_fabric(name)
    wiring, topology = host_wiring(fabric), host_topology(fabric)
    task = ScheduleTask(topology=topology, subject=name, method="composed", collective=collective)
    verdict = verify_schedule(topology, answer_task(task).saved.schedule)
    assert verdict.violation is None
    times: list[Fraction] = []
    if collective is not Collective.ALLGATHER:
        graph = wiring.graph.transpose()
        turned = replace(wiring, graph=graph, tail=wiring.head, head=wiring.tail)
        times += predict_steps(fabric, turned, inner_way(fabric, back=True)).times
    if collective is not Collective.REDUCE_SCATTER:
        times += predict_steps(fabric).times
    assert verdict.steps == len(times)
    assert verdict.bandwidth * fabric.accelerators / topology.degree == sum(times)


def test_a_pipeline_overlaps_steps_inside_with_those_outside(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path, name = tmp_path / "a.npz", "Host(2;switch@400GB/s;1@50GB/s)[C(3,{1})]"
    words = ("schedule", name, "--method", "composed", "-o", path, "--db", tmp_path / "a.db")
    assert "T_L 5 alpha, T_B 11/600 M/B" in ran(capsys, *words).out
    assert ran(capsys, *words, "--pipeline", 64).code == 0
    told = ran(capsys, "verify", path).out
    assert told.startswith("valid: allgather on 9 nodes")
    cost = predict_steps(parse_host_fabric(name))
    assert (cost.steps, cost.inverse_rate) == (5, Fraction(11, 200))
    found = re.search(r"T_L 68 alpha, T_B (\d+/\d+) M/B", told)
    assert found is not None
    busiest = Fraction(2, 50)  # of a circuit, which is longer than any link inside
    assert busiest < 3 * Fraction(found[1]) <= busiest * (1 + Fraction(4, 64))


@pytest.mark.parametrize(
    ("name", "words", "told"),
    [
        ("K(4,4)", (), "composed: for hosts such as HostH100[K(8,8)], or a file that build makes"),
        ("HostA100[K(8,8)]", ("--chunks", 2), "chunks: composed has its own pieces, not 2"),
        (
            "HostA100[K(8,8)]",
            ("--size", "1MiB", "--alpha", "1us"),
            "composed: --size, --alpha and --bandwidth are for other methods",
        ),
    ],
)
def test_what_cannot_be_composed_is_refused(
    name: str,
    words: tuple[object, ...],
    told: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    asked = ("schedule", name, "--method", "composed", *words, "-o", tmp_path / "a.npz")
    ended = ran(capsys, *asked, "--db", tmp_path / "a.db")
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert told in ended.err


@pytest.mark.parametrize("name", ["Host(3;switch+m@90GB/s;1@50GB/s)[K(3,3)]", "HostH100[K(9)]"])
@pytest.mark.parametrize("collective", COLLECTIVES)
def test_steps_through_switches_are_lowered_to_messages_of_hosts(
    name: str, collective: Collective, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    made, db = tmp_path / "a.npz", ("--db", tmp_path / "a.db")
    words = ("--method", "composed", "--collective", collective.value, "-o", made, *db)
    assert ran(capsys, "schedule", name, *words).code == 0
    for format, suffix in (("msccl", "xml"), ("cpu-xml", "cpu.xml")):
        path = tmp_path / f"a.{suffix}"
        assert ran(capsys, "export", made, "--format", format, "-o", path).code == 0
        ended = ran(capsys, "verify", path)
        ranks = parse_host_fabric(name).accelerators
        assert ended.code == 0
        assert ended.out.startswith("valid: ")
        assert f"{collective.value} of {ranks} ranks" in ended.out


def test_steps_are_written_as_traces_and_for_simgrid(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    made, name = tmp_path / "a.npz", "Host(3;switch+m@90GB/s;1@50GB/s)[K(3,3)]"
    words = ("--method", "composed", "-o", made, "--db", tmp_path / "a.db")
    assert ran(capsys, "schedule", name, *words).code == 0
    asked = ("export", made, "--size", "1MiB", "--alpha", "1us", "-o")
    told = ran(capsys, *asked, tmp_path / "traces", "--format", "chakra")
    assert (told.code, "chakra, allgather on 18 hosts" in told.out) == (0, True)
    flows = ran(capsys, *asked, tmp_path / "flows", "--format", "simgrid")
    assert (flows.code, "simgrid, allgather on 18 hosts" in flows.out) == (0, True)


def test_pieces_that_a_switch_cuts_anew_are_not_lowered() -> None:
    star = Topology.from_arcs(3, [(0, 2), (2, 1), (1, 2), (2, 0)], switches=(2,))
    rows = {"source": [0, 0, 0], "arc": [0, 1, 1], "step": [1, 2, 2]}
    cut = Schedule(**rows, begin=[0, 0, 1], end=[2, 1, 2], denominator=2)
    with pytest.raises(Unsupported, match="a piece leaves a switch otherwise than it came"):
        rows_between_hosts(star, cut, np.zeros(3, dtype=np.bool_))
    early = Schedule(source=[0, 0], arc=[0, 1], step=[1, 1], begin=[0, 0], end=[1, 1])
    with pytest.raises(Unsupported, match="otherwise than it came"):
        rows_between_hosts(star, early, np.zeros(2, dtype=np.bool_))
