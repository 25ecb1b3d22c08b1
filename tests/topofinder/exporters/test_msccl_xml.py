"""MSCCL programs as they are lowered: right in every dialect and placement, within limits."""

import re
from fractions import Fraction
from pathlib import Path

import pytest

import topofinder as tf
from expansions.collective import Collective
from expansions.schedule import Schedule
from expansions.schedule_files.saved import SavedSchedule
from generators.errors import InvalidInput, Unsupported
from generators.topology import Topology
from tests.msccl_programs import content_of, program_text
from topofinder.exporters.fewer_trees import make_smaller_forest
from topofinder.exporters.msccl_limits import DIALECTS
from topofinder.exporters.msccl_xml import MscclOptions, compile_msccl
from topofinder.lowering.lower import Lowerable, lower
from topofinder.verification.forests import verify_forest
from topofinder.verification.msccl_programs import verify_msccl
from topofinder.verification.msccl_reader import MscclFile, parse_msccl

GOLDEN = Path(__file__).parent.parent.parent / "data" / "msccl_unidirectional_ring.xml"
RECIPES = ("K(4)", "Q(3)", "BiRing(2,5)", "BiRing(4,8)", "Torus(3,4)", "L(K(3,3))", "Pi(2,13)",
           "Pi(4,16)", "Diamond*2", "K(3)*2", "UniRing(2,5)", "K(2)^3")  # fmt: skip


def require_valid(content: Lowerable, dialect: str = "executor", **options: object) -> MscclFile:
    program = parse_msccl(program_text(content, dialect, **options))
    verdict = verify_msccl(program, dialect=dialect, against=content)
    assert (verdict.violation, verdict.safe_bytes) == (None, None)
    return program


@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("collective", ["allgather", "reduce-scatter", "allreduce"])
def test_programs_are_right_in_each_dialect(recipe: str, collective: str) -> None:
    for dialect in DIALECTS:
        for in_place in (None, True, False):
            require_valid(content_of(recipe, collective), dialect, in_place=in_place)


def test_more_than_33_programs_are_right_as_they_are() -> None:
    assert len(RECIPES) * 3 >= 33


@pytest.mark.parametrize("fabric", ["Torus(4,4)", "DGXA100(2)", "RFS(2,2,2)"])
@pytest.mark.parametrize("collective", ["allgather", "allreduce", "broadcast", "reduce"])
def test_forests_are_right(fabric: str, collective: str) -> None:
    for in_place in (None, True):
        require_valid(content_of(fabric, collective, "forest"), in_place=in_place)


@pytest.mark.parametrize("collective", ["broadcast", "reduce", "allreduce", "all-to-all"])
def test_timetables_are_right(collective: str) -> None:
    content = content_of("Mesh(2,3)", collective, "timed")
    for dialect in DIALECTS:
        in_place = dialect == "msccl" and collective in ("reduce", "allreduce")
        require_valid(content, dialect, in_place=in_place or None)


def test_an_allreduce_is_one_file_for_both_placements() -> None:
    program = require_valid(content_of("Q(3)"))
    assert (program.head["inplace"], program.head["outofplace"]) == ("1", "1")
    assert not program.buffers[:, 2].any()
    other = require_valid(content_of("Q(3)", "allgather"))
    assert (other.head["inplace"], other.head["outofplace"]) == ("0", "1")
    assert "outofplace" not in require_valid(content_of("Q(3)"), "msccl").head


def test_messages_of_parallel_links_and_channels_take_turns() -> None:
    one = require_valid(content_of("UniRing(2,5)"))
    assert one.number("nchannels") == 2
    two = require_valid(content_of("UniRing(2,5)"), channels=2)
    assert two.number("nchannels") == 4
    assert max(two.first[1:] - two.first[:-1]) < max(one.first[1:] - one.first[:-1])


def test_channels_are_added_until_steps_fit() -> None:
    program = compile_msccl(lower(content_of("UniRing(1,40)")), MscclOptions())
    assert (program.channels, program.most_steps) == (2, 39)
    with pytest.raises(
        Unsupported, match=r"^steps: 78 in a threadblock with 1 channels, at most 6"
    ):
        program_text(content_of("UniRing(1,40)"), channels=1)
    program_text(content_of("UniRing(1,40)"), "msccl", channels=1)


def test_forests_of_too_many_trees_say_how_many_fit() -> None:
    content = content_of("MI250(2)", "allreduce", "forest")
    with pytest.raises(Unsupported, match=r"^steps: .*83 trees a root; --k \d+ may fit") as found:
        program_text(content, channels=1)
    fits = int(re.findall(r"--k (\d+)", str(found.value))[0])
    assert 0 < fits < 83
    forest = tf.schedule("MI250(2)", collective="allreduce", method="forest", k=fits).forest
    require_valid(forest)


