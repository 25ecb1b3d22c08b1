"""The commands of optical circuit switches under SONiC that carry out a plan, and its rollback.

After the design "OCS Support in SONiC" (pull requests 2269 of sonic-net/SONiC and 2229 of
opencomputeproject/SAI), section 9.1: a switch has simplex ports 1A, 2A, ... and 1B, 2B, ..., and a
cross-connect such as 1A-5B leads from an A side to a B side alone. Position p of a panel is the
pair pA and pB: the transmitter of its port is plugged into pA, the receiver into pB. So a simplex
circuit is one cross-connect and a duplex one is two. Where ports have circulators each is on a side
of its own, and a duplex circuit is one cross-connect. Trunks have those of all their fibres, first
to first but where they are in place in another order, in one command.

Each switch has a script of its own, with the same stages in all: a stage begins when the one
before it is done everywhere. Cross-connects are deleted first, and added with `safe`, which fails
where a port is in use by another. A circuit that was made is never deleted again, and none that
was deleted is made: so a script that was stopped may be run again from its beginning.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.files import write_whole
from topofinder.model.inventory.document import PanelKind
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.trunks import fibre_receivers
from topofinder.model.inventory.wiring import Circuit, Stage
from topofinder.model.plan import Plan

FORMAT = "sonic-ocs"
COMMAND = "config ocs cross-connect"
MOST = 64
"""Cross-connects of one command: one change of the switch's configuration each."""
SUFFIXES = (".ocs.txt", ".rollback.ocs.txt")
"""What the script of a switch ends in, and that of its rollback."""

FibreOrder = Sequence[tuple[int, ...]]
"""The ports that the fibres of each trunk lead to, see `Wiring`."""


def cross_connects(
    fabric: PortMap, circuit: Circuit, order: FibreOrder | None = None
) -> tuple[str, ...]:
    """The names of the cross-connects of a circuit, of trunks in that `order` of fibres.

    >>> from topofinder.model.inventory.document import inventory_for
    >>> from topofinder.model.inventory.ports import port_map
    >>> pair = port_map(inventory_for(hosts=2, ports=1, kind=PanelKind.OCS))
    >>> cross_connects(pair, Circuit(0, 1, True))
    ('1A-2B', '2A-1B')
    """
    a, b, duplex = circuit
    if duplex and fabric.bundles is not None and order is not None:
        ends = (a, b), (b, a)
        if any(sorted(order[one]) != sorted(fabric.bundles.ports[two]) for one, two in ends):
            order = None  # one way was there at most, and is made again with the other
    pairs = _fibre_pairs(fabric, a, b, order)
    if fabric.forbidden.sides and fabric.forbidden.sides[a]:
        return tuple("-".join(sorted(pair, key=lambda name: name[-1])) for pair in pairs)
    pairs += _fibre_pairs(fabric, b, a, order) if duplex else []
    return tuple(f"{one}A-{two}B" for one, two in pairs)


def _fibre_pairs(
    fabric: PortMap, a: int, b: int, order: FibreOrder | None
) -> list[tuple[str, str]]:
    """The places on a switch of what leads from a port to another, fibre by fibre."""
    pairs = [(a, b)]
    if fabric.bundles is not None:
        there = fibre_receivers(fabric.bundles, a, b, order)
        pairs = list(zip(fabric.bundles.ports[a], there, strict=True))
    places = fabric.by_fibre.positions
    return [(places[one].rpartition(":")[2], places[two].rpartition(":")[2]) for one, two in pairs]


def switch_script(
    fabric: PortMap,
    stages: Sequence[Stage],
    panel: int,
    order: FibreOrder | None = None,
    doubtful: Sequence[Circuit] = (),
) -> str:
    """The commands of a switch, stage by stage; `order` is that of the fibres before the plan.

    Circuits that are `doubtful` are deleted first, each cross-connect by itself, as it may not be
    there. One that the stages make stays if it is: adding it again changes nothing.
    """
    count = f"{len(stages)} stage{'s' * (len(stages) != 1)}"
    lines = [f"# {fabric.panels[panel].name}: {count}"]
    made = {name for one in stages for c in one.connects for name in cross_connects(fabric, c)}
    unsure = [one for one in doubtful if fabric.panel[one.a] == panel]
    names = dict.fromkeys(name for one in unsure for name in cross_connects(fabric, one))
    first = [name for name in names if name not in made]
    lines += ["# first, refused where it is not there"] * bool(first)
    lines += [f"sudo {COMMAND} delete {name}" for name in first]
    for number, stage in enumerate(stages, 1):
        wait = "" if number == 1 else f", once stage {number - 1} is done on all switches"
        lines.append(f"# stage {number} of {len(stages)}{wait}")
        for circuits, form in ((stage.frees, "delete {}"), (stage.connects, "add {} safe")):
            own = [circuit for circuit in circuits if fabric.panel[circuit.a] == panel]
            lines += _commands([cross_connects(fabric, one, order) for one in own], form)
    return "\n".join(lines) + "\n"


def _commands(circuits: Sequence[tuple[str, ...]], form: str) -> Iterator[str]:
    """Commands of at most so many cross-connects, or of one circuit."""
    at_once = max(1, MOST // max(map(len, circuits), default=1))
    for first in range(0, len(circuits), at_once):
        names = [name for circuit in circuits[first : first + at_once] for name in circuit]
        yield f"sudo {COMMAND} {form.format(','.join(names))}"


def script_paths(fabric: PortMap, output: Path) -> tuple[Path, ...]:
    """The files of all switches, named after `output` without its suffix and the switch."""
    stem = output.with_suffix("")
    names = [panel.name.replace("/", "_") for panel in fabric.panels]
    return tuple(
        stem.with_name(f"{stem.name}.{name}{suffix}") for name in names for suffix in SUFFIXES
    )


def require_format(form: str | None) -> None:
    """Refuse the name of another format; none is asked for by None."""
    if form not in (None, FORMAT):
        raise InvalidInput(f"--format: {FORMAT}, not {excerpt(form)}")


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


def write_scripts(plan: Plan, output: Path, doubtful: Sequence[Circuit] = ()) -> tuple[str, ...]:
    """Write the scripts of all switches, there and back.

    Those that lead there begin with circuits that are `doubtful`: they may be in place.
    """
    paths = iter(script_paths(plan.fabric, output))
    written = []
    for panel in range(len(plan.fabric.panels)):
        for stages in (plan.stages, plan.rollback):
            path = next(paths)
            first = doubtful if stages is plan.stages else ()
            script = switch_script(plan.fabric, stages, panel, plan.before.fibres, first)
            write_whole(path, script)
            written.append(str(path))
    return tuple(written)
