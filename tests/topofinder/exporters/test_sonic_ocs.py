"""Scripts of optical circuit switches, carried out by an emulator that shares no code with them."""

import ast
import json
import random
from contextlib import suppress
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from generators.errors import InvalidInput
from tests.ocs_emulator import NotThereError, RefusedError, Switch
from topofinder.api.inventory import new_inventory
from topofinder.api.plan_methods import PlanWish, find_plan
from topofinder.exporters.sonic_ocs import SUFFIXES, switch_script, write_scripts
from topofinder.model.inventory.document import Inventory, PanelKind
from topofinder.model.inventory.observed_files import ObservedForm, form_of, read_links
from topofinder.model.inventory.ports import PortMap, port_map
from topofinder.model.inventory.switch_state import read_current
from topofinder.model.inventory.wiring import Wiring
from topofinder.model.plan import Plan

CASES = [
    ("Torus(4,4)", "C(16,{3,4})", 1),
    ("Torus(4,4)", "C(16,{3,4})", 4),
    ("Kautz(2,2)", "UniRing(1,6)*2", 1),
    ("Kautz(2,3)", "L(UniRing(1,6)*2)", 2),
    ("BiRing(2,9)", "C(7,{2})", 1),
]
"""From, to, switches: duplex and simplex, with hosts that leave."""


def planned(begin: str, end: str, panels: int) -> Plan:
    inventory, before = new_inventory(begin, panels=panels, kind=PanelKind.OCS.value)
    fabric = port_map(inventory)
    wiring = before.after
    return find_plan(fabric, wiring, end, PlanWish(time=0.2)).plan


@pytest.fixture(scope="module", params=CASES, ids=lambda case: f"{case[0]}>{case[1]}/{case[2]}")
def plan(request: pytest.FixtureRequest) -> Plan:
    return planned(*request.param)


def switches(fabric: PortMap, wiring: Wiring) -> list[Switch]:
    """Switches in the state of a wiring, from its fibres alone."""
    found = [Switch(ports=panel.limit) for panel in fabric.panels]
    for a in np.flatnonzero(wiring.to >= 0).tolist():
        one, two = (int(fabric.positions[p].split(":")[1]) for p in (a, int(wiring.to[a])))
        found[fabric.panel[a]].connects[f"{one}A"] = f"{two}B"
    return found


def states(fabric: PortMap, wiring: Wiring) -> list[dict[str, str]]:
    return [switch.connects for switch in switches(fabric, wiring)]


def test_scripts_lead_to_the_end_and_back(plan: Plan) -> None:
    assert plan.moves
    there = switches(plan.fabric, plan.before)
    for stages, end in ((plan.stages, plan.after), (plan.rollback, plan.before)):
        for panel, switch in enumerate(there):
            for line in switch_script(plan.fabric, stages, panel).splitlines():
                switch.run(line)
        assert [switch.connects for switch in there] == states(plan.fabric, end)


def test_stages_are_the_wirings_of_the_plan(plan: Plan) -> None:
    """Up to the head of a stage, all switches are where the plan is after the one before."""
    there = switches(plan.fabric, plan.before)
    scripts = [
        switch_script(plan.fabric, plan.stages, panel).split("# stage ")[1:]
        for panel in range(len(there))
    ]
    for number, wiring in enumerate(plan.wirings):
        for switch, script in zip(there, scripts, strict=True):
            for line in script[number].splitlines()[1:]:
                switch.run(line)
        assert [switch.connects for switch in there] == states(plan.fabric, wiring)


def test_scripts_stopped_at_any_line_may_be_run_again(plan: Plan) -> None:
    """From the beginning: what is there, or gone, already is refused and changes nothing."""
    end = states(plan.fabric, plan.after)
    for panel in range(len(plan.fabric.panels)):
        lines = switch_script(plan.fabric, plan.stages, panel).splitlines()
        for stop in range(len(lines) + 1):
            switch = switches(plan.fabric, plan.before)[panel]
            for line in lines[:stop]:
                switch.run(line)
            for line in lines:
                with suppress(NotThereError):
                    switch.run(line)
            assert switch.connects == end[panel]


