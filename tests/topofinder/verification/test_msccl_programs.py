"""The checker of MSCCL programs: hand-written cases, rules, sizes, hostile files, comparisons."""

from pathlib import Path

import pytest

import topofinder as tf
from generators.errors import InvalidInput, Unsupported
from tests.command import ran
from tests.msccl_programs import content_of, hand_written, one_step, program_text
from tests.msccl_twin import find_fault
from tests.topofinder.model.test_program_files import BAD
from topofinder.verification.msccl_programs import verify_msccl
from topofinder.verification.msccl_reader import parse_msccl
from topofinder.verification.msccl_runs import connect_lines, lay_out, run_violation

GOLDEN = Path(__file__).parent.parent.parent / "data" / "msccl_ring.xml"


def exchange(chunks: int, proto: str, count: int = 1, **head: object) -> str:
    """Both ranks send all they have in one threadblock, before they receive anything."""
    steps = {}
    for gpu in range(2):
        own, other = gpu * chunks, (1 - gpu) * chunks
        sends = [one_step("s", own + x, count) for x in range(0, chunks, count)]
        receives = [one_step("r", other + x, count) for x in range(0, chunks, count)]
        steps[gpu, 1 - gpu] = sends + receives
    return hand_written(steps, proto, chunks, **head)


def violation_of(text: str, **options: object) -> str | None:
    return verify_msccl(parse_msccl(text), **options).violation  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("chunks", "proto", "valid"),
    [(2, "Simple", True), (3, "Simple", False), (3, "LL", True), (8, "LL", True),
     (9, "LL", False), (8, "LL128", True), (9, "LL128", False)],
)  # fmt: skip
def test_as_many_sends_as_slots_may_come_before_receives(
    chunks: int, proto: str, valid: bool
) -> None:
    told = violation_of(exchange(chunks, proto))
    assert (told is None) == valid
    if told:
        assert told.startswith("deadlock: gpu 0, tb 0, step ")
        assert "waits for a free slot" in told


def test_a_long_step_deadlocks_chunk_by_chunk_alone() -> None:
    """Three chunks are one message as long as they fit into a slot together."""
    told = violation_of(exchange(3, "Simple", 3))
    assert told is not None
    assert told.startswith(f"maxBytes: it deadlocks above {safe_bytes(3)} bytes")
    verdict = verify_msccl(parse_msccl(exchange(3, "Simple", 3, maxBytes=safe_bytes(3))))
    assert (verdict.violation, verdict.safe_bytes) == (None, safe_bytes(3))


def safe_bytes(chunks: int) -> int:
    """Of 2 x `chunks` chunks two of each three may share a slot: messages of two, two in flight."""
    return 2 * chunks * (2 << 20) // 2


def test_a_golden_program_is_read_and_checked() -> None:
    """Written by hand from the formats of the runtimes' parsers, with comments and fused steps."""
    program = parse_msccl(GOLDEN.read_text())
    verdict = verify_msccl(program)
    assert verdict.violation is None
    assert (verdict.ranks, verdict.steps, verdict.most_steps) == (3, 15, 5)
    assert verdict.placements == ("out of place", "in place")
    for in_place in (False, True):
        assert find_fault(program, "allreduce", in_place, 2) is None


RULES = [
    ('proto="Simple"', 'proto="Fast"', "proto: 'Fast'"),
    ('nchannels="1"', 'nchannels="33"', "nchannels: 1 to 32, not 33"),
    ('ngpus="8"', 'ngpus="9"', "ngpus: 9, but there are 8"),
    ('nchunksperloop="24"', 'nchunksperloop="40000"', "nchunksperloop: 1 to 32768"),
    ('inplace="1" outofplace="1"', 'inplace="0" outofplace="0"', "never used"),
    ('maxBytes="0"', 'maxBytes="-1"', "maxBytes"),
    ('i_chunks="24"', 'i_chunks="23"', "gpu 0: i_chunks: 24 or 0, not 23"),
    ('s_chunks="0"', 's_chunks="-1"', "gpu 0: s_chunks"),
    ('chan="0"', 'chan="1"', "gpu 0, tb 0: chan: 0 to 0, not 1"),
    ('cnt="1"', 'cnt="72"', "cnt is not in 1..71"),
    ('cnt="1"', 'cnt="0"', "cnt is not in 1..71"),
    ('hasdep="0"', 'hasdep="2"', "hasdep is not 0 or 1"),
    ('dstoff="1"', 'dstoff="24"', "chunks 24 to 24 are beyond the 24 of buffer o"),
    ('depid="-1" deps="-1"', 'depid="-1" deps="0"', "deps without depid"),
    ('depid="-1" deps="-1"', 'depid="9" deps="0"', "depid is no threadblock"),
    ('depid="-1" deps="-1"', 'depid="0" deps="0"', "waits for itself"),
    ('recv="1"', 'recv="0"', "gpu 0, tb 0: peer 0 is no other rank"),
    ('recv="2"', 'recv="1"', "another threadblock has recv 1 on channel 0"),
]


@pytest.mark.parametrize(("good", "bad", "told"), RULES)
def test_rules(good: str, bad: str, told: str) -> None:
    text = program_text(content_of("Q(3)"))
    assert violation_of(text) is None
    assert good in text
    found = violation_of(text.replace(good, bad, 1))
    assert found is not None
    assert told in found


def test_dialects_have_their_own_limits_and_words() -> None:
    scatter = program_text(content_of("Q(3)", "reduce-scatter"))
    assert violation_of(scatter, dialect="rccl") is None
    old = program_text(content_of("Q(3)", "reduce-scatter"), "msccl")
    assert violation_of(old) is None
    assert "coll" in str(violation_of(old.replace("reduce_scatter", "reducescatter")))
    long = program_text(content_of("UniRing(1,40)"), channels=1, over_limits=True)
    assert "steps, at most 64" in str(violation_of(long))
    assert violation_of(long, over_limits=True) is None
    with pytest.raises(InvalidInput, match="dialect: 'x' is none of"):
        violation_of(long, dialect="x")


