"""`topofinder check`: what a fabric says of its wiring against what should be, and the repair."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.topology import Topology
from reports.check import BuiltCost, FibreDifference, WiringCheck, check_fields, check_text
from topofinder.api.plan import PathName
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.places import check_places
from topofinder.api.shared.workloads import read_seconds
from topofinder.model.inventory.cross_connects import bundled_repair, fibre_wiring
from topofinder.model.inventory.observed import Observation, observation_of
from topofinder.model.inventory.observed_files import ObservedForm, read_links
from topofinder.model.inventory.ports import PortMap, read_port_map
from topofinder.model.inventory.switch_state import read_current
from topofinder.model.inventory.wiring import Wiring
from topofinder.model.plan import Plan
from topofinder.model.plan_files import plan_paths, require_output, write_plan

SECONDS = 2.0
AS_BUILT = "as built"
COST_GAP = Fraction(1, 100)
"""How near the bounds of throughputs are brought to one another."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class CheckedWiring(Answer):
    """A fabric that was compared with what it should be; `plan` mends it, None where none does."""

    record: WiringCheck
    observed: Observation
    plan: Plan | None = None

    @property
    def matches(self) -> bool:
        """Whether every fibre is where it should be."""
        return self.record.matches

    def summary(self) -> dict[str, Any]:
        """The verdict, the differences by fibre, and the moves that mend them."""
        moves = None if self.plan is None else self.plan.moves
        return {
            "verdict": self.record.verdict,
            "differences": len(self.record.differences),
            "moves": moves,
        }

    def to_dict(self) -> dict[str, Any]:
        """The fields that `check --json` prints."""
        return check_fields(self.record)

    def table_rows(self) -> list[dict[str, Any]]:
        """The fibres that are not where they should be."""
        rows: list[dict[str, Any]] = self.to_dict()["differences"]
        return rows

    def __str__(self) -> str:
        return check_text(self.record)


def check(
    inventory: PathName,
    expected: PathName,
    observed: PathName,
    output: PathName | None = None,
    *,
    form: ObservedForm | str | None = None,
    keep_connected: bool = False,
    costs: bool = True,
    seed: int = 0,
    time: float | str = SECONDS,
) -> CheckedWiring:
    """Compare the wiring that was observed with the cross-connects that should be.

    `observed` is a file of LLDP neighbours, of cables, of ports or of what optical switches show,
    of that `form` or of the one that it looks like; `expected` may be of switches too. Fibres of
    trunks are compared one by one; trunks are moved where each is whole, else their fibres. Where
    fibres differ, it is asked whether the fabric is the same under other names, and else the
    fewest moves found that mend it are planned, replayed, and written under the name `output`.
    `time` is what the search may take, and the two throughputs of the `costs` of living with it
    together. Raises InvalidInput, with file and line, for what is wrong with the
    input.
    """
    file = None if output is None else Path(output)
    inputs = {"--inventory": inventory, "--expected": expected, "--observed": observed}
    if file is not None:
        require_output(file, {name: str(path) for name, path in inputs.items()})
    check_places(None, *(() if file is None else plan_paths(file)))
    seconds, seen_as = read_seconds(time), _read_form(form)
    trunks = read_port_map(inventory)
    fabric = trunks.by_fibre
    wanted = fibre_wiring(trunks, read_current(expected, trunks).wiring)
    panels = [panel.name for panel in fabric.panels]
    seen = observation_of(fabric, read_links(observed, panels, seen_as))
    record = _compare(fabric, wanted, seen)
    if record.matches or seen.leads:
        return CheckedWiring(record=record, observed=seen)
    bundled = bundled_repair(trunks, seen.wiring, wanted)
    found, should = bundled or (seen.wiring, wanted)
    crossed = trunks.links > 1 and bundled is None
    fabric = trunks if bundled is not None else fabric
    return _mend(
        *(fabric, should, found, seen, record, file),
        *(crossed, keep_connected, costs, seed, seconds),
    )


def _read_form(form: ObservedForm | str | None) -> ObservedForm | None:
    known = [kind.value for kind in ObservedForm]
    if form is not None and form not in known:
        raise InvalidInput(f"--format: one of {', '.join(known)}, not {excerpt(form)}")
    return None if form is None else ObservedForm(form)


