"""All-to-alls whose blocks differ in length: each format has them right, or refuses in one line."""

import csv
import io
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

import topofinder as tf
from generators.errors import Unsupported
from topofinder.exporters.chakra import trace_nodes
from topofinder.lowering.lower import lower, rank_programs
from topofinder.lowering.place import block_elements, place, placed_count
from topofinder.model.timetable import Timetable

TIMES = {"size": "600kB", "alpha": "1us", "bandwidth": "100Gbps"}
DEMANDS = {
    "some pairs": "0,1,0,0\n0,0,2,1\n1,0,0,0\n3,0,0,0\n",
    "all pairs": "0,1,2,1\n1,0,2,1\n1,3,0,1\n3,1,1,0\n",
}


@pytest.fixture(scope="module", params=list(DEMANDS))
def exchange(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A timetable of 600 kB, its file, and the numbers of its demand."""
    folder = tmp_path_factory.mktemp("exchange")
    text = DEMANDS[request.param]
    (folder / "demand.csv").write_text(text)
    found = tf.schedule(
        "Q(2)", folder / "a.npz", collective="all-to-all", method="timed",
        demand=str(folder / "demand.csv"), **TIMES,
    ).timetable  # fmt: skip
    return found, folder / "a.npz", [[int(x) for x in row.split(",")] for row in text.split()]


def test_a_size_is_that_of_the_rank_that_sends_most(exchange: Any) -> None:
    """As the timetable has it: 600 kB are the largest sum of a row of the demand."""
    timetable, _, demand = exchange
    transfers = lower(timetable)
    unit = 600_000 // max(map(sum, demand))
    lengths = block_elements(transfers, placed_count(transfers, 600_000))
    assert [lengths[at : at + 4] for at in range(0, 16, 4)] == [
        [unit * each for each in row] for row in demand
    ]
    bytes_of = defaultdict(int)
    for origin, target, amount in zip(
        timetable.origin, timetable.target, timetable.amounts, strict=True
    ):
        bytes_of[int(origin), int(target)] += int(amount) * timetable.chunk_bytes
    assert all(lengths[4 * o + t] == each for (o, t), each in bytes_of.items())


def test_simulators_get_the_bytes_of_the_timetable(exchange: Any, tmp_path: Path) -> None:
    timetable, file, _ = exchange
    tf.export(file, tmp_path / "s", format="simgrid", **TIMES)
    rows = csv.DictReader(io.StringIO((tmp_path / "s" / "flows.csv").read_text()))
    assert sum(int(row["bytes"]) for row in rows) == sent_bytes(timetable)
    tf.export(file, tmp_path / "c", format="chakra", **TIMES)
    transfers = lower(timetable)
    count = placed_count(transfers, 600_000)
    nodes = [
        node for program in rank_programs(transfers)
        for node in trace_nodes(place(transfers, program, count), 1)
    ]  # fmt: skip
    assert sum(node.size for node in nodes if node.kind == 5) == sent_bytes(timetable)


def sent_bytes(timetable: Timetable) -> int:
    amounts = timetable.amounts[timetable.chunk]
    found = int(amounts.sum()) * timetable.chunk_bytes
    assert found.denominator == 1
    return int(found)


def test_programs_of_cpus_are_right_on_numbers(exchange: Any, tmp_path: Path) -> None:
    _, file, _ = exchange
    tf.export(file, tmp_path / "a.xml", format="cpu-xml")
    assert tf.verify(tmp_path / "a.xml").valid


@pytest.mark.parametrize(("name", "suffix"), [("msccl", "xml"), ("mscclpp", "json")])
def test_runtimes_of_gpus_know_equal_blocks_alone(
    exchange: Any, name: str, suffix: str, tmp_path: Path
) -> None:
    """They choose a program by its collective and bytes, so that one of several lengths would be
    run for an ordinary call, and leave a part of its output as it was.
    """
    _, file, _ = exchange
    with pytest.raises(Unsupported, match=r"^blocks: the runtime knows blocks of one length") as no:
        tf.export(file, tmp_path / f"a.{suffix}", format=name)
    assert "\n" not in str(no.value)
    assert not list(tmp_path.iterdir())
