"""Answers that cannot be written are told in one line; a closed pipe is no error."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.command import OWN, Ended, ran

FULL = Path("/dev/full")
NO_SPACE = "topofinder: cannot write: no space left on device\n"
CLOSED = "topofinder: cannot write: bad file descriptor\n"

pytestmark = pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full")


def ended(
    *words: object, full: tuple[str, ...] = (), closed: tuple[int, ...] = (), **options: object
) -> Ended:
    """How a command ends whose streams are full or closed."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    environment = os.environ | OWN
    with FULL.open("w") as device:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-m", "topofinder", *map(str, words)],
            **streams | dict.fromkeys(full, device),
            preexec_fn=closing(closed),
            text=True,
            env=environment,
            timeout=120,
            **options,
        )
    return Ended(done.returncode, done.stdout or "", done.stderr or "")


def closing(numbers: tuple[int, ...]) -> Callable[[], None]:
    return lambda: [os.close(number) for number in numbers] and None


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a database and a schedule."""
    place = tmp_path_factory.mktemp("full")
    for words in (["search", "--n", 8, "--d", 2], ["schedule", "K(4)", "-o", "s.json"]):
        assert ended(*words, "--db", "a.db", cwd=place).code == 0
    return place


COMMANDS = (
    "--version",
    "--help",
    "search --n 8 --d 2 --db a.db",
    "search --n 8 --d 2 --db a.db --json",
    "query --db a.db --json",
    "query --db a.db --csv",
    "show K(4) --json",
    "build K(4) -o k.json",
    "schedule K(4) -o t.json --db a.db",
    "verify s.json --json",
    "throughput K(4) --db a.db --json",
    "inventory --schema",
    "merge a.db --into b.db",
    "report --n 8 --d 2 --db a.db",
)


@pytest.mark.parametrize("command", ["--version", "query --db a.db --json", "build K(4) -o k.json"])
def test_a_full_disk_is_one_line(folder: Path, command: str) -> None:
    assert ended(*command.split(), full=("stdout",), cwd=folder) == (2, "", NO_SPACE)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_tells_of_a_full_disk(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    """In this process: how a program ends, whose streams Python closes, is the same for all."""
    monkeypatch.chdir(folder)
    with FULL.open("w", encoding="utf-8") as device, monkeypatch.context() as redirected:
        redirected.setattr(sys, "stdout", device)
        found = ran(capsys, *command.split())
    assert found == (2, "", NO_SPACE)


@pytest.mark.parametrize("command", ["show K(4)", "query --db a.db --json"])
def test_a_closed_output_is_one_line(folder: Path, command: str) -> None:
    assert ended(*command.split(), closed=(1,), cwd=folder) == (2, "", CLOSED)
    assert ended(*command.split(), closed=(1, 2), cwd=folder) == (2, "", "")
    assert ended(*command.split(), closed=(0, 1, 2), cwd=folder) == (2, "", "")


def test_what_prints_no_answer_needs_no_output(folder: Path) -> None:
    words = ("sweep", "--n", "4:6", "--d", 2, "--jobs", 1, "--db")
    told = f"3 sizes searched and stored in {folder / 'c.db'}\n"
    assert ended(*words, folder / "c.db", closed=(0, 1)) == (0, "", told)
    assert ended(*words, folder / "d.db", closed=(0, 1, 2)) == (0, "", "")
    assert ended("query", "--db", folder / "d.db").out.count("\n") > 3  # the database is whole


@pytest.mark.parametrize("streams", [("stderr",), ("stdout", "stderr")])
def test_a_refusal_that_nobody_hears_has_its_code(streams: tuple[str, ...]) -> None:
    assert ended("show", "K(", full=streams).code == 2
    assert ended("search", full=streams).code == 2


def test_an_error_is_told_though_the_output_is_full(folder: Path) -> None:
    found = ended("show", "K(4)", "--alpha", "1us", full=("stdout",), cwd=folder)
    assert found.code == 2
    assert found.err.startswith("topofinder: times need")


@pytest.mark.parametrize("command", ["show K(4)", "query --db a.db --json", "--help"])
def test_a_closed_pipe_is_silent(folder: Path, command: str) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-W", "error", "-m", "topofinder", *command.split()],
            stdout=writing,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | OWN,
            cwd=folder,
            timeout=120,
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("words", [("build", "K(4)", "-o")])
def test_a_device_is_refused_as_a_file(folder: Path, words: tuple[str, ...]) -> None:
    (folder / "full.json").unlink(missing_ok=True)
    (folder / "full.json").symlink_to(FULL)
    line = "topofinder: full.json: is a device or a pipe, not a file\n"
    assert ended(*words, "full.json", cwd=folder) == (2, "", line)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("build K(60) -o large.json", "large.json: cannot be written: file too large"),
        ("search --n 40 --d 4 --db new.db", "database 'new.db': disk I/O error"),
    ],
)
def test_a_file_that_cannot_grow_is_one_line(folder: Path, words: str, line: str) -> None:
    import resource

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    done = subprocess.run(
        [sys.executable, "-m", "topofinder", *words.split()],
        capture_output=True,
        preexec_fn=limit,
        text=True,
        env=os.environ | OWN,
        cwd=folder,
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"topofinder: {line}")
    assert done.stderr.count("\n") == 1