def test_what_a_switch_shows_is_read_as_current(plan: Plan, tmp_path: Path) -> None:
    """All of its views, with the prompts of several switches one after the other."""
    file = tmp_path / "now.txt"
    there = switches(plan.fabric, plan.before)
    for view in ("config", "status"):
        text = ""
        for panel, switch in zip(plan.fabric.panels, there, strict=True):
            text += f"admin@{panel.name}:~$ show ocs cross-connect {view}\n"
            text += switch.run(f"show ocs cross-connect {view}")
        file.write_text(text)
        assert read_current(file, plan.fabric).wiring.same(plan.before)


def mutated(line: str, chance: random.Random) -> str:
    """The line with one thing wrong."""
    words = line.split()
    names = words[4].split(",")
    place = chance.randrange(len(names))
    a, b = names[place].split("-")
    kind = chance.randrange(6)
    if kind == 0:
        names[place] = f"{b}-{a}"
    elif kind == 1:
        names[place] = f"{int(a[:-1]) + chance.randrange(1, 9)}A-{b}"
    elif kind == 2:
        names[place] = f"{a}-{int(b[:-1]) + chance.randrange(1, 9)}B"
    elif kind == 3:
        del names[place]
    elif kind == 4:
        words[3] = {"add": "delete", "delete": "add"}[words[3]]
        words = words[:5]
    else:
        words[chance.randrange(1, 4)] += "s"
    words[4] = ",".join(names)
    return " ".join(words)


def is_read_as_the_end(plan: Plan, panel: int, switch: Switch, file: Path) -> bool:
    """Whether what all switches show, this one and others as planned, is the wiring at the end."""
    there = switches(plan.fabric, plan.after)
    there[panel] = switch
    text = ""
    for one, shown in zip(plan.fabric.panels, there, strict=True):
        text += f"admin@{one.name}:~$ show ocs cross-connect config\n"
        text += shown.run("show ocs cross-connect config")
    file.write_text(text)
    try:
        return read_current(file, plan.fabric).wiring.same(plan.after)
    except InvalidInput:  # it names a port that the inventory does not have
        return False


def test_five_hundred_mutated_scripts_are_refused(tmp_path: Path) -> None:
    """A script with one thing wrong is refused, or is a valid one for another wiring.

    Only an `add` that leaves one cross-connect out, or has one that leads to another free port, is
    accepted: that one alone differs in the end, and what the switch shows then is not read as the
    wiring of the plan.
    """
    plans = [planned(*case) for case in CASES]
    ends = [states(plan.fabric, plan.after) for plan in plans]
    chance = random.Random(5)
    tried, accepted = 0, set[int]()
    while tried < 500:
        number = chance.randrange(len(plans))
        plan = plans[number]
        panel = chance.randrange(len(plan.fabric.panels))
        lines = switch_script(plan.fabric, plan.stages, panel).splitlines()
        commands = [place for place, line in enumerate(lines) if not line.startswith("#")]
        if not commands:
            continue
        tried += 1
        place = chance.choice(commands)
        sound = lines[place]
        lines[place] = mutated(sound.removeprefix("sudo "), chance)
        switch = switches(plan.fabric, plan.before)[panel]
        try:
            for line in lines:
                switch.run(line)
        except RefusedError:
            continue
        assert sound.startswith("sudo config ocs cross-connect add "), lines[place]
        apart = switch.connects.items() ^ ends[number][panel].items()
        accepted.add(len(apart))
        assert len(apart) in (1, 2), lines[place]
        assert len(ends[number][panel]) - len(switch.connects) == 2 - len(apart), lines[place]
        assert not is_read_as_the_end(plan, panel, switch, tmp_path / "now.txt"), lines[place]
    assert accepted == {1, 2}


