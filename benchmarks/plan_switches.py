"""Scripts of optical circuit switches for the pairs of `planning.py`, carried out by an emulator.

    python benchmarks/plan_switches.py [--quick]

The emulator (tests/ocs_emulator.py) is written from the design of OCS under SONiC alone. For each
pair, on one switch and on four, the scripts there and back are carried out, and again from their
beginning after a stop at every line. No end may be another than that of the plan; the last line
counts them.
"""

import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.planning import PAIRS, random_regular
from expansions.build import build
from expansions.parser import parse
from generators.topology import Topology
from tests.ocs_emulator import NotThereError, RefusedError, Switch
from topofinder.exporters.sonic_ocs import switch_script
from topofinder.model.inventory.document import PanelKind, inventory_for
from topofinder.model.inventory.ports import PortMap, port_map
from topofinder.model.inventory.wiring import Wiring
from topofinder.model.plan import Plan
from topofinder.patching.pinned_placement import PlacementOptions
from topofinder.patching.planner import PlanOptions, Target, make_plan

SWITCHES = (1, 4)


@dataclass
class Ends:
    """Ends that were reached, and those that are not the plan's."""

    reached: int = 0
    wrong: int = 0


def target(text: str, duplex: bool) -> Target:
    """A recipe, or a random regular graph such as `Random(256)`."""
    if text.startswith("Random("):
        found = random_regular(int(text[7:-1]), duplex, np.random.default_rng(1))
        tail, head = found.tail, found.head
        if duplex:
            tail, head = np.concatenate([tail, head]), np.concatenate([head, tail])
        graph = Topology(n=found.n, tail=tail.astype(np.int32), head=head.astype(np.int32))
        return Target(subject=text, recipe=None, topology=graph, duplex=duplex)
    return Target(subject=text, recipe=text, topology=build(parse(text)), duplex=duplex)


def plan_pair(first: str, second: str, duplex: bool, switches: int, seconds: float) -> Plan:
    """The plan from the first graph on shuffled hosts to the second."""
    begin, end = target(first, duplex), target(second, duplex)
    fabric = port_map(
        inventory_for(
            hosts=begin.topology.n,
            ports=begin.topology.degree,
            panels=switches,
            kind=PanelKind.OCS,
        )
    )
    shuffled = np.random.default_rng(1).permutation(begin.topology.n).astype(np.int32)
    placed = PlacementOptions(fixed=shuffled, time=1.0)
    nothing = Wiring(to=np.full(fabric.ports, -1))
    wired = make_plan(fabric, nothing, begin, PlanOptions(placement=placed))
    options = PlanOptions(placement=PlacementOptions(time=seconds))
    return make_plan(fabric, wired.after, end, options)


def switch_of(fabric: PortMap, wiring: Wiring, panel: int) -> Switch:
    """A switch in the state of a wiring, from its fibres alone."""
    found = Switch(ports=fabric.panels[panel].limit)
    for a in np.flatnonzero((wiring.to >= 0) & (fabric.panel == panel)).tolist():
        one, two = (fabric.positions[port].split(":")[1] for port in (a, int(wiring.to[a])))
        found.connects[f"{one}A"] = f"{two}B"
    return found


def carry_out(plan: Plan, ends: Ends) -> None:
    """All scripts there and back, and again after a stop at every line."""
    directions = ((plan.stages, plan.before, plan.after), (plan.rollback, plan.after, plan.before))
    for panel in range(len(plan.fabric.panels)):
        for stages, before, after in directions:
            lines = switch_script(plan.fabric, stages, panel).splitlines()
            aim = switch_of(plan.fabric, after, panel).connects
            for stop in range(len(lines) + 1):
                switch = switch_of(plan.fabric, before, panel)
                ends.reached += 1
                ends.wrong += not _ends_in(switch, lines, stop, aim)


def _ends_in(switch: Switch, lines: list[str], stop: int, aim: dict[str, str]) -> bool:
    try:
        for line in lines[:stop]:
            switch.run(line)
        for line in lines:
            with suppress(NotThereError):
                switch.run(line)
    except RefusedError:
        return False
    return switch.connects == aim


def main() -> None:
    """Print a line for each pair and number of switches."""
    quick = "--quick" in sys.argv[1:]
    ends, begun = Ends(), process_time()
    print("from                 to                  switches  moves  stages  runs  wrong")
    for first, second, duplex in PAIRS[:1] if quick else PAIRS:
        for switches in SWITCHES:
            plan = plan_pair(first, second, duplex, switches, 1.0 if quick else 10.0)
            here = Ends()
            carry_out(plan, here)
            ends.reached, ends.wrong = ends.reached + here.reached, ends.wrong + here.wrong
            print(
                f"{first:20} {second:19} {switches:8} {plan.moves:6} {len(plan.stages):7} "
                f"{here.reached:5} {here.wrong:6}",
                flush=True,
            )
    print(f"{ends.reached} runs, {ends.wrong} wrong, {process_time() - begun:.0f} CPU s")


if __name__ == "__main__":
    main()
