"""Collectives on tensors by schedule files, among real ranks of gloo that are forked."""

import os
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from expansions.collective import Collective
from generators.errors import InvalidInput
from tests.torch_ranks import HAS_TORCH, REASON, ROOT, run_ranks, write_schedules
from topofinder.lowering.lower import rank_programs
from topofinder.runtimes.executable import read_executable
from topofinder.runtimes.torch_agreement import find_disagreement, read_together
from topofinder.runtimes.torch_files import ScheduleFiles, use

needs_torch = pytest.mark.skipif(not HAS_TORCH, reason=REASON)
COLLECTIVES = ("allreduce", "allgather", "reduce-scatter", "broadcast", "reduce", "all-to-all")
Files = dict[str, str]


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> Files:
    """Files of all collectives for four ranks; `pairs` is an all-to-all of a few pairs."""
    folder = tmp_path_factory.mktemp("four")
    found = write_schedules(folder, "Q(2)", *COLLECTIVES)
    (folder / "pairs").mkdir()
    (folder / "pairs.csv").write_text("0,1,0,0\n0,0,2,1\n1,0,0,0\n3,0,0,0\n")
    demand = {"demand": str(folder / "pairs.csv")}
    pairs = write_schedules(folder / "pairs", "Q(2)", "all-to-all", **demand)
    return {**found, "pairs": pairs["all-to-all"]}


