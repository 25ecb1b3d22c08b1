"""Files are read within their bound and written whole, also by a writer that is killed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from generators.errors import InvalidInput
from generators.excerpts import bound_message
from generators.files import read_bounded, write_whole

pytestmark = pytest.mark.skipif(os.name != "posix", reason="permissions and signals of POSIX")


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_text_and_bytes_come_back(tmp_path: Path) -> None:
    path = tmp_path / "ring.edges"
    for content, stored in (("0 1\r\né", b"0 1\r\n\xc3\xa9"), (b"\x00\xff", b"\x00\xff")):
        write_whole(path, content)
        assert path.read_bytes() == read_bounded(path) == stored
    assert _names(tmp_path) == ["ring.edges"]


def test_permissions_are_kept_and_links_followed(tmp_path: Path) -> None:
    path, link = tmp_path / "ring.edges", tmp_path / "link.edges"
    write_whole(path, "old")
    (tmp_path / "plain").touch()
    assert path.stat().st_mode == (tmp_path / "plain").stat().st_mode
    path.chmod(0o640)
    link.symlink_to(path)
    write_whole(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o640


def test_writing_refuses(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    missing = tmp_path / "no" / "ring.edges"
    long = tmp_path / ("x" * 300)
    for path, complaint in (
        (tmp_path, "is a folder, not a file"),
        (tmp_path / "pipe", "is a device or a pipe, not a file"),
        (missing, f"there is no folder {missing.parent}"),
        (long, "cannot be written: file name too long"),
        (Path("a\0b"), "cannot be written: embedded null byte"),
    ):
        with pytest.raises(InvalidInput) as refusal:
            write_whole(path, "content")
        assert str(refusal.value) == bound_message(f"{path}: {complaint}")
    with pytest.raises(InvalidInput, match="surrogates not allowed"):
        write_whole(tmp_path / "ring.edges", "\ud800")
    assert _names(tmp_path) == ["pipe"]


def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ring.edges"
    write_whole(path, "old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(InvalidInput) as refusal:
        write_whole(path, "new")
    assert str(refusal.value) == f"{path}: cannot be written: no space left on device"
    assert path.read_text() == "old"
    assert _names(tmp_path) == ["ring.edges"]


def test_reading_refuses(tmp_path: Path) -> None:
    path = tmp_path / "ring.edges"
    with pytest.raises(InvalidInput) as refusal:
        read_bounded(path)
    assert str(refusal.value) == f"{path}: cannot be read: no such file or directory"
    with pytest.raises(InvalidInput) as refusal:
        read_bounded(tmp_path)
    assert str(refusal.value) == f"{tmp_path}: cannot be read: is a directory"
    path.write_bytes(b"12345")
    assert read_bounded(path, 5) == b"12345"
    with pytest.raises(InvalidInput) as refusal:
        read_bounded(path, 4)
    assert str(refusal.value) == f"{path}: larger than 4 bytes"


@pytest.mark.skipif(not Path("/dev/fd").exists(), reason="needs pipes that a shell can name")
def test_a_pipe_is_read_no_further_than_the_bound() -> None:
    for count in (1000, 1001):
        out, into = os.pipe()
        os.write(into, b"x" * count)
        os.close(into)
        with os.fdopen(out):
            if count == 1000:
                assert read_bounded(f"/dev/fd/{out}", 1000) == b"x" * 1000
            else:
                with pytest.raises(InvalidInput, match=f"/dev/fd/{out}: larger than 1000 bytes"):
                    read_bounded(f"/dev/fd/{out}", 1000)


def test_nothing_is_waited_for(tmp_path: Path) -> None:
    pipe, link, sparse = tmp_path / "pipe.json", tmp_path / "link.json", tmp_path / "sparse.json"
    os.mkfifo(pipe)
    link.symlink_to(pipe)
    with sparse.open("wb") as file:
        file.truncate(1 << 40)
    for path in (pipe, link, Path("/dev/zero")):
        with pytest.raises(InvalidInput) as refusal:
            read_bounded(path)
        assert str(refusal.value) == f"{path}: is a device or a named pipe, not a file"
    with pytest.raises(InvalidInput, match="larger than"):
        read_bounded(sparse)


KILLED = """
import os, pathlib, signal, sys
import generators.files
def die(*known): os.kill(os.getpid(), signal.SIGKILL)
{fatal} = die
generators.files.write_whole(sys.argv[1], "new" * 100_000)
"""


@pytest.mark.parametrize(
    ("fatal", "left"),
    [
        ("os.fsync", "old"),  # written, not yet flushed
        ("pathlib.Path.replace", "old"),  # flushed, not yet renamed
        ("generators.files._flush_folder", "new" * 100_000),  # renamed
    ],
    ids=["written", "flushed", "renamed"],
)
def test_killed_at_the_worst_moment_the_file_is_whole(
    tmp_path: Path, fatal: str, left: str
) -> None:
    path = tmp_path / "ring.edges"
    path.write_text("old")
    program = KILLED.format(fatal=fatal)
    ended = subprocess.run([sys.executable, "-c", program, path], cwd=_root(), check=False)
    assert ended.returncode == -signal.SIGKILL
    assert path.read_text() == left


REWRITES = """
import sys
from generators.files import write_whole
from generators.excerpts import bound_message
print("begun", flush=True)
while True:
    for letter in "ab":
        write_whole(sys.argv[1], letter * 1_000_000)
"""


def test_killed_at_any_moment_the_file_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "ring.edges"
    path.write_text("a" * 1_000_000)
    for pause in (0.013, 0.037, 0.071):
        command = [sys.executable, "-c", REWRITES, str(path)]
        with subprocess.Popen(command, cwd=_root(), stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            time.sleep(pause)
            writer.kill()
        assert path.read_text() in ("a" * 1_000_000, "b" * 1_000_000)


def _root() -> Path:
    return Path(__file__).parents[2]
