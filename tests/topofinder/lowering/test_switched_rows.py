"""Rows through one switch after the other: as messages of hosts they give the right sums."""

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from expansions.collective import Collective
from expansions.schedule import Schedule
from generators.topology import Topology
from tests.command import ran
from tests.fabrics import random_fabric
from topofinder.api.schedule_methods import ScheduleRequest, make_schedule
from topofinder.api.shared.forest_times import Transfer
from topofinder.lowering.lower import lower
from topofinder.lowering.lower_schedule import expand_rows
from topofinder.lowering.switched_rows import rows_between_hosts
from topofinder.runtimes.in_process import run_in_process

SIZE, RATE = Fraction(2**20), Fraction(10**9)


def drawn(seed: int) -> Topology:
    """A fabric of unequal links; some switches multicast, some combine sums."""
    graph, random = random_fabric(seed), np.random.default_rng([seed, 1])
    able = [tuple(w for w in sorted(graph.switches) if random.random() < 0.4) for _ in range(2)]
    return replace(graph, multicast=able[0], reduce=able[1])


@pytest.mark.parametrize("collective", ["allgather", "reduce-scatter", "allreduce"])
def test_messages_of_random_fabrics_give_the_right_sums(collective: str) -> None:
    chained = 0
    for seed in range(25):
        graph = drawn(seed)
        made = make_schedule(
            ScheduleRequest(
                subject=graph,
                collective=Collective(collective),
                method="bfb",
                chunks=1 + seed % 3,
                transfer=Transfer(size=SIZE, alpha=Fraction(1, 10**6), bandwidth=RATE),
            )
        )
        transfers, random = lower(made.saved), np.random.default_rng(seed)
        vectors = [random.integers(0, 99, transfers.units) for _ in range(transfers.ranks)]
        done = run_in_process(transfers, vectors)
        first, total = transfers.first.tolist(), sum(vectors)
        for rank, got in enumerate(done):
            own = slice(first[rank], first[rank + 1])
            if collective == "allgather":
                total[own] = vectors[rank][own]
            if collective == "reduce-scatter":
                assert got[own].tolist() == total[own].tolist()
        if collective != "reduce-scatter":
            assert all(got.tolist() == total.tolist() for got in done)
        ways = rows_between_hosts(graph, *expand_rows(made.saved)).via
        chained += ways.shape[1] > 1
    assert chained > 5


def test_switches_are_told_in_the_order_of_the_way() -> None:
    line = Topology.from_arcs(4, [(0, 2), (2, 3), (3, 1), (1, 3), (3, 2), (2, 0)], switches=(2, 3))
    forth = {"source": [0, 0, 0], "arc": [0, 1, 2], "step": [1, 2, 3]}
    rows = Schedule(**forth, begin=[0] * 3, end=[1] * 3)
    for sums, kept in ((False, 2), (True, 0)):
        found = rows_between_hosts(line, rows, np.full(3, sums))
        assert (found.row.tolist(), found.via.tolist()) == ([kept], [[2, 3]])
        assert (found.tail.tolist(), found.head.tolist()) == ([0], [1])


def test_chains_of_switches_are_exported(tmp_path: Path, capsys) -> None:
    made, db = tmp_path / "a.npz", ("--db", tmp_path / "a.db")
    asked = ("DGXA100(2)", "--method", "bfb", "--size", "1MiB", "--alpha", "10us", "--chunks", "1")
    words = ("--collective", "allreduce", "-o", made, *db)
    assert ran(capsys, "schedule", *asked, *words).code == 0
    for format, suffix in (("msccl", "xml"), ("cpu-xml", "cpu.xml")):
        path = tmp_path / f"a.{suffix}"
        assert ran(capsys, "export", made, "--format", format, "-o", path).code == 0
        assert "allreduce of 16 ranks" in ran(capsys, "verify", path).out
    flows = ("--format", "simgrid", "--size", "1MiB", "--alpha", "10us", "-o", tmp_path / "flows")
    assert "simgrid, allreduce on 16 hosts" in ran(capsys, "export", made, *flows).out