def _compare(fabric: PortMap, wanted: Wiring, seen: Observation) -> WiringCheck:
    found = seen.wiring
    there = set(wanted.circuits())
    names = fabric.names
    return WiringCheck(
        expected=wanted.count,
        seen=found.count,
        right=sum(circuit in there for circuit in found.circuits()),
        differences=tuple(_differences(fabric, wanted, seen)),
        across=tuple((names[a], names[b]) for a, b in seen.across),
        alike=tuple((names[a], names[b]) for a, b in seen.alike),
        strays=tuple((names[port], other) for port, other in seen.strays),
        leads=tuple((names[port], position) for port, position in seen.leads),
        foreign=seen.foreign,
        assumed=seen.assumed,
    )


def _differences(fabric: PortMap, wanted: Wiring, seen: Observation) -> Iterator[FibreDifference]:
    elsewhere = {port: fabric.names[other] for port, other in (*seen.across, *seen.alike)}
    elsewhere |= dict(seen.strays)
    for port in np.flatnonzero(wanted.to != seen.to).tolist():
        should, does = int(wanted.to[port]), int(seen.to[port])
        yield FibreDifference(
            port=fabric.names[port],
            panel=fabric.panels[fabric.panel[port]].name,
            expected="" if should < 0 else fabric.names[should],
            found=elsewhere.get(port, "") if does < 0 else fabric.names[does],
        )


def _mend(
    fabric: PortMap,
    wanted: Wiring,
    found: Wiring,
    seen: Observation,
    record: WiringCheck,
    file: Path | None,
    crossed: bool,
    keep_connected: bool,
    costs: bool,
    seed: int,
    seconds: float,
) -> CheckedWiring:
    """The answer with a plan, and with what it costs to go without.

    Fibres of trunks that are `crossed` go back to their own ports.
    """
    from topofinder.api.plan_methods import PlanResult, require_true
    from topofinder.api.plan_records import plan_digest, summarise_plan
    from topofinder.patching.mending import mend_wiring
    from topofinder.patching.port_repair import restore_ports

    if crossed:
        mending = restore_ports(fabric, found, wanted, keep_connected=keep_connected)
    else:
        mending = mend_wiring(
            fabric, found, wanted, seed=seed, time=seconds, keep_connected=keep_connected
        )
    plan = mending.plan
    require_true(plan, found)
    files = () if file is None else write_plan(plan, file)
    told = summarise_plan(PlanResult(plan=plan), file, files, plan_digest(plan))
    names = fabric.hosts
    record = replace(
        record,
        renamed=tuple((names[host], names[part]) for host, part in mending.renamed),
        restored=mending.restored,
        mended=told,
    )
    if costs and plan.moves:
        built = tuple(_costs(fabric, plan, found, seconds / 2))
        record = replace(record, costs=built, connects=len(built) > 1)
    return CheckedWiring(record=record, observed=seen, plan=plan)


def _costs(fabric: PortMap, plan: Plan, seen: Wiring, seconds: float) -> Iterator[BuiltCost]:
    """What the fabric should be worth, and what it is worth as it was built, if it joins all."""
    from topofinder.patching.existing_circuits import wired_topology
    from topofinder.patching.planner import eligible_hosts

    whole = _cost("as it should be", plan.topology, plan.topology.degree, seconds, None)
    if whole is None:
        return
    yield whole
    allowed = eligible_hosts(fabric, None)
    built = wired_topology(fabric, seen, duplex=False, allowed=allowed)
    if built is not None and built.n == plan.topology.n:
        found = _cost(AS_BUILT, built, plan.topology.degree, seconds, whole)
        if found is not None:
            yield found


def _cost(
    name: str, graph: Topology, d: int, seconds: float, whole: BuiltCost | None
) -> BuiltCost | None:
    """The costs of a graph for hosts of d ports; None where it does not connect them."""
    from topofinder.api.plan_throughputs import rate_within
    from topofinder.patching.fewer_links import bfb_costs
    from topofinder.patching.planner import Target

    found = bfb_costs(graph, d)
    if found is None:
        return None
    target = Target(subject=name, recipe=None, topology=graph, duplex=False)
    rate = rate_within(seconds, gap=COST_GAP)(target)
    return BuiltCost(
        name=name,
        allgather=found[0],
        reduce_scatter=found[1],
        rate=rate,
        slower=None if whole is None else _slowdown(whole.rate, rate),
    )


def _slowdown(
    whole: tuple[Fraction, Fraction] | None, rate: tuple[Fraction, Fraction] | None
) -> tuple[Fraction, Fraction] | None:
    """How many times longer an all-to-all takes, at least and at most."""
    if whole is None or rate is None or not rate[0]:
        return None
    return whole[0] / rate[1], whole[1] / rate[0]
