"""Work that would not fit in memory is refused in one line, before it starts."""

from pathlib import Path

import pytest

from generators import memory
from generators.errors import InvalidInput, Unsupported
from generators.memory import available_memory, require_memory
from tests.command import ran


def test_the_least_of_what_is_left_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "meminfo"
    info.write_text("MemTotal: 9000 kB\nMemAvailable:    5000 kB\n")
    monkeypatch.setattr(memory, "_MEMINFO", info)
    monkeypatch.setattr(memory, "_GROUP", tmp_path)
    monkeypatch.setattr(memory, "_of_limit", lambda: None)
    assert available_memory() == 5000 << 10
    (tmp_path / "memory.max").write_text("max\n")
    assert available_memory() == 5000 << 10
    (tmp_path / "memory.max").write_text("3000000\n")
    (tmp_path / "memory.current").write_text("1000000\n")
    assert available_memory() == 2000000
    monkeypatch.setattr(memory, "_of_limit", lambda: -5)
    assert available_memory() == 0
    for name in ("_of_system", "_of_group", "_of_limit"):
        monkeypatch.setattr(memory, name, lambda: None)
    assert available_memory() is None


def test_a_process_knows_its_own_limit() -> None:
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_AS)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (1 << 45, before[1]))
        left = memory._of_limit()
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
    assert left is not None
    assert 1 << 44 < left < 1 << 45


def test_what_fits_and_what_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 3 << 30)
    require_memory("schedule: 5 rows", 3 << 30)
    with pytest.raises(Unsupported) as refused:
        require_memory("schedule: 5 rows", (3 << 30) + 1, "--compact takes less")
    assert str(refused.value) == (
        "schedule: 5 rows would take about 3.0 GiB of memory, and 3.0 GiB are free; "
        "--compact takes less; TOPOFINDER_MEMORY=4GiB starts it all the same"
    )
    monkeypatch.setenv("TOPOFINDER_MEMORY", "4GiB")
    require_memory("schedule: 5 rows", 4 << 30)
    with pytest.raises(Unsupported, match=r"about 4.3 GiB of memory, and 4.0 GiB are free"):
        require_memory("schedule: 5 rows", 4400 << 20)
    monkeypatch.setenv("TOPOFINDER_MEMORY", "much")
    with pytest.raises(InvalidInput, match=r"^TOPOFINDER_MEMORY: 'much' is not a quantity"):
        require_memory("schedule: 5 rows", 1)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("schedule", "Q(4)", "-o", "new.npz"), "schedule: 240 rows would take about 0 MiB"),
        (("schedule", "Q(8)", "--compact", "-o", "new.npz"), "schedule: the rows of one of 256"),
        (("schedule", "C(70000,{1,300})", "-o", "new.npz"), "schedule: the rows of one of 70000"),
        (("schedule", "Q(4)", "--method", "forest", "-o", "new.npz"), "forest: the trees of 16"),
        (("throughput", "Pi(2,5)"), "throughput: 5 sources times 10 arcs would take"),
        (
            ("discover", "--n", "17", "--d", "3", "--kind", "cayley", "--trials", "1000"),
            "discover: the table of a",
        ),
        (("verify", "rows.npz"), "rows.npz: arrays of "),
        (("verify", "rows.json"), "verify: the pieces of a shard at 8 nodes would take"),
        (("export", "rows.npz", "--format", "msccl", "-o", "new.xml"), "rows.npz: arrays of "),
    ],
)
def test_commands_say_so_before_they_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys, words: tuple[str, ...], line: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOPOFINDER_DB", str(tmp_path / "a.db"))
    for suffix in ("npz", "json"):
        assert ran(capsys, "schedule", "Q(3)", "-o", f"rows.{suffix}").code == 0
    monkeypatch.setenv("TOPOFINDER_MEMORY", "10B")
    ended = ran(capsys, *words)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"topofinder: {line}")
    assert ended.err.count("\n") == 1
    assert "starts it all the same" in ended.err
    assert not list(tmp_path.glob("new.*"))