def test_the_emulator_shares_no_code_with_the_exporter() -> None:
    tree = ast.parse(Path("tests/ocs_emulator.py").read_text())
    nodes = list(ast.walk(tree))
    imported = {
        alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names
    }
    imported |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    assert imported == {"re", "dataclasses"}


SECTION_9_1_1 = """\
sudo config ocs cross-connect add 1A-1B
sudo config ocs cross-connect add 1A-1B,2A-5B,12A-32B
"""
SECTION_9_2_1 = """\
id       a_side    b_side
-------  --------  --------
1A-1B    1A        1B
2A-5B    2A        5B
12A-32B  12A       32B
"""
SECTION_9_2_1_STATUS = """\
id       a_side    b_side    a_side_status    b_side_status
-------  --------  --------  ---------------  ---------------
1A-1B    1A        1B        tuned            tuned
2A-5B    2A        5B        tuned            tuned
12A-32B  12A       32B       tuned            tuned
"""
SECTION_9_2_2 = """\
id    label     state
----  --------  -------------
1A    Label_1A  force_blocked
1B              normal
2A              normal
2B              normal
"""
"""But for the dashes below state, of which the document has as many as `normal` and one more."""


def test_the_emulator_prints_the_examples_of_the_design() -> None:
    switch = Switch(ports=64)
    for line in SECTION_9_1_1.splitlines():
        switch.run(line)
    assert switch.run("show ocs cross-connect config") == SECTION_9_2_1
    assert switch.run("show ocs cross-connect status") == SECTION_9_2_1_STATUS
    switch.run("sudo config ocs cross-connect delete 1A-1B,2A-5B,12A-32B")
    switch.run("sudo config ocs cross-connect add 1A..10A-11B..20B")
    assert switch.connects == {f"{k}A": f"{k + 10}B" for k in range(1, 11)}
    switch.run("sudo config ocs cross-connect delete 1A..10A-11B..20B")
    assert switch.connects == {}


def test_the_emulator_prints_ports_as_the_design_does() -> None:
    """Section 9.1.3, then 9.2.2."""
    switch = Switch(ports=2)
    switch.run("sudo config ocs port label 1A  Label_1A")
    switch.run("sudo config ocs port state 1A  force_blocked")
    assert switch.run("show ocs port config") == SECTION_9_2_2


def test_modes_of_the_design() -> None:
    """Section 9.1: update, safe and overwrite."""
    switch = Switch(ports=8)
    switch.run("config ocs cross-connect add 1A-2B,3A-4B")
    with pytest.raises(RefusedError, match="in use"):
        switch.run("config ocs cross-connect add 5A-6B,1A-4B safe")
    assert switch.connects == {"1A": "2B", "3A": "4B"}
    switch.run("config ocs cross-connect add 1A-4B update")
    assert switch.connects == {"1A": "4B"}
    switch.run("config ocs cross-connect add 7A-8B overwrite")
    assert switch.connects == {"7A": "8B"}
    for line in ("add 9A-1B", "add 1B-2A", "add 1A-2B,1A-3B", "delete 1A-1B", "add 1A-2B gently"):
        with pytest.raises(RefusedError):
            switch.run(f"config ocs cross-connect {line}")


def test_files_of_every_switch(tmp_path: Path) -> None:
    plan = planned("Torus(4,4)", "C(16,{3,4})", 2)
    files = write_scripts(plan, tmp_path / "plan.csv")
    names = [f"plan.P{panel}{suffix}" for panel in range(2) for suffix in SUFFIXES]
    assert [Path(file).name for file in files] == names
    text = Path(files[0]).read_text()
    assert text.startswith("# P0: 1 stage\n# stage 1 of 1\nsudo config ocs cross-connect delete ")


@cache
def rings(panels: int) -> Inventory:
    """Three hosts on so many switches; made by the first test that asks."""
    return new_inventory("BiRing(2,3)", panels=panels, kind="ocs")[0]


