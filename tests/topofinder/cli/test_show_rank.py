"""`show FILE --rank R`: all ranks together, run by hand, do what the collective says."""

import json
from itertools import groupby
from pathlib import Path

import pytest

import topofinder
from tests.command import ran
from topofinder.api.show_rank import RankAnswer

SWAP = """\
rank 1 of 3 sends 400 bytes and receives 400 in 2 steps; the data are 300 B
step  does     rank  from   to   length
                     bytes
----  -------  ----  -----  ---  ------
   1  send        0      0  100     100
   1  send        2    200  300     100
   1  add         0    100  200     100
   1  add         2    100  200     100
   2  send        0    100  200     100
   2  send        2    100  200     100
   2  receive     0      0  100     100
   2  receive     2    200  300     100
"""


def made(folder: Path, recipe: str, collective: str, **options: object) -> str:
    file = folder / "a.npz"
    topofinder.schedule(recipe, file, collective=collective, **options)  # type: ignore[arg-type]
    return str(file)


def answers(file: str, ranks: int, size: str, chunks: int = 1) -> list[RankAnswer]:
    found = [topofinder.show(file, rank=rank, size=size, chunks=chunks) for rank in range(ranks)]
    return [answer for answer in found if isinstance(answer, RankAnswer)]


def carry_out(programs: list[RankAnswer], memories: list[list[int]]) -> None:
    """Carry out what the parts say, step after step, on one number a byte."""
    rows = sorted(
        (part.chunk, part.step, answer.record.rank, number, part)
        for answer in programs
        for number, part in enumerate(answer.record.rows)
    )
    for _, group in groupby(rows, key=lambda row: row[:2]):
        step = list(group)
        on_the_way: dict[tuple[int, int, int], list[int]] = {}
        for _, _, rank, _, part in step:
            if part.action == "send":
                sent = memories[rank][part.begin : part.end]
                on_the_way.setdefault((rank, part.peer, part.lane), []).extend(sent)
        for _, _, rank, _, part in step:
            if part.action == "send":
                continue
            waiting = on_the_way[part.peer, rank, part.lane]
            for place in range(part.begin, part.end):
                held = memories[rank][place] if part.action == "add" else 0
                memories[rank][place] = held + waiting.pop(0)
        assert not any(on_the_way.values())


@pytest.mark.parametrize(
    ("recipe", "ranks", "size", "chunks", "options"),
    [
        ("BiRing(2,3)", 3, 300, 1, {}),
        ("BiRing(2,5)", 5, 97, 3, {}),
        ("C(8,{1,3})", 8, 30, 2, {"method": "forest"}),
        ("Q(3)", 8, 5, 7, {}),
        ("C(6,{1,2})", 6, 1, 1, {}),
    ],
)
def test_all_ranks_together_reduce_every_byte(
    tmp_path: Path, recipe: str, ranks: int, size: int, chunks: int, options: dict[str, str]
) -> None:
    file = made(tmp_path, recipe, "allreduce", **options)
    programs = answers(file, ranks, f"{size}B", chunks)
    memories = [[1000**rank + place for place in range(size)] for rank in range(ranks)]
    wanted = [sum(column) for column in zip(*memories, strict=True)]
    carry_out(programs, memories)
    assert memories == [wanted] * ranks
    for answer in programs:
        assert answer.record.total("send") == sum(
            row.end - row.begin
            for other in programs
            for row in other.record.rows
            if row.peer == answer.record.rank and row.action != "send"
        )


def test_an_exchange_copies_its_own_block_and_passes_on_behind_the_result(tmp_path: Path) -> None:
    times = {"alpha": "10us", "bandwidth": "100Gbps", "size": "1MiB"}
    file = made(tmp_path, "BiRing(2,5)", "all-to-all", method="timed", **times)
    programs = answers(file, 5, "50B")
    memories = [[0] * answer.record.memory for answer in programs]
    for rank, memory in enumerate(memories):
        memory[:50] = [100 * rank + place for place in range(50)]
        for begin, to, length in programs[rank].record.copies:
            memory[to : to + length] = memory[begin : begin + length]
    carry_out(programs, memories)
    for rank, memory in enumerate(memories):
        wanted = [100 * other + 10 * rank + place for other in range(5) for place in range(10)]
        assert memory[programs[rank].record.result :][:50] == wanted


def test_lines_and_fields(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = made(tmp_path, "BiRing(2,3)", "allreduce")
    ended = ran(capsys, "show", file, "--rank", 1, "--size", "300B")
    assert (ended.code, ended.out) == (0, f"{file}: allreduce on BiRing(2,3)\n{SWAP}")
    told = json.loads(ran(capsys, "show", file, "--rank", 1, "--json").out)
    assert (told["size"], told["data"], told["sent"], told["received"]) == (None, 3, 4, 4)
    part = {"chunk": 0, "step": 1, "action": "send", "peer": 0, "lane": 0, "begin": 0, "end": 1}
    assert told["parts"][0] == part


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--rank", 3), "rank: 0 to 2, not 3"),
        (("--rank", -1), "rank: 0 to 2, not -1"),
        (("--rank", 0, "--size", "2.5B"), "--size: 1 to 2^48 whole bytes, not '2.5B'"),
        (("--rank", 0, "--chunks", 2), "--chunks needs a --size that is cut into them"),
        (("--rank", 0, "--size", "1MiB", "--chunks", 0), "chunks: 1 to 65536, not 0"),
        (("--chunks", 2), "--chunks is for --rank"),
        (
            ("--rank", 0, "--alpha", "1us"),
            "--rank goes together with --size, --chunks, --large and --json alone",
        ),
    ],
)
def test_refusals(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, options: tuple[object, ...], words: str
) -> None:
    ended = ran(capsys, "show", made(tmp_path, "BiRing(2,3)", "allreduce"), *options)
    assert (ended.code, ended.out, ended.err) == (2, "", f"topofinder: {words}\n")


def test_recipes_have_no_ranks(capsys: pytest.CaptureFixture[str]) -> None:
    ended = ran(capsys, "show", "K(3)", "--rank", 0)
    assert ended.err == "topofinder: --rank is for a file made by schedule, not 'K(3)'\n"
