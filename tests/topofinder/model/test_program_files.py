"""XML programs: what is written is read and run, and what is strange or wrong is refused."""

from pathlib import Path

import pytest

import topofinder as tf
from generators.errors import InvalidInput, Unsupported
from topofinder.lowering.lower import lower, rank_programs
from topofinder.model.file_register import recognise_file
from topofinder.model.program import ProgramSet
from topofinder.model.program_files import program_lines, read_programs, write_programs
from topofinder.model.program_reader import ProgramLimits, ProgramParser
from topofinder.runtimes.check_programs import find_program_violation
from topofinder.runtimes.executable import read_executable

TIMED = {"method": "timed", "size": "1MB", "alpha": "1us", "bandwidth": "100Gbps"}


def schedule(collective: str = "allreduce", recipe: str = "Q(3)") -> object:
    if collective == "all-to-all":
        return tf.schedule(recipe, collective=collective, **TIMED).timetable
    if collective in ("broadcast", "reduce"):
        return tf.schedule(recipe, collective=collective, method="forest", root=1).forest
    return tf.schedule(recipe, collective=collective).saved


def programs(collective: str = "allreduce", recipe: str = "Q(3)") -> ProgramSet:
    transfers = lower(schedule(collective, recipe))  # type: ignore[arg-type]
    return ProgramSet(transfers, tuple(rank_programs(transfers)))


def text(given: ProgramSet | None = None) -> str:
    return "".join(program_lines(given or programs(recipe="K(3)")))


@pytest.mark.parametrize(
    "collective",
    ["allgather", "reduce-scatter", "allreduce", "broadcast", "reduce", "all-to-all"],
)
def test_programs_are_written_read_and_found_right(tmp_path: Path, collective: str) -> None:
    given = programs(collective)
    write_programs(given, tmp_path / "a.xml")
    again = read_programs(tmp_path / "a.xml")
    assert again.programs == given.programs
    assert again.transfers.first.tolist() == given.transfers.first.tolist()
    assert again.transfers.cost == given.transfers.cost
    assert again.transfers.root == given.transfers.root
    assert find_program_violation(again) is None


def test_the_exporter_writes_what_is_run(tmp_path: Path) -> None:
    answer = tf.export(schedule(), tmp_path / "a.xml", format="cpu-xml").to_dict()
    assert (answer["messages"], answer["ranks"]) == (144, 8)
    assert isinstance(tf.load(tmp_path / "a.xml"), ProgramSet)
    assert tf.save(tf.load(tmp_path / "a.xml"), tmp_path / "b.xml").exists()
    assert recognise_file(tmp_path / "a.xml").noun == "a file of CPU programs"
    found = read_executable(tmp_path / "a.xml")
    assert found.program(3) == programs().programs[3]


MUTATIONS = {
    "a sum becomes a copy": ("<reduce", "<copy"),
    "a copy becomes a sum": ("<copy", "<reduce"),
    "other units": ('units="2:3"', 'units="1:2"'),
    "a message less": ('<send to="1" lane="0" units="2:3"/>', ""),
    "another lane": ('lane="0" units', 'lane="1" units'),
    "another peer": ('to="1"', 'to="3"'),
}


@pytest.mark.parametrize("name", MUTATIONS)
def test_wrong_programs_are_found_out(tmp_path: Path, name: str) -> None:
    """Most of them as messages that nobody waits for: they would hang."""
    before, after = MUTATIONS[name]
    right = text(programs(recipe="UniRing(1,4)"))
    assert before in right
    (tmp_path / "a.xml").write_text(right.replace(before, after, 1))
    with pytest.raises(InvalidInput, match=r"a\.xml: not valid: "):
        read_executable(tmp_path / "a.xml")