SHOWN = "show ocs cross-connect config\n"
WRONG = [
    (SECTION_9_2_1, "line 3: h0:0 is connected to itself"),
    (SECTION_9_2_1.replace("1A-1B    1A        1B", "1A-9B    1A        9B"), "no port of the"),
    (SECTION_9_2_1.replace("1A-1B ", "1A-2B "), "line 3: id: 1A-1B is needed, not '1A-2B'"),
    (SHOWN + "1A-2B 1A 2B\n", "line 2: a table of show ocs is needed"),
    ('{"OCS_CROSS_CONNECT": {"1A-3B": {"a_side": "1A", "b_side": "5B"}}}', "1A-5B is in it"),
    ('{"OCS_CROSS_CONNECT": []}', "OCS_CROSS_CONNECT: an object is needed"),
    ('{"OCS_PORT": {"1A": {"state": "dark"}}}', "state: normal or force_blocked, not 'dark'"),
    ('{"OCS_PORT": {"A1": {"state": "normal"}}}', "a port such as 17A is needed, not 'A1'"),
    ('{"P0": 3}', "'P0': an object is needed"),
    ("{", "line 1, column 2"),
]


@pytest.mark.parametrize(("text", "reason"), WRONG)
def test_states_that_are_refused(text: str, reason: str, tmp_path: Path) -> None:
    file = tmp_path / "now"
    file.write_text(text)
    with pytest.raises(InvalidInput, match=reason):
        read_current(file, port_map(rings(1)))


@pytest.mark.parametrize("begin", ["", "\ufeff", "\n \n"])
def test_a_configuration_on_one_long_line(begin: str, tmp_path: Path) -> None:
    """As `jq -c` prints it; longer than a line of any table may be."""
    file = tmp_path / "now.json"
    database = {"OCS_CROSS_CONNECT": {"1A-3B": {"a_side": "1A", "b_side": "3B"}}}
    file.write_text(begin + json.dumps({"DEVICE_METADATA": {"x": "x" * 80_000}} | database))
    assert read_current(file, port_map(rings(1))).wiring.to.tolist() == [2, -1, -1, -1, -1, -1]
    assert form_of(file) is ObservedForm.SWITCHES


NOT_ALL_TOLD = [
    "admin@P0:~$ show ocs cross-connect config\nadmin@P1:~$ show ocs port config\n",
    '{"P0": {"OCS_CROSS_CONNECT": {}}}',
]


@pytest.mark.parametrize("text", NOT_ALL_TOLD)
def test_a_switch_that_is_not_named_is_not_empty(text: str, tmp_path: Path) -> None:
    file = tmp_path / "now"
    file.write_text(text)
    with pytest.raises(InvalidInput, match="now: nothing is told of P1: one that is empty"):
        read_current(file, port_map(rings(2)))
    whole = text.replace("show ocs port", "show ocs cross-connect").replace(
        "{}}}", '{}}, "P1": {}}'
    )
    file.write_text(whole)
    assert read_current(file, port_map(rings(2))).wiring.count == 0


def test_a_switch_that_is_not_named_is_not_compared(tmp_path: Path) -> None:
    file = tmp_path / "now"
    row = {"1A-2B": {"a_side": "1A", "b_side": "2B"}}
    file.write_text(json.dumps({"P1": {"OCS_CROSS_CONNECT": row}}))
    with pytest.raises(InvalidInput, match="now: nothing is told of P0: one that is empty"):
        read_links(file, ["P0", "P1"])


def test_a_configuration_with_a_blocked_port(tmp_path: Path) -> None:
    file = tmp_path / "now.json"
    file.write_text(
        '{"DEVICE_METADATA": {}, "OCS_CROSS_CONNECT": {"1A-3B": {"a_side": "1A", "b_side": "3B"}},'
        '"OCS_PORT": {"2B": {"state": "force_blocked"}, "99A": {"label": "spare"}}}'
    )
    found = read_current(file, port_map(rings(1)))
    assert found.wiring.to.tolist() == [2, -1, -1, -1, -1, -1]
    assert found.blocked == ("h0:1",)
