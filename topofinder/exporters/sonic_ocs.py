"""The commands of optical circuit switches under SONiC that carry out a plan, and its rollback.

After the design "OCS Support in SONiC" (pull requests 2269 of sonic-net/SONiC and 2229 of
opencomputeproject/SAI), section 9.1: a switch has simplex ports 1A, 2A, ... and 1B, 2B, ..., and a
cross-connect such as 1A-5B leads from an A side to a B side alone. Position p of a panel is the
pair pA and pB: the transmitter of its port is plugged into pA, the receiver into pB. So a simplex
circuit is one cross-connect and a duplex one is two. Where ports have circulators each is on a side
of its own, and a duplex circuit is one cross-connect.

Each switch has a script of its own, with the same stages in all: a stage begins when the one
before it is done everywhere. Cross-connects are deleted first, and added with `safe`, which fails
where a port is in use by another. A circuit that was made is never deleted again, and none that
was deleted is made: so a script that was stopped may be run again from its beginning.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from generators.errors import InvalidInput
from generators.files import write_whole
from topofinder.model.inventory.document import PanelKind
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Circuit, Stage
from topofinder.model.plan import Plan

FORMAT = "sonic-ocs"
COMMAND = "config ocs cross-connect"
MOST = 64
"""Cross-connects of one command: one change of the switch's configuration each."""
SUFFIXES = (".ocs.txt", ".rollback.ocs.txt")
"""What the script of a switch ends in, and that of its rollback."""


def cross_connects(fabric: PortMap, circuit: Circuit) -> tuple[str, ...]:
    """The names of the cross-connects of a circuit.

    >>> from topofinder.model.inventory.document import inventory_for
    >>> from topofinder.model.inventory.ports import port_map
    >>> pair = port_map(inventory_for(hosts=2, ports=1, kind=PanelKind.OCS))
    >>> cross_connects(pair, Circuit(0, 1, True))
    ('1A-2B', '2A-1B')
    """
    a, b = (fabric.positions[port].rpartition(":")[2] for port in circuit[:2])
    if fabric.forbidden.sides and fabric.forbidden.sides[circuit.a]:
        return ("-".join(sorted((a, b), key=lambda name: name[-1])),)
    there, back = f"{a}A-{b}B", f"{b}A-{a}B"
    return (there, back) if circuit.duplex else (there,)


def switch_script(fabric: PortMap, stages: Sequence[Stage], panel: int) -> str:
    """The commands of a switch, stage by stage."""
    count = f"{len(stages)} stage{'s' * (len(stages) != 1)}"
    lines = [f"# {fabric.panels[panel].name}: {count}"]
    for number, stage in enumerate(stages, 1):
        wait = "" if number == 1 else f", once stage {number - 1} is done on all switches"
        lines.append(f"# stage {number} of {len(stages)}{wait}")
        lines += _commands(fabric, stage.frees, panel, "delete {}")
        lines += _commands(fabric, stage.connects, panel, "add {} safe")
    return "\n".join(lines) + "\n"


def _commands(fabric: PortMap, circuits: Sequence[Circuit], panel: int, form: str) -> Iterator[str]:
    own = [circuit for circuit in circuits if fabric.panel[circuit.a] == panel]
    names = [name for circuit in own for name in cross_connects(fabric, circuit)]
    for first in range(0, len(names), MOST):
        yield f"sudo {COMMAND} {form.format(','.join(names[first : first + MOST]))}"


def script_paths(fabric: PortMap, output: Path) -> tuple[Path, ...]:
    """The files of all switches, named after `output` without its suffix and the switch."""
    stem = output.with_suffix("")
    names = [panel.name.replace("/", "_") for panel in fabric.panels]
    return tuple(
        stem.with_name(f"{stem.name}.{name}{suffix}") for name in names for suffix in SUFFIXES
    )


def require_switches(fabric: PortMap, output: Path | None) -> None:
    """Refuse panels that are no optical circuit switches, and files that are not scripts of ours.

    Raises InvalidInput, without an output too.
    """
    if output is None:
        raise InvalidInput("--format: --output is needed")
    for panel in fabric.panels:
        if panel.kind is not PanelKind.OCS:
            raise InvalidInput(f"--format: {panel.name} is a {panel.kind}, not an ocs")
    names = [panel.name.replace("/", "_") for panel in fabric.panels]
    if len(set(names)) < len(names):
        raise InvalidInput("--format: two switches would have the same file, / being _")
    for path in script_paths(fabric, output):
        if path.is_file() and not path.read_bytes()[:2] == b"# ":
            raise InvalidInput(f"--output: {path} is there already, and not of an earlier plan")


def write_scripts(plan: Plan, output: Path) -> tuple[str, ...]:
    """Write the scripts of all switches, there and back."""
    paths = iter(script_paths(plan.fabric, output))
    written = []
    for panel in range(len(plan.fabric.panels)):
        for stages in (plan.stages, plan.rollback):
            path = next(paths)
            write_whole(path, switch_script(plan.fabric, stages, panel))
            written.append(str(path))
    return tuple(written)