HEAD = '<cpu-programs version="1" collective="allgather" ranks="2" blocks="1 1" two-way="1">'
RANK = '<rank id="0" node="0">'
STEP = f'{HEAD}{RANK}<step number="1">'
SEND = '<send to="1" lane="0" units="0:1"/>'
BAD = {
    "nothing": ("", "no XML: no element found"),
    "no XML": ("rank 0", "no XML: "),
    "half a file": (f"{STEP}{SEND}</step", "no XML: "),
    "another kind": ("<algo name='a'></algo>", "'algo' may not stand in the file"),
    "a document type": (f"<!DOCTYPE a []>{HEAD}", "a document type may not be declared"),
    "entities": ('<!DOCTYPE a [<!ENTITY b "x">]><a>&b;</a>', "a document type may not"),
    "an entity of nowhere": (f"{HEAD}&lol;", "no XML: undefined entity"),
    "an instruction": (f"<?run me?>{HEAD}", "an instruction may not be declared"),
    "another version": (HEAD.replace('"1"', '"2"', 1), "version '2', not 1"),
    "another collective": (HEAD.replace("allgather", "allsum"), "collective 'allsum'"),
    "a strange attribute": (HEAD.replace("two-way", "x='1' two-way"), "no attribute 'x'"),
    "no blocks": (HEAD.replace('blocks="1 1"', ""), "cpu-programs has no blocks"),
    "too few blocks": (HEAD.replace("1 1", "1"), "blocks: 2 lengths"),
    "10^8 blocks": (HEAD.replace("1 1", "99999999*1"), "blocks: 2 lengths"),
    "too many units": (HEAD.replace("1 1", f"1 {2**62}"), "blocks: 2 lengths, together"),
    "10^9 ranks": (HEAD.replace('ranks="2"', 'ranks="1000000000"'), "ranks: 0 to 4096"),
    "an exchange of many": (
        HEAD.replace("allgather", "all-to-all").replace('ranks="2"', 'ranks="4000"'),
        "ranks: at most 1024 in an all-to-all",
    ),
    "text": (f"{HEAD}hello", "text between elements: 'hello'"),
    "a rank too early": (f'{HEAD}<rank id="1" node="0">', "rank '1' where 0 is next"),
    "too few ranks": (f"{HEAD}{RANK}</rank></cpu-programs>", "ranks: 1 programs, not 2"),
    "10^10 steps": (f'{HEAD}{RANK}<step number="10000000000"/>', "number: 0 to 2147483647"),
    "a step twice": (f"{STEP}<sync/></step><step number='1'/>", "step 1 comes too late"),
    "no sync": (f"{STEP}{SEND}</step>", "a step without sync"),
    "a send after sync": (f"{STEP}<sync/>{SEND}", "after sync a step only copies"),
    "use before sync": (f'{STEP}<copy buffer="0" units="0:1"/>', "what is received is there after"),
    "to itself": (f"{STEP}{SEND.replace('1', '0', 1)}", "a message of a rank to itself"),
    "to nobody": (f"{STEP}{SEND.replace('1', '7', 1)}", "to: 0 to 1, not '7'"),
    "units beyond": (f"{STEP}{SEND.replace('0:1', '0:3')}", "units '0:3' are not in 0:2"),
    "units backwards": (f"{STEP}{SEND.replace('0:1', '1:1')}", "units '1:1' are not in 0:2"),
    "a lane twice": (f"{STEP}{SEND}{SEND}<sync/></step>", "two messages over one lane"),
    "a buffer not used": (
        f'{STEP}<recv from="1" lane="0" buffer="0" length="1"/><sync/></step>',
        "buffer 0: 0 units of 1 used",
    ),
    "hostile words": (f"{HEAD}<\u202e/>", "no XML|may not stand"),
}


@pytest.mark.parametrize("name", BAD)
def test_strange_files_are_refused_in_one_line(tmp_path: Path, name: str) -> None:
    content, complaint = BAD[name]
    (tmp_path / "a.xml").write_text(content, encoding="utf-8")
    with pytest.raises(InvalidInput, match=rf"a\.xml: .*({complaint})") as raised:
        read_programs(tmp_path / "a.xml")
    assert "\n" not in str(raised.value)


def test_too_many_parts_are_refused_before_they_take_memory(tmp_path: Path) -> None:
    places = " ".join(["0:1"] * (1 << 20))
    (tmp_path / "a.xml").write_text(f'{STEP}<send to="1" lane="0" units="{places}"/>')
    with pytest.raises(InvalidInput, match="more than 196608 parts; --large"):
        read_programs(tmp_path / "a.xml")


def test_programs_of_too_many_pieces_are_not_checked() -> None:
    with pytest.raises(Unsupported, match="pieces at each rank are too many"):
        find_program_violation(programs(), most=100)


def test_other_suffixes_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"a\.txt: programs are written to an \.xml"):
        write_programs(programs(), tmp_path / "a.txt")


def test_the_head_is_looked_at_once_for_all_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    looks: list[str] = []
    number_of = ProgramParser._number_of

    def count(parser: ProgramParser, values: dict[str, str], name: str, most: int) -> int:
        looks.append(name)
        return number_of(parser, values, name, most)

    monkeypatch.setattr(ProgramParser, "_number_of", count)
    parser = ProgramParser()
    parser.parse(STEP.encode())
    for lane in range(50):
        parser.parse(f'<recv from="1" lane="{lane}" buffer="{lane}" length="1"/>'.encode())
    assert looks.count("ranks") <= 3
    assert looks.count("lane") == 50


def test_ordinary_programs_have_few_elements() -> None:
    parser = ProgramParser(ProgramLimits(elements=3))
    with pytest.raises(InvalidInput, match="more than 3 elements; --large"):
        parser.parse(f"{STEP}<sync/>".encode())
    assert ProgramLimits().elements == 2**18