@pytest.mark.parametrize(
    ("subject", "collective", "method"),
    [("Q(3)", "allreduce", "auto"), ("Pi(2,13)", "allgather", "auto"),
     ("BiRing(4,8)", "reduce-scatter", "auto"), ("DGXA100(2)", "allreduce", "forest"),
     ("Mesh(2,3)", "all-to-all", "timed"), ("Mesh(2,3)", "broadcast", "timed")],
)  # fmt: skip
def test_programs_do_what_their_schedules_say(subject: str, collective: str, method: str) -> None:
    content = content_of(subject, collective, method)
    for channels in (1, 2):
        text = program_text(content, channels=channels)
        assert violation_of(text, against=content) is None


def test_a_program_of_another_schedule_is_told() -> None:
    text = program_text(content_of("Q(3)"))
    other = violation_of(text.replace("24", "8"), against=content_of("BiRing(2,8)"))
    assert other is not None
    assert "it is allreduce of 8 ranks" in str(violation_of(text, against=content_of("K(4)")))


SMALL = '<algo proto="Simple" nchannels="1" nchunksperloop="2" ngpus="2" coll="allgather">'
HOSTILE = {
    "entities": '<!DOCTYPE a [<!ENTITY x "yyyy"><!ENTITY z "&x;&x;">]><algo name="&z;">',
    "declaration": '<?xml version="1.0"?>' + SMALL + "</algo>",
    "truncated": program_text(content_of("Q(3)"))[:5000],
    "foreign": '<graphml><node id="0"/></graphml>',
    "empty": "",
    "binary": "\x00\x01\x02",
    "text": SMALL + "hello</algo>",
    "huge attribute": f'<algo name="{"x" * 10**6}">',
    "many attributes": "<algo " + " ".join(f'a_{"b" * i}="1"' for i in range(17)) + ">",
    "twice": '<algo name="a" name="b">',
    "single quotes": "<algo name='a'>",
    "deep": SMALL + "<gpu>" * 100_000,
    "deeper": '<algo name="a">' * 100_000,
    "a comment without end": SMALL + "<!-- " + "<!--" * 10_000,
    "steps out of order": SMALL + '<gpu id="0" i_chunks="1" o_chunks="2" s_chunks="0">'
    '<tb id="0" send="1" recv="-1" chan="0"><step s="1000000000" type="s" srcbuf="i" srcoff="0" '
    'dstbuf="o" dstoff="0" cnt="1" depid="-1" deps="-1" hasdep="0"/>',
    "large numbers": SMALL + '<gpu id="0" i_chunks="99999999999999999999" o_chunks="2"',
    "a gpu of another number": SMALL + '<gpu id="5" i_chunks="1" o_chunks="2" s_chunks="0">',
    "no head": '<gpu id="0" i_chunks="1" o_chunks="2" s_chunks="0">',
    "a word for a number": SMALL + '<gpu id="0" i_chunks="one" o_chunks="2" s_chunks="0">',
    "nothing of a step": SMALL + '<gpu id="0" i_chunks="1" o_chunks="2" s_chunks="0">'
    '<tb id="0" send="1" recv="-1" chan="0"><step s="0"/>',
    "closed wrongly": SMALL + "</gpu>",
    "two programs": SMALL + "</algo>" + SMALL + "</algo>",
    "no number in the head": SMALL.replace('nchunksperloop="2"', 'nchunksperloop="two"')
    + "</algo>",
    "no collective": SMALL.replace("allgather", "gossip") + "</algo>",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.xml").write_text(HOSTILE[name])
    ended = ran(capsys, "verify", tmp_path / "a.xml")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.count("\n") == 1
    assert len(ended.err) < 400


def test_forty_bad_files_are_tried() -> None:
    """Of programs alone; those of plans, maps and options come on top."""
    assert len(HOSTILE) + len(BAD) >= 40


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tf.save(content_of("Q(3)"), tmp_path / "q.npz")  # type: ignore[arg-type]
    tf.export(tmp_path / "q.npz", tmp_path / "q.xml", format="msccl")
    words = ("verify", tmp_path / "q.xml", "--against", tmp_path / "q.npz", "--dialect", "rccl")
    ended = ran(capsys, *words)
    assert ended.code == 0
    assert ended.out.startswith("valid: rccl program, allreduce of 8 ranks")
    text = (tmp_path / "q.xml").read_text()
    (tmp_path / "w.xml").write_text(text.replace('type="rrc"', 'type="r"', 1))
    ended = ran(capsys, "verify", tmp_path / "w.xml")
    assert (ended.code, ended.out.count("\n")) == (1, 1)
    assert ended.out.startswith("not valid: gpu ")
    assert ran(capsys, "verify", tmp_path / "q.npz", "--dialect", "rccl").code == 2
    assert ran(capsys, "verify", tmp_path / "q.xml", "--size", "1MiB").code == 2


def test_large_programs_are_refused_before_they_take_memory() -> None:
    text = program_text(content_of("Q(3)"))
    with pytest.raises(InvalidInput, match="line 16: is no MSCCL program: more than 10 steps"):
        parse_msccl(text, most_lines=10)
    lines = connect_lines(program := parse_msccl(text))
    assert not isinstance(lines, str)
    order, _ = lines.run(2, 71)
    with pytest.raises(Unsupported, match="steps: 352 on 8 ranks are too many for clocks"):
        run_violation(lines, lay_out(program, False), order[:352], 2, most_work=10)