@pytest.fixture(scope="module")
def eight(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_schedules(tmp_path_factory.mktemp("eight"), "Q(3)", "allreduce")["allreduce"]


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_schedules(tmp_path_factory.mktemp("two"), "K(2)", "allreduce")["allreduce"]


def variables(files: Files) -> dict[str, str]:
    """The environment that names the backend's files."""
    names = ("allreduce", "allgather", "reduce-scatter", "all-to-all")
    return {f"TOPOFINDER_{n.upper().replace('-', '_')}": files[n] for n in names}


@needs_torch
def test_all_collectives_counts_and_operations_are_exact(four: Files) -> None:
    """From no element to 1 MiB, with counts that are prime, one below the ranks, not divisible."""
    files = {name: four[name] for name in COLLECTIVES}
    ops = ["sum", "prod", "max", "min"]
    assert run_ranks("run_all", 4, files, [1, 101], ["int64"], ops) == [[]] * 4
    assert run_ranks("run_all", 4, files, [0, 3, 7], ["float32"], ["sum"]) == [[]] * 4
    large = {name: four[name] for name in ("allreduce", "allgather", "reduce-scatter")}
    assert run_ranks("run_all", 4, large, [262144], ["float32"], ["sum"]) == [[]] * 4


@needs_torch
def test_real_numbers_end_with_the_same_bits_on_all_ranks(eight: str) -> None:
    first = run_ranks("hash_bits", 8, eight, 4099)
    assert len(first[0]) == 4 * 4099
    assert len(set(first)) == 1


@needs_torch
def test_types_shapes_averages_and_what_is_refused(four: Files) -> None:
    first, *others = run_ranks("run_other_types", 4, four["allreduce"])
    assert others == [first] * 3
    assert [first[f"torch.{kind}"] for kind in
            ("bfloat16", "float16", "complex64", "float64", "int32")] == [True] * 5  # fmt: skip
    assert first["any"] == [True, False, True]
    assert (first["mean"], first["integer mean"]) == (1.5, -1)
    assert (first["parameter"], first["inference"]) == (4.0, [4.0] * 9)
    assert first["op"] == "InvalidInput: op: 'mean' is none of sum, prod, max, min, avg"
    assert first["complex max"] == "InvalidInput: dtype: torch.complex64 has no max"
    assert first["bool avg"] == "InvalidInput: dtype: torch.bool has no avg"
    assert first["strided"] == first["sparse"]
    assert first["strided"] == "InvalidInput: tensor: its elements must be contiguous in memory"
    assert first["list"] == "InvalidInput: tensor: a torch.Tensor is needed, not [1.0]"


@needs_torch
def test_exchanges_between_tensors_and_of_uneven_blocks(four: Files) -> None:
    for found in run_ranks("exchange", 4, four["all-to-all"], four["pairs"]):
        assert found["output"]
        assert found["async"]
        assert found["length"].endswith("tensor: 5 elements are not 4 blocks of one length")
        assert found["type"].endswith("output: must be of the tensor's type and device")
        assert found["uneven"] == 0
        assert found["no count"].startswith("InvalidInput: count: is needed")


@needs_torch
def test_asynchronous_works_are_run_in_order(four: Files) -> None:
    for found in run_ranks("begin_many", 4, four["allreduce"]):
        assert found == {
            "right": True, "over": True, "waited": True, "last": [4.0] * 5, "own": [4.0] * 3,
            "future": [5.0] * 4, "result": True,
        }  # fmt: skip


@needs_torch
def test_training_by_the_hook_equals_stock_ddp(four: Files) -> None:
    require_equal_training(run_ranks("train_by_hook", 4, four["allreduce"]))


@needs_torch
def test_training_by_the_backend_equals_stock_ddp(four: Files) -> None:
    found = run_ranks("train_by_backend", 4, backend="topofinder", environment=variables(four))
    require_equal_training(found)
    assert {each["backend"] for each in found} == {"topofinder"}


@needs_torch
def test_fully_sharded_training_equals_stock_ddp(four: Files) -> None:
    found = run_ranks("shard_fully", 4, backend="topofinder", environment=variables(four))
    for kind in ("sharded", "former"):
        require_equal_training([each[kind] for each in found])


def require_equal_training(found: list[dict[str, Any]]) -> None:
    """Weights near those of stock DDP, and of the same bits on all ranks."""
    assert all(each["apart"] < 1e-5 for each in found)
    assert len({each["bits"] for each in found}) == 1


@needs_torch
def test_the_backend_does_all_that_gloo_does(four: Files) -> None:
    for rank, found in enumerate(
        run_ranks("call_backend", 4, backend="topofinder", environment=variables(four))
    ):
        assert found.pop("mean") == 1.5
        assert found.pop("broadcast") == [1.0, 1.0]
        assert len(found) == (11 if rank < 2 else 10)
        assert all(value is True for value in found.values()), found


@needs_torch
def test_groups_of_several_sizes(four: Files, two: str) -> None:
    named = variables(four)
    named["TOPOFINDER_ALLREDUCE"] += os.pathsep + two
    found = run_ranks("split_groups", 4, two, backend="topofinder", environment=named)
    assert [each["pair"] for each in found] == [1.0, 1.0, 5.0, 5.0]
    assert [each["callable"] for each in found] == [1.0, 1.0, 5.0, 5.0]
    assert [each.get("three") for each in found] == [3.0, 3.0, 3.0, None]
    assert {each["foreign"] for each in found} == {
        "InvalidInput: group: this rank is no member of it"
    }
    left = "allgather, reduce-scatter, all-to-all: no file for"
    end = "ranks, so groups of that size use gloo or NCCL"
    assert found[0]["said"].splitlines() == [
        f"topofinder: {left} 2 {end}",
        f"topofinder: allreduce, {left} 3 {end}",
    ]
    assert [each["said"] for each in found[1:]] == [""] * 3


@needs_torch
def test_wrong_files_are_refused_on_all_ranks(four: Files, two: str, tmp_path: Path) -> None:
    different = tmp_path / "{rank}.npz"
    for rank in range(4):
        other = rank == 2
        text = (
            write_schedules(tmp_path, "K(4)", "allreduce")["allreduce"]
            if other
            else four["allreduce"]
        )
        (tmp_path / f"{rank}.npz").write_bytes(Path(text).read_bytes())
    (tmp_path / "missing-0.npz").write_bytes(Path(four["allreduce"]).read_bytes())
    files = [two, four["allgather"], str(different), str(tmp_path / "missing-{rank}.npz")]
    first, *others = run_ranks("read_wrong", 4, files)
    assert others == [first] * 3
    assert first[0].endswith("is for 2 hosts, but the group has 4 ranks")
    assert first[1].endswith("is for allgather, not for allreduce")
    assert first[2].startswith("InvalidInput: rank 2: runs a file with content ")
    assert first[3].startswith("InvalidInput: rank 1: ")
    assert "missing-1.npz" in first[3]


@needs_torch
def test_the_backend_refuses_wrong_files_on_all_ranks(four: Files, two: str, eight: str) -> None:
    def start(**named: str) -> str:
        (line,) = set(run_ranks("name_backend", 2, backend="topofinder", environment=named))
        return str(line)

    kind = "InvalidInput: backend topofinder: "
    assert (
        start() == f"{kind}no file; topofinder.torch.use, or TOPOFINDER_ALLREDUCE and its "
        "like, names them"
    )
    both = os.pathsep.join([four["allreduce"], eight])
    assert start(TOPOFINDER_ALLREDUCE=both) == f"{kind}files are for 4, 8 hosts, not 2 ranks"
    assert "is a second file of 2 hosts" in start(TOPOFINDER_ALLREDUCE=os.pathsep.join([two, two]))
    assert start(TOPOFINDER_ALLREDUCE=two) == "topofinder"


@needs_torch
def test_tensors_that_differ_are_told_on_all_ranks(four: Files) -> None:
    """One line, the same on all ranks; nothing is changed, and later calls are right."""
    first, *others = run_ranks("bring_other_tensors", 4, four)
    assert others == [first] * 3
    runs = "CallsDiffer: rank 2: runs allreduce"
    other = "but rank 0 runs allreduce (sum) of 5 torch.float32 by file"
    assert [re.sub(r" [0-9a-f]{8}\b", "", line) for line in first[:4]] == [
        f"{runs} (sum) of 7 torch.float32 by file, {other}",
        f"{runs} (sum) of 7 torch.float32 by file, {other}",
        f"{runs} (sum) of 5 torch.int32 by file, {other}",
        f"{runs} (max) of 5 torch.float32 by file, {other}",
    ]
    assert first[4:6] == [
        "CallsDiffer: rank 2: tensor: its elements must be contiguous in memory",
        "CallsDiffer: rank 2: tensor: a torch.Tensor is needed, not [1.0]",
    ]
    assert first[6].startswith(f"{runs} (sum) of 8 torch.float32 by")
    assert ", but rank 0 runs reduce-scatter (sum) of 8" in first[6]
    assert first[7] == "CallsDiffer: rank 2: tensor: 9 elements are not 4 blocks of one length"


@needs_torch
def test_the_backend_tells_tensors_that_differ(four: Files) -> None:
    environment = variables(four)
    first, *others = run_ranks(
        "bring_other_lengths", 4, backend="topofinder", environment=environment
    )
    assert others == [first] * 3
    assert all(line.startswith("CallsDiffer: rank 2: runs ") for line in first[:4])
    gives = "rank 0 gives rank 2 2 elements of 4 bytes, but 3 of 4 bytes are waited for"
    assert first[4] == f"CallsDiffer: {gives}"


@needs_torch
def test_ranks_are_mapped_by_file_and_by_host_names(four: Files, tmp_path: Path) -> None:
    """Rank r plays another host; blocks lie by rank, and the root moves along."""
    graph = "".join(f"leaf{a} leaf{b}\n" for a in range(4) for b in range(4) if a != b)
    (tmp_path / "named.edges").write_text(graph)
    named = write_schedules(tmp_path, str(tmp_path / "named.edges"), "broadcast")["broadcast"]
    (tmp_path / "map.txt").write_text("2\n3\n1\n0\n")
    (tmp_path / "short.txt").write_text("2\n3\n1\n")
    for rank in range(4):
        (tmp_path / f"{rank}.txt").write_text("2\n3\n0\n1\n" if rank == 1 else "2\n3\n1\n0\n")
    files = {name: four[name] for name in COLLECTIVES}
    first, *others = run_ranks("map_ranks", 4, files, named, str(tmp_path))
    assert others == [first] * 3
    assert first[:3] == [[], 0, [0] * 5]
    assert first[3] == "InvalidInput: rank_map and by_name exclude each other"
    assert first[4] == "InvalidInput: by-name: the nodes of the file have no names"
    assert first[5].endswith("short.txt: 3 lines for 4 ranks")
    assert first[6].startswith("InvalidInput: rank 1: runs a file with content ")
    assert first[7] == "InvalidInput: by-name: two ranks are on 'leaf0'"


@needs_torch
def test_the_backend_maps_ranks(four: Files, tmp_path: Path) -> None:
    (tmp_path / "map.txt").write_text("2\n3\n1\n0\n")
    mapped = variables(four) | {"TOPOFINDER_RANK_MAP": str(tmp_path / "map.txt")}
    found = run_ranks("call_backend", 4, backend="topofinder", environment=mapped)
    for each in found:
        assert (each.pop("mean"), each.pop("broadcast")) == (1.5, [1.0, 1.0])
        assert all(value is True for value in each.values()), each
    named = variables(four) | {"TOPOFINDER_BY_NAME": "1"}
    refused = set(run_ranks("name_backend", 4, backend="topofinder", environment=named))
    assert refused == {"InvalidInput: by-name: the nodes of the file have no names"}


@needs_torch
def test_functional_collectives_and_nothing_is_left_to_torch(four: Files) -> None:
    """A method that only C++ has is run under Python's lock, for which a thread of gloo may wait
    that holds what the method waits for: a hang for good.
    """
    named = variables(four)
    found = run_ranks("call_functional", 4, backend="topofinder", environment=named)
    assert [each[0] for each in found] == [[6.0] * 4] * 4
    assert [each[1] for each in found] == [[float(r) for r in range(4) for _ in range(4)]] * 4
    assert [each[2:4] for each in found] == [[[4.0, 4.0], [1.0] * 4]] * 4
    assert [each[4] for each in found] == [[0.0, 1.0, 2.0, 3.0]] * 4
    left = run_ranks("methods_left_to_torch", 2, backend="topofinder", environment=named | {
        "TOPOFINDER_ALLREDUCE": write_pair(Path(four["allreduce"]).parent)})  # fmt: skip
    assert left == [[], []]


def write_pair(folder: Path) -> str:
    (folder / "pair").mkdir(exist_ok=True)
    return write_schedules(folder / "pair", "K(2)", "allreduce")["allreduce"]


@needs_torch
def test_ranks_are_told_when_another_ends(four: Files) -> None:
    found = run_ranks("lose_rank", 4, four["allreduce"])
    assert found.pop(1) == "ended"
    for first, later in found:
        assert first.startswith("RuntimeError: ")
        assert later.startswith("RuntimeError: an earlier collective of the group failed: ")


@needs_torch
def test_the_examples_of_the_documentation_run(four: Files) -> None:
    page = (ROOT / "docs" / "torch.md").read_text(encoding="utf-8")
    programs = re.findall(r"^```python\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    assert len(programs) == 3
    folder = str(Path(four["allreduce"]).parent)
    for program in programs:
        assert run_ranks("run_example", 4, program, folder, backend=None) == ["done"] * 4


def test_a_file_that_does_not_verify_is_refused(four: Files) -> None:
    """Rank 0 alone verifies: the others read the same content."""
    files = ScheduleFiles(names={Collective.ALLREDUCE: (Path(four["allgather"]),)}, verified=True)
    with pytest.raises(InvalidInput, match="is for allgather, not for allreduce"):
        files.read(rank=1)
    told: list[str] = []

    def fail() -> str:
        raise InvalidInput("a.npz: not valid: row 3\nand more")

    with pytest.raises(InvalidInput, match=r"^rank 0: a.npz: not valid: row 3$"):
        read_together(fail, str, lambda own: told.append(own) or [own, "+a file"])
    assert find_disagreement(["-a.npz: gone"] * 3) == "a.npz: gone"


def test_blocks_of_several_lengths_are_for_callables_alone(four: Files) -> None:
    files = ScheduleFiles(names={Collective.ALLTOALL: (Path(four["pairs"]),)}, verified=True)
    with pytest.raises(InvalidInput, match="the backend needs blocks of one length"):
        files.read(rank=1)


def test_messages_match_without_tags(tmp_path: Path) -> None:
    """NCCL has none: what one rank posts for another, in order, is what that one waits for."""
    for recipe in ("Diamond*2", "Pi(4,16)", "Torus(2,2)"):
        file = write_schedules(tmp_path, recipe, "allreduce")["allreduce"]
        sent, received = defaultdict(list), defaultdict(list)
        for program in rank_programs(read_executable(file).transfers):
            for step in program.steps:
                for message in step.sends:
                    units = [(part.begin, part.end) for part in message.parts]
                    sent[step.number, program.rank, message.peer].append(merged(units))
                for message in step.receives:
                    units = [(part.begin, part.end) for part in message.parts]
                    received[step.number, message.peer, program.rank].append(merged(units))
        assert sent == received


def merged(intervals: list[tuple[int, int]]) -> list[int]:
    """The units of intervals, one by one."""
    return [unit for begin, end in intervals for unit in range(begin, end)]


def test_without_torch_one_clear_line(tmp_path: Path) -> None:
    """The library is hidden; what is offered can be imported, and says what is missing."""
    program = """
import sys
sys.modules["torch"] = None
import topofinder.torch
try:
    topofinder.torch.Allreduce("a.npz")
except ImportError as error:
    print(error)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout == "topofinder.torch: needs PyTorch; pip install torch, for this machine\n"


def test_files_are_named_by_a_function() -> None:
    use(allreduce=["a.npz", Path("b.npz")], reduce_scatter="c.npz")
    use()
