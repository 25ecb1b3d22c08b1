"""Plans as files: the numbered moves as CSV, and all of a plan as JSON, which is read back.

The same plan gives the same bytes: nothing that was measured and no date is in them.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from os.path import realpath
from pathlib import Path
from typing import Any

from generators.errors import InvalidInput
from generators.files import write_whole
from generators.version import __version__
from topofinder.model.drain import Drain
from topofinder.model.inventory.cross_connects import wiring_text
from topofinder.model.inventory.document import State
from topofinder.model.inventory.losses import decibel_text, loss_rows
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Circuit, Stage, Wiring
from topofinder.model.losses import CircuitLosses
from topofinder.model.plan import Plan, apply_stage
from topofinder.model.plan_document import FORMAT, VERSION, WRITTEN_BYTES, document_text
from topofinder.model.port_rates import link_rates

PARTS = (".csv", ".rollback.csv", ".wiring.csv", ".json")
"""What the files of a plan end in."""
COLUMNS = (
    *("move", "stage", "panel", "action", "mode", "port_a", "port_b"),
    *("position_a", "position_b", "host_a", "host_b"),
)
SUFFIXES = (".csv", ".json")
"""What a plan is written under."""


def write_plan(plan: Plan, output: Path) -> tuple[str, ...]:
    """Write the files of a plan beside one another, named after `output` without its suffix.

    Files of an earlier plan of that name go first, so that whoever stops half-way never leaves
    the moves of one plan beside the rollback of another. Raises InvalidInput for another suffix
    than .csv or .json, and where the disk refuses.
    """
    require_plan_suffix(output)
    paths = dict(zip(PARTS, plan_paths(output), strict=True))
    for path in paths.values():
        if path.is_file():
            path.unlink()
    for suffix, text in plan_file_texts(plan).items():
        write_whole(paths[suffix], text)
    return tuple(map(str, paths.values()))


def plan_paths(output: Path) -> tuple[Path, ...]:
    """The files that a plan is written to."""
    stem = output.with_suffix("")
    return tuple(stem.with_name(stem.name + suffix) for suffix in PARTS)


def require_output(output: Path, inputs: Mapping[str, Path | str | None]) -> None:
    """Refuse, before anything is searched for, a name that plans are not written under.

    `inputs` are the files that are read, by option: none of them is written over.
    """
    require_plan_suffix(output)
    for option, file in inputs.items():
        for path in plan_paths(output):
            if file is not None and realpath(path) == realpath(file):
                raise InvalidInput(f"--output: {path} is the file of {option}")
    for suffix, path in zip(PARTS, plan_paths(output), strict=True):
        if path.is_file() and not _is_of_a_plan(path, suffix):
            raise InvalidInput(f"--output: {path} is there already, and not of an earlier plan")


def _is_of_a_plan(path: Path, suffix: str) -> bool:
    """Whether a file begins as one of a plan does: others of its name may be dear to someone."""
    begins = {".json": f'{{\n"format": "{FORMAT}"', ".wiring.csv": "panel,port_a,port_b,mode\n"}
    text = begins.get(suffix, ",".join(COLUMNS) + "\n").encode()
    try:
        with path.open("rb") as file:
            return file.read(len(text)) == text
    except OSError:
        return False


def require_plan_suffix(output: Path) -> None:
    """Refuse a name without the suffix of a plan."""
    if output.suffix.lower() not in SUFFIXES:
        raise InvalidInput(f"--output: {output} ends in none of {', '.join(SUFFIXES)}")


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


@lru_cache(maxsize=1)  # a plan is checked, hashed and written one after the other
def plan_document_text(plan: Plan) -> str:
    """All of a plan as JSON, a stage a line."""
    width = 2 * max(map(len, plan.fabric.names), default=0) + 20
    listed = width * sum(int((wiring >= 0).sum()) for wiring in _states(plan)) <= WRITTEN_BYTES
    fields = plan_header(plan)
    fields["stages"] = list(_stages(plan.fabric, plan.before, plan.stages, listed))
    fields["rollback"] = list(_stages(plan.fabric, plan.after, plan.rollback, False))
    fields["wiring"] = _connections(plan.fabric, plan.after)
    return document_text(fields)


def plan_header(plan: Plan) -> dict[str, Any]:
    """What a plan says of itself, without its moves."""
    fabric, topology = plan.fabric, plan.topology
    told: dict[str, Any] = {
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
        "dark_stages": list(plan.dark_stages),
        "found": plan.found,
        "seed": plan.seed,
        "before": plan.before.digest,
        "after": plan.after.digest,
    }
    if fabric.forbidden:
        told["forbidden"] = fabric.forbidden_names
    if fabric.bundles is not None:
        told["trunk"] = fabric.links
    if fabric.forbidden.rates:
        told["port_rates"] = list(map(str, fabric.forbidden.rates))
        told["arc_rates"] = list(map(str, link_rates(plan.topology)))
    if plan.losses is not None:
        told["losses"] = _losses(fabric, plan.losses)
    return told if plan.drain is None else told | {"drain": _drain(fabric, plan.drain)}


def _losses(fabric: PortMap, losses: CircuitLosses) -> dict[str, Any]:
    """What new circuits lose, and the losses that it follows from, unless they are too long."""
    told: dict[str, Any] = {
        "budget": None if losses.budget is None else decibel_text(losses.budget),
        "worst": decibel_text(losses.worst),
        "proved": losses.proved,
        "ports": None,
        "pairs": None,
    }
    ports, pairs = loss_rows(losses.ports, fabric)
    whole = told | {"ports": ports, "pairs": pairs}
    return whole if len(json.dumps(whole)) <= WRITTEN_BYTES else told


def _drain(fabric: PortMap, drain: Drain) -> dict[str, Any]:
    """What was asked to stay up in the middle of stages, and what is."""
    return {
        "take_out": None if drain.take_out is None else str(drain.take_out),
        "cuts": [[fabric.hosts[host] for host in cut] for cut in drain.cuts],
        "most_out": list(map(str, drain.most_out)),
        "keep_throughput": None if drain.keep is None else str(drain.keep),
        "demand": drain.demand,
        "whole": str(drain.whole),
        "throughputs": list(map(str, drain.rates)),
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
            "disconnect": [_circuit_names(fabric, circuit) for circuit in stage.frees],
            "connect": [_circuit_names(fabric, circuit) for circuit in stage.connects],
            "seconds": str(stage.seconds),
            "parts": stage.parts,
            "digest": now.digest,
        }
        yield row | ({"wiring": _connections(fabric, now)} if listed else {})


def _connections(fabric: PortMap, wiring: Wiring) -> list[list[str]]:
    names, modes = fabric.names, ("simplex", "duplex")
    return [[names[a], names[b], modes[duplex]] for a, b, duplex in wiring.circuits()]


def _circuit_names(fabric: PortMap, circuit: Circuit) -> list[str]:
    return [fabric.names[circuit.a], fabric.names[circuit.b], _mode(circuit)]


def _mode(circuit: Circuit) -> str:
    return "duplex" if circuit.duplex else "simplex"


def plan_file_texts(plan: Plan) -> dict[str, str]:
    """All files of a plan by their suffix."""
    told = (
        moves_text(plan.fabric, plan.stages),
        moves_text(plan.fabric, plan.rollback),
        wiring_text(plan.fabric, plan.after),
        plan_document_text(plan),
    )
    return dict(zip(PARTS, told, strict=True))
