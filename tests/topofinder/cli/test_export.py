"""`topofinder export`: what it writes, what it refuses, and that nothing is written half."""

from pathlib import Path

import pytest

import topofinder as tf
from expansions.schedule import Schedule
from expansions.schedule_files.saved import SavedSchedule
from generators.errors import InvalidInput, Unsupported
from generators.topology import Topology
from tests.command import ran
from topofinder.exporters.folder_files import write_folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    at = tmp_path_factory.mktemp("export")
    tf.schedule("Q(3)", at / "q.npz", collective="allreduce")
    tf.schedule("UniRing(1,4)", at / "ring.npz")
    return at


def test_the_same_file_gives_the_same_bytes(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("a.xml", "b.xml"):
        words = ("export", folder / "q.npz", "--format", "msccl", "-o", tmp_path / name)
        assert ran(capsys, *words).code == 0
    assert (tmp_path / "a.xml").read_bytes() == (tmp_path / "b.xml").read_bytes()


def test_programs_that_do_not_fit_in_memory_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ring = tf.schedule("UniRing(1,4)").saved
    monkeypatch.setenv("TOPOFINDER_MEMORY", "20KiB")
    with pytest.raises(Unsupported, match=r"^export: 12 rows in format msccl would take about "):
        tf.export(ring, tmp_path / "a.xml", format="msccl", verified=True)
    assert not list(tmp_path.iterdir())


def test_links_of_one_way_are_told(folder: Path, tmp_path: Path) -> None:
    two = tf.export(folder / "q.npz", tmp_path / "a.xml", format="msccl")
    one = tf.export(folder / "ring.npz", tmp_path / "b.xml", format="msccl")
    assert two.to_dict()["remark"] is None
    assert "no link back" in str(one).splitlines()[-1]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("q.npz", "--format", "nccl", "-o", "a.xml"), "format: 'nccl' is none of "),
        (("q.npz", "--format", "msccl", "-o", "a.txt"), "output: "),
        (("q.npz", "--format", "msccl", "-o", "none/a.xml"), "none/a.xml: there is no folder"),
        (("no.npz", "--format", "msccl", "-o", "a.xml"), "no.npz: cannot be read"),
        (
            ("q.npz", "--format", "msccl", "-o", "a.xml", "--size", "1MiB"),
            "size: is not for format msccl",
        ),
        (
            ("q.npz", "--format", "msccl", "-o", "a.xml", "--dialect", "nccl"),
            "dialect: 'nccl' is none of msccl, executor, rccl",
        ),
        (
            ("q.npz", "--format", "msccl", "-o", "a.xml", "--protocol", "LL64"),
            "protocol: 'LL64' is none of Simple, LL, LL128",
        ),
        (
            ("q.npz", "--format", "msccl", "-o", "a.xml", "--channels", "33"),
            "channels: 1 to 32, not 33",
        ),
    ],
)
def test_refusals(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    told: str,
) -> None:
    monkeypatch.chdir(folder)
    before = set(folder.iterdir())
    ended = ran(capsys, "export", *words)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"topofinder: {told}")
    assert ended.err.count("\n") == 1
    assert set(folder.iterdir()) == before


def test_what_is_there_is_kept_unless_forced(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text("mine")
    with pytest.raises(InvalidInput, match=r"output: .* is there already; --force"):
        tf.export(folder / "q.npz", tmp_path / "a.xml", format="msccl")
    assert (tmp_path / "a.xml").read_text() == "mine"
    tf.export(folder / "q.npz", tmp_path / "a.xml", format="msccl", force=True)
    assert (tmp_path / "a.xml").read_text() != "mine"


def test_a_folder_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    write_folder(tmp_path / "a", {"x": "1", "y": "2"})
    write_folder(tmp_path / "a", {"x": "3", "y": "4"})
    assert (tmp_path / "a" / "x").read_text() == "3"
    with pytest.raises(InvalidInput, match="holds another file already: 'x'"):
        write_folder(tmp_path / "a", {"y": "5"})
    with pytest.raises(InvalidInput, match="there is no folder"):
        write_folder(tmp_path / "none" / "a", {"y": "5"})
    with pytest.raises(InvalidInput):
        write_folder(tmp_path / "b", {"x": "1", "no/such": "2"})
    assert [each.name for each in tmp_path.iterdir()] == ["a"]


def test_what_is_not_valid_is_not_written(tmp_path: Path) -> None:
    chain = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    early = Schedule(source=[0], arc=[1], step=[1], begin=[0], end=[1])
    wrong = SavedSchedule(topology=chain, schedule=early)
    with pytest.raises(InvalidInput, match=r"^schedule: not valid: step 1"):
        tf.export(wrong, tmp_path / "a.xml", format="msccl")
    with pytest.raises(InvalidInput, match="step 1: rank 1 sends unit 0, which it has not"):
        tf.export(wrong, tmp_path / "a.xml", format="msccl", verified=True)
    lacking = SavedSchedule(
        topology=chain, schedule=Schedule(source=[0], arc=[0], step=[1], begin=[0], end=[1])
    )
    with pytest.raises(InvalidInput, match="program: gpu 0 ends without chunk 1"):
        tf.export(lacking, tmp_path / "a.xml", format="msccl", verified=True)
    assert not list(tmp_path.iterdir())
