"""`export` to MSCCL++, Chakra and SimGrid, and `verify` of plans, on the command line."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import topofinder as tf
from topofinder.cli.app import app, main

TIMES = ["--alpha", "10us", "--size", "1MiB", "--bandwidth", "100Gbps"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("formats")
    tf.schedule("Q(3)", path / "a.npz", collective="allreduce")
    tf.schedule("Q(3)", path / "b.npz", collective="broadcast", root=0)
    tf.schedule("K(4)", path / "k.npz")
    tf.schedule("DGXA100(2)", path / "f.npz", method="forest")
    tf.schedule("FatTree(4,4,2)", path / "t.npz", method="forest")
    tf.export(path / "a.npz", path / "p.json", format="mscclpp")
    tf.verify(path / "f.npz")  # compiles what would be told on stderr
    return path


def run(*line: object) -> str:
    return CliRunner().invoke(app, [*map(str, line)], catch_exceptions=False).output


def refusal(capsys: pytest.CaptureFixture[str], *line: object) -> str:
    with pytest.raises(SystemExit) as ended:
        main([*map(str, line)])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    return said


def test_a_plan_is_verified_from_its_file(folder: Path) -> None:
    told = run("verify", folder / "p.json", "--against", folder / "a.npz")
    assert told == (
        "valid: mscclpp program, allreduce of 8 ranks in 24 chunks, Simple, in place\n"
        "  246 steps, at most 31 in a threadblock, at most 1 threadblocks on a rank\n"
        f"  safe at every size; every link carries what {folder}/a.npz says\n"
    )
    found = json.loads(run("verify", folder / "p.json", "--json"))
    assert (found["valid"], found["dialect"], found["chunks"]) == (True, "mscclpp", 24)


def test_a_fabric_of_switches_is_written_for_simgrid(folder: Path, tmp_path: Path) -> None:
    told = run("export", folder / "f.npz", "--format", "simgrid", "-o", tmp_path / "s",
               "--size", "1MiB", "--alpha", "1us")  # fmt: skip
    assert told.endswith("  bytes 1048576, links 96\n")


def test_a_plan_of_something_else_is_told(folder: Path) -> None:
    told = run("verify", folder / "p.json", "--against", folder / "k.npz")
    assert told == "not valid: it is allreduce of 8 ranks, the other allgather of 4\n"


def test_a_plan_that_lacks_a_put_is_told(folder: Path, tmp_path: Path) -> None:
    plan = json.loads((folder / "p.json").read_text())
    ops = plan["gpus"][0]["threadblocks"][0]["ops"]
    ops.remove(next(op for op in ops if op["name"] == "pws"))
    (tmp_path / "q.json").write_text(json.dumps(plan))
    result = CliRunner().invoke(app, ["verify", str(tmp_path / "q.json")])
    assert result.exit_code == 1
    assert result.output.startswith("not valid: gpu ")
    assert result.output.count("\n") == 1


def test_folders_hold_what_simulators_read(folder: Path, tmp_path: Path) -> None:
    told = run("export", folder / "a.npz", "--format", "chakra", "-o", tmp_path / "c", *TIMES)
    assert told == (
        f"{tmp_path}/c: chakra, allreduce on Q(3): 25.87 KiB in 19 files\n"
        "  bytes 1048576, network complete, of equal links\n"
    )
    told = run("export", folder / "a.npz", "--format", "simgrid", "-o", tmp_path / "s", *TIMES)
    assert told.splitlines()[1] == "  bytes 1048576, links 24"
    assert sorted(path.name for path in (tmp_path / "s").iterdir()) == [
        "flows.csv", "platform.xml", "play.py",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (["a.npz", "--format", "chakra"], "--size is missing"),
        (["a.npz", "--format", "chakra", "--size", "1MiB"], "--alpha is missing"),
        (["a.npz", "--format", "chakra", "--size", "1.1B", *TIMES[:2]], "whole bytes"),
        (["a.npz", "--format", "simgrid", *TIMES[:4]], "--bandwidth"),
        (["b.npz", "--format", "chakra", *TIMES], "not broadcast"),
        (["b.npz", "--format", "mscclpp"], "not broadcast"),
        (["t.npz", "--format", "simgrid", *TIMES], "more than one way"),
        (["a.npz", "--format", "mscclpp", "--channels", "2"], "channels: is not for"),
        (["a.npz", "--format", "mscclpp", "--max-bytes", "x"], "--max-bytes"),
        (["a.npz", "--format", "astra"], "format: 'astra' is none of"),
    ],
)
def test_what_formats_refuse(
    folder: Path, tmp_path: Path, line: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / ("x.json" if "mscclpp" in line else "x")
    assert told in refusal(capsys, "export", folder / line[0], *line[1:], "-o", out)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("extra", "told"),
    [
        (["--dialect", "rccl"], "--dialect is for MSCCL programs"),
        (["--size", "1MiB"], "are not for programs"),
        (["--on", "Q(3)"], "are not for programs"),
        (["--epsilon", "1us"], "are for schedules of rows"),
        (["--against", "nothing.npz"], "nothing.npz"),
    ],
)
def test_options_that_plans_do_not_take(
    folder: Path, extra: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert told in refusal(capsys, "verify", folder / "p.json", *extra)


def test_programs_of_cpus_are_verified_on_numbers(folder: Path, tmp_path: Path) -> None:
    tf.export(folder / "a.npz", tmp_path / "a.xml", format="cpu-xml")
    assert run("verify", tmp_path / "a.xml") == (
        "valid: CPU programs, allreduce of 8 ranks in 24 units, 6 steps, 144 messages; "
        "right on numbers\n"
    )
    text = (tmp_path / "a.xml").read_text().replace("<reduce ", "<copy ", 1)
    (tmp_path / "a.xml").write_text(text)
    result = CliRunner().invoke(app, ["verify", str(tmp_path / "a.xml"), "--json"])
    assert result.exit_code == 1
    assert json.loads(result.output)["valid"] is False
