"""Programs, plans and tables of strangers that would take minutes and gigabytes are refused."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from expansions.schedule import Schedule
from expansions.schedule_files.files import read_schedule, write_schedule
from expansions.schedule_files.saved import SavedSchedule
from generators.errors import InvalidInput
from generators.formats.by_suffix import read_topology
from generators.formats.draft import MOST_DIGITS
from generators.topology import Topology
from tests.command import ran
from tests.memory import measured
from topofinder.model.program_reader import LARGE_PROGRAMS, ProgramLimits, ProgramParser
from topofinder.runtimes.rank_map import read_map
from topofinder.verification.msccl_reader import MOST_BLOCKS, parse_msccl
from topofinder.verification.mscclpp_plans import verify_plan
from topofinder.verification.mscclpp_reader import MAX_PEERS
from topofinder.verification.mscclpp_runs import RunLimits

Capture = pytest.CaptureFixture[str]
MOST = 300_000_000
MEGA = 1 << 20
RANKS = (
    '<cpu-programs version="1" collective="allgather" ranks="2" blocks="2*9" two-way="1">'
    '<rank id="0" node="0">'
)
ALGO = (
    '<algo name="a" proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allgather">'
    '<gpu id="0" i_chunks="1" o_chunks="2" s_chunks="0">'
)


def sends(text: str) -> str:
    return f'{RANKS}<step number="1"><send to="1" lane="0" units="{text}"/>'


@pytest.mark.parametrize(
    ("limits", "text", "told"),
    [
        (ProgramLimits(elements=9), RANKS + '<step number="1"><sync/></step>' * 9, "9 elements"),
        (ProgramLimits(parts=2), sends("0:1 1:2 2:3"), "more than 2 parts; --large"),
        (LARGE_PROGRAMS._replace(parts=2), sends("0:1 1:2 2:3"), "more than 2 parts"),
        (ProgramLimits(tag_bytes=99), RANKS + "<step " + "a" * 99, "a tag of more than 99 bytes"),
        (ProgramLimits(tag_bytes=400), RANKS + " " * 400, "a tag of more than 400 bytes"),
    ],
)
def test_programs_of_cpus_have_limits(limits: ProgramLimits, text: str, told: str) -> None:
    text = text.replace('number="1"', 'number="%d"')
    steps = text.count("%d")
    content = (text % tuple(range(1, steps + 1))).encode()
    with pytest.raises(InvalidInput, match=told):
        ProgramParser(limits).parse(content)


def test_buffers_are_used_in_their_order() -> None:
    received = "".join(
        f'<recv from="1" lane="{lane}" buffer="{lane}" length="1"/>' for lane in range(3)
    )
    used = "".join(f'<copy buffer="{buffer}" units="0:1"/>' for buffer in (0, 2, 1))
    with pytest.raises(InvalidInput, match="buffer 1 after a later one"):
        ProgramParser().parse(f'{RANKS}<step number="1">{received}<sync/>{used}'.encode())


def test_programs_of_msccl_have_limits() -> None:
    block = '<tb id="%d" send="-1" recv="1" chan="0"/>'
    with pytest.raises(InvalidInput, match=f"more than {MOST_BLOCKS} threadblocks"):
        parse_msccl(ALGO + "".join(block % number for number in range(MOST_BLOCKS + 1)))


def plan(**changes: object) -> dict[str, object]:
    """An allgather of two GPUs that does nothing."""
    row = {"input_chunks": 1, "output_chunks": 2, "scratch_chunks": 0, "channels": [],
           "remote_buffers": [], "threadblocks": []} | changes  # fmt: skip
    return {"name": "a", "collective": "allgather", "protocol": "Simple", "inplace": False,
            "gpus": [{"id": rank} | row for rank in range(2)]}  # fmt: skip


def test_execution_plans_have_limits() -> None:
    idle = [{"id": at, "ops": [], "channels": [], "remote_buffer_refs": []} for at in range(2)]
    many = [{"channel_type": "port", "connected_to": [1] * (MAX_PEERS // 2 + 1)}]
    for document, told in (
        (plan(scratch_chunks=8), "22 chunks are too many to check, at most 16"),
        (plan(threadblocks=idle), "4 threadblocks and channels are too many to check"),
        (plan(channels=many), f"channels: more than {MAX_PEERS} in all"),
    ):
        violation = verify_plan(document, limits=RunLimits(clocks=9, chunks=16)).violation
        assert violation == told


def test_maps_of_ranks_have_limits(tmp_path: Path) -> None:
    path = tmp_path / "map.txt"
    path.write_bytes(b"\n \n0\n node\n")
    assert read_map(path) == ["0", "node"]
    path.write_bytes(b"\n" * 300_000)
    with pytest.raises(InvalidInput, match="more than 262144 lines"):
        read_map(path)


def test_more_hosts_than_there_are_is_told_before_anything_is_searched(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran(capsys, "inventory", "BiRing(2,5)", "-o", "i.json", "--current", "w.csv")
    job = {"alpha": "1us", "bandwidth": "1Gbps", "sizes": [["1MB", 1]], "rounds": 1}
    jobs = [{"name": name, "n": n} | job for name, n in (("a", 5), ("b", 1 << 17))]
    (tmp_path / "j.json").write_text(json.dumps({"jobs": jobs}))
    words = ("j.json", "--inventory", "i.json", "--current", "w.csv", "--d", 2)
    ended = ran(capsys, "plan-jobs", *words)
    told = "topofinder: j.json: job 'b': n: at most the 5 hosts of the fabric, not 131072\n"
    assert (ended.code, ended.err) == (2, told)


def test_steps_of_a_readable_schedule_are_limited_too(tmp_path: Path) -> None:
    count = (1 << 16) + 1
    pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    rows = np.zeros(count, dtype=np.int64)
    schedule = Schedule(source=rows, arc=rows, step=rows + np.arange(1, count + 1), begin=rows,
                        end=rows + 1)  # fmt: skip
    write_schedule(SavedSchedule(topology=pair, schedule=schedule), tmp_path / "a.json")
    with pytest.raises(InvalidInput, match="steps: 65537 times 1 different capacities"):
        read_schedule(tmp_path / "a.json")
    assert read_schedule(tmp_path / "a.json", large=True).schedule.steps == count


def test_long_numbers_of_links_are_limited_in_all(tmp_path: Path) -> None:
    count = MOST_DIGITS // 990 + 1
    edges = [{"source": 0, "target": 0, "capacity": f"{n + 1}{'0' * 6}.{'1' * 983}"[:990]}
             for n in range(count)]  # fmt: skip
    document = {"directed": True, "nodes": [{"id": 0}], "edges": edges}
    (tmp_path / "a.json").write_text(json.dumps(document))
    with pytest.raises(InvalidInput, match="capacity: different values of over 4194304 digits"):
        read_topology(tmp_path / "a.json")


def fabric(links: list[dict[str, object]]) -> bytes:
    return json.dumps(
        {"format": "topofinder-fabric", "version": 1, "nodes": ["a", "b"], "links": links}
    ).encode()


def test_equal_links_are_those_added_one_by_one(tmp_path: Path) -> None:
    link = {"from": "a", "to": "b", "bandwidth": "3GB/s", "latency": "1us"}
    slow = {"from": "b", "to": "a", "bandwidth": "1GB/s", "duplex": False}
    (tmp_path / "a.json").write_bytes(fabric([link | {"count": 3}, slow, link | {"count": 1}]))
    (tmp_path / "b.json").write_bytes(fabric([link, link, link, slow, link]))
    one, other = (read_topology(tmp_path / name) for name in ("a.json", "b.json"))
    assert one.tail.tolist() == other.tail.tolist() == [0, 1, 0, 1, 0, 1, 1, 0, 1]
    assert one.head.tolist() == other.head.tolist()
    assert list(one.capacity or ()) == list(other.capacity or ())
    assert list(one.latency or ()) == list(other.latency or ())
    null = [link, {"from": "a", "to": "b", "bandwidth": "3GB/s", "latency": ""}]
    (tmp_path / "a.json").write_bytes(fabric(null))
    with pytest.raises(InvalidInput, match=r"links\[1\] .*latency: with a unit everywhere"):
        read_topology(tmp_path / "a.json")


def short_demand() -> bytes:
    """The header says 8100 x 8100 numbers; some are missing."""
    import io
    import zipfile

    content = io.BytesIO()
    with (
        zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("demand.npy", "w") as member,
    ):
        layout = {"descr": "<f8", "fortran_order": False, "shape": (8100, 8100)}
        np.lib.format.write_array_header_1_0(member, layout)
        ones = np.ones(MEGA // 8).tobytes()
        for _ in range(499):
            member.write(ones)
    return content.getvalue()


TIMED = (
    *("schedule", "--method", "timed", "--alpha", "1us", "--size", "1MB", "--bandwidth", "1Gbps"),
    *("--output", "a.npz", "--db", "a.db"),
)


def unequal_links() -> bytes:
    """A million and a half arcs whose capacities and latencies have no common measure."""
    line = b"%d %d %d %d\n"
    arcs = ((i % 200_000, (7 * i + 1) % 200_000, i % 32_000 + 1) for i in range(3 << 19))
    return b"#: nodes 262144\n" + b"".join(line % (u, v, value, value) for u, v, value in arcs)


def chunks() -> bytes:
    """Memory of 18 million chunks, in 20 kB."""
    document = plan(input_chunks=1 << 20, output_chunks=1 << 20, scratch_chunks=1 << 20)
    document["collective"] = "allreduce"
    gpus = [{**document["gpus"][0], "id": rank} for rank in range(6)]  # type: ignore[index]
    return json.dumps(document | {"gpus": gpus}).encode()


@pytest.mark.parametrize(
    ("words", "name", "content", "code", "told"),
    [
        (("throughput", "Torus(90,90)", "--demand"), "a.npz", short_demand, 2, "not exactly"),
        (("verify",), "a.json", chunks, 1, "18874368 chunks are too many to check"),
        (("verify",), "a.xml", lambda: b"<algo" + b" " * (200 * MEGA), 2, "larger than 33554432"),
        (TIMED, "a.edges", unequal_links, 2, "no common measure is coarse enough"),
    ],
    ids=["demand", "chunks", "blanks", "links"],
)
def test_hostile_files_take_little_memory(
    words: tuple[str, ...],
    name: str,
    content: Callable[[], bytes],
    code: int,
    told: str,
    tmp_path: Path,
) -> None:
    (tmp_path / name).write_bytes(content())
    ended = measured(*words, name, folder=tmp_path)
    assert ended.code == code
    assert told in ended.out + ended.err
    assert ended.memory < MOST
