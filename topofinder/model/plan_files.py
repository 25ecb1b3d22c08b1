"""Plans as files: the numbered moves as CSV, and all of a plan as JSON, which is read back.

The same plan gives the same bytes: nothing that was measured and no date is in them.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from generators.version import __version__
from topofinder.model.inventory.cross_connects import wiring_text
from topofinder.model.inventory.document import State
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Circuit, Stage, Wiring
from topofinder.model.plan import Plan, apply_stage

FORMAT = "topofinder-plan"
VERSION = 2
LISTED_BYTES = 12 << 20
"""Bytes of all wirings that a plan lists in full; of larger ones it tells the hashes."""

PARTS = (".csv", ".rollback.csv", ".wiring.csv", ".json")
"""What the files of a plan end in."""
COLUMNS = (
    *("move", "stage", "panel", "action", "mode", "port_a", "port_b"),
    *("position_a", "position_b", "host_a", "host_b"),
)


def move_rows(fabric: PortMap, stages: Sequence[Stage]) -> Iterator[tuple[str, ...]]:
    """One row of COLUMNS for each move: first what a stage takes out, then what it makes."""
    number = 0
    for count, stage in enumerate(stages, 1):
        for action, circuits in (("disconnect", stage.frees), ("connect", stage.connects)):
            for circuit in circuits:
                number += 1
                yield str(number), str(count), *_row(fabric, action, circuit)


def _row(fabric: PortMap, action: str, circuit: Circuit) -> tuple[str, ...]:
    ports = circuit[:2]
    return (
        fabric.panels[fabric.panel[circuit.a]].name,
        action,
        _mode(circuit),
        *(fabric.names[port] for port in ports),
        *(fabric.positions[port] for port in ports),
        *(fabric.hosts[fabric.host[port]] for port in ports),
    )


def moves_text(fabric: PortMap, stages: Sequence[Stage]) -> str:
    """The moves as CSV. A simplex circuit leads from the transmitter of port_a."""
    return "".join(",".join(row) + "\n" for row in (COLUMNS, *move_rows(fabric, stages)))


def plan_text(plan: Plan) -> str:
    """All of a plan as JSON, a stage a line."""
    fields = plan_header(plan)
    width = 2 * max(map(len, plan.fabric.names), default=0) + 20
    listed = width * sum(int((wiring >= 0).sum()) for wiring in _states(plan)) <= LISTED_BYTES
    stages = list(_stages(plan.fabric, plan.before, plan.stages, listed))
    rollback = list(_stages(plan.fabric, plan.after, plan.rollback, False))
    lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in fields.items()]
    for name, rows in (("stages", stages), ("rollback", rollback)):
        inner = ",\n".join(" " + json.dumps(row) for row in rows)
        lines.append(f'"{name}": [\n{inner}\n]' if rows else f'"{name}": []')
    lines.append(f'"wiring": {json.dumps(_connections(plan.fabric, plan.after))}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def plan_header(plan: Plan) -> dict[str, Any]:
    """What a plan says of itself, without its moves."""
    fabric, topology = plan.fabric, plan.topology
    return {
        "format": FORMAT,
        "version": VERSION,
        "by": f"topofinder {__version__}",
        "target": plan.subject,
        "recipe": plan.recipe,
        "n": topology.n,
        "d": topology.degree,
        "mode": "duplex" if plan.duplex else "simplex",
        "arcs": [topology.tail.tolist(), topology.head.tolist()],
        "hosts": [fabric.hosts[host] for host in plan.host],
        "joining": [fabric.hosts[host] for host in plan.working.joining.tolist()],
        "leaving": [fabric.hosts[host] for host in plan.working.leaving.tolist()],
        "dead": [fabric.names[port] for port in fabric.of_state(State.DEAD).tolist()],
        "moves": plan.moves,
        "lower_bound": plan.bound.moves,
        "bound": plan.bound.name,
        "kept": plan.kept,
        "disconnects": plan.frees,
        "missing": [list(pair) for pair in plan.missing],
        "missing_proved": plan.missing_proved,
        "placement_missing": plan.placement_missing,
        "placement_moves": plan.placement_moves,
        "seconds_estimated": float(plan.seconds_estimated),
        "keep_connected": plan.keep_connected,
        "dark_stages": list(plan.dark),
        "found": plan.found,
        "seed": plan.seed,
        "before": plan.before.digest,
        "after": plan.after.digest,
    }


def _states(plan: Plan) -> Iterator[Any]:
    """The receivers of all transmitters after each stage, one array changed in place."""
    to = plan.before.to.copy()
    for stage in plan.stages:
        apply_stage(to, stage)
        yield to


def _stages(
    fabric: PortMap, before: Wiring, stages: Iterable[Stage], listed: bool
) -> Iterator[dict[str, Any]]:
    to = before.to.copy()
    for stage in stages:
        apply_stage(to, stage)
        now = Wiring(to=to)
        row: dict[str, Any] = {
            "disconnect": [_named(fabric, circuit) for circuit in stage.frees],
            "connect": [_named(fabric, circuit) for circuit in stage.connects],
            "seconds": str(stage.seconds),
            "parts": stage.parts,
            "digest": now.digest,
        }
        yield row | ({"wiring": _connections(fabric, now)} if listed else {})


def _connections(fabric: PortMap, wiring: Wiring) -> list[list[str]]:
    return [_named(fabric, circuit) for circuit in wiring.circuits()]


def _named(fabric: PortMap, circuit: Circuit) -> list[str]:
    return [fabric.names[circuit.a], fabric.names[circuit.b], _mode(circuit)]


def _mode(circuit: Circuit) -> str:
    return "duplex" if circuit.duplex else "simplex"


def plan_file_texts(plan: Plan) -> dict[str, str]:
    """All files of a plan by their suffix."""
    told = (
        moves_text(plan.fabric, plan.stages),
        moves_text(plan.fabric, plan.rollback),
        wiring_text(plan.fabric, plan.after),
        plan_text(plan),
    )
    return dict(zip(PARTS, told, strict=True))