def test_forests_above_a_limit_are_made_anew_with_fewer_trees(tmp_path: Path) -> None:
    """What is written is the forest of the k that is told, and so is what it costs."""
    for collective, dialect in (("allgather", "executor"), ("allreduce", "rccl")):
        content = content_of("MI250(2)", collective, "forest")
        out = tmp_path / f"{collective}.xml"
        options = {"format": "msccl", "channels": 1, "dialect": dialect}
        facts = tf.export(content, out, **options).to_dict()  # type: ignore[arg-type]
        k = int(re.findall(r"^(\d+), for 83 are too many$", facts["trees_a_root"])[0])
        assert k < 83
        forest = tf.schedule("MI250(2)", collective=collective, method="forest", k=k).forest
        program = parse_msccl(out.read_text())
        assert verify_msccl(program, dialect=dialect, against=forest).violation is None
        assert verify_msccl(program, dialect=dialect, against=content).violation is not None
        cost = Fraction(facts["time_of_links"].split()[0])
        assert cost == forest.inverse_rate / content.inverse_rate  # type: ignore[union-attr]
        assert 1 < cost < 2
    wide = content_of("Switch2D(8,48)", "broadcast", "forest")
    with pytest.raises(Unsupported, match=r"^N: 384 ranks"):
        tf.export(wide, tmp_path / "n.xml", format="msccl", verified=True)


def test_the_options_of_a_forest_stay_when_it_is_made_anew() -> None:
    forest = tf.schedule("DGXA100(2)", collective="reduce", method="forest", root=1, k=8).forest
    smaller = make_smaller_forest(forest, 2)
    assert (smaller.root, smaller.recipe, smaller.collective) == (1, "DGXA100(2)", "reduce")
    assert verify_forest(smaller).violation is None
    for multicast in (True, False):
        whole = tf.schedule("DGXH100(2)", method="forest", k=4, multicast=multicast).forest
        assert make_smaller_forest(whole, 2).spread.skip.any() == multicast


def test_limits_are_named() -> None:
    with pytest.raises(InvalidInput, match="channels: 1 to 32, not 0"):
        program_text(content_of("K(4)"), channels=0)
    with pytest.raises(Unsupported, match=r"^channels: 40, at most 32; --over-limits"):
        program_text(content_of("UniRing(2,30)", "allgather"), channels=20)
    with pytest.raises(Unsupported, match=r"^threadblocks: 121 on a rank, at most 108"):
        program_text(content_of("Q(6)", "allgather"), channels=10)


def test_what_comes_back_is_taken_over_and_not_added() -> None:
    """A rank that handed its sum over, and gets it again, waits until its own send is through."""
    pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    there_and_back = Schedule(
        source=[1, 1, 1, 0], arc=[0, 1, 0, 1], step=[1, 2, 3, 3], begin=[0] * 4, end=[1] * 4,
        collective=Collective.REDUCE_SCATTER,
    )  # fmt: skip
    for in_place in (False, True):
        require_valid(SavedSchedule(topology=pair, schedule=there_and_back), in_place=in_place)


def test_a_shard_that_comes_twice_waits_for_what_was_sent_of_it() -> None:
    ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    rows = [(v, (v + s) % 3, s + 1) for v in range(3) for s in range(3)]
    again = Schedule(
        source=[row[0] for row in rows], arc=[row[1] for row in rows],
        step=[row[2] for row in rows], begin=[0] * 9, end=[1] * 9,
    )  # fmt: skip
    for in_place in (False, True):
        require_valid(SavedSchedule(topology=ring, schedule=again), in_place=in_place)


def test_names_have_no_signs() -> None:
    for text in (program_text(content_of("C(6,{1,2})")), program_text(content_of("K(3)*2"))):
        assert re.search(r'name="allreduce-[A-Za-z0-9_.]+-[0-9a-f]{12}"', text)
        assert not re.search(r"[\t&']|<\?", text)
        assert max(map(len, text.splitlines())) < 255


def test_sizes_that_a_program_is_for(tmp_path) -> None:  # type: ignore[no-untyped-def]
    content = content_of("K(4)")
    tf.export(content, tmp_path / "a.xml", format="msccl", max_bytes="64MiB", protocol="LL")
    text = (tmp_path / "a.xml").read_text()
    assert 'proto="LL"' in text
    assert f'maxBytes="{64 << 20}"' in text
    with pytest.raises(InvalidInput, match="max-bytes: whole bytes from 1, not 0"):
        tf.export(content, tmp_path / "b.xml", format="msccl", max_bytes=0)
    with pytest.raises(Unsupported, match="in-place: an all-to-all"):
        program_text(content_of("Mesh(2,3)", "all-to-all", "timed"), in_place=True)


def test_the_bytes_of_a_small_program_stay() -> None:
    """An allreduce of three ranks: sums in o, and one flag for each wait."""
    assert program_text(content_of("UniRing(1,3)")) == GOLDEN.read_text()
