"""What `topofinder schedule --method forest` is asked for, and the forest that answers it."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from expansions.build import build
from expansions.collective import Collective
from expansions.parser import parse
from generators.damage import Damage, apply_damage
from generators.damage.links import Names
from generators.errors import InvalidInput
from generators.fabrics import fabric_of, is_fabric
from generators.formats import read_topology
from generators.formats.by_suffix import FORMATS
from generators.formats.quantities import exact, shown
from generators.topology import Topology
from topofinder.api.shared.forest_times import Transfer
from topofinder.forests.clock import Clock, Tell, tell_nobody
from topofinder.forests.collectives.make_forest import ForestOptions, make_forest
from topofinder.model.forest import Forest

_DAMAGES = ("fail_links", "fail_nodes", "degrade")


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestRequest:
    """A collective on a recipe, a fabric or a topology file, after some damage.

    `root` is the name or number of a node; `weights` lists NAME=NUMBER, other nodes weigh 1.
    `time` limits the seconds of packing; `tell` is told how far it is, a line at a time. A
    `transfer` must go with the topology.
    """

    subject: str
    collective: Collective = Collective.ALLGATHER
    root: str | None = None
    damage: Damage = Damage()  # noqa: RUF009 - frozen
    weights: Sequence[str] = ()
    k: int | None = None
    seed: int = 0
    able: bool = True
    overlap: bool = False
    time: float | None = None
    tell: Tell = tell_nobody
    transfer: Transfer | None = None


def planted(request: ForestRequest) -> Forest:
    """The forest that was asked for.

    Raises InvalidInput for subjects that cannot be read and fabrics without trees, Unsupported
    where no method that is implemented finds them, or not in time.

    >>> planted(ForestRequest(subject="DGXA100(1)")).optimum
    Fraction(7, 300)
    """
    if request.seed < 0 or request.damage.seed < 0:
        raise InvalidInput(f"--seed: at least 0, not {min(request.seed, request.damage.seed)}")
    recipe, whole = forest_subject(request.subject)
    if request.transfer is not None:
        request.transfer.require_fit(whole)
    topology = apply_damage(whole, request.damage)
    names = Names(topology)
    wish = ForestOptions(
        collective=request.collective,
        root=None if request.root is None else names.node(request.root, "--root"),
        weights=_weights(topology, names, request.weights),
        k=request.k,
        seed=request.seed,
        able=request.able,
        overlap=request.overlap,
        clock=Clock.of(request.time, request.tell),
    )
    made = make_forest(topology, wish)
    return replace(made, recipe=recipe, damage=damage_text(request.damage))


def forest_subject(text: str) -> tuple[str | None, Topology]:
    """The canonical name of a recipe or fabric, None for a file, and the topology.

    Files must say each direction of a link: an undirected one leaves open whether a capacity is
    that of one direction or of both.
    """
    suffixes = {suffix for known in FORMATS.values() for suffix in known.suffixes}
    if Path(text).suffix.lower() in suffixes:
        return None, read_topology(text, directed=True)
    return named_topology(text)


def named_topology(text: str) -> tuple[str, Topology]:
    """The canonical name of a recipe or fabric, and its topology; never a file."""
    if is_fabric(text):
        return fabric_of(text)
    recipe = parse(text)
    return str(recipe), build(recipe)


def damage_text(damage: Damage) -> str | None:
    """The damage as options; None for none.

    >>> damage_text(Damage(fail_links=["0-1", "5%"], seed=3))
    '--fail-links 0-1 --fail-links 5% --seed 3'
    """
    if not damage:
        return None
    listed = [
        word
        for name in _DAMAGES
        for text in getattr(damage, name)
        for word in (f"--{name.replace('_', '-')}", text)
    ]
    if any(text.endswith("%") for text in damage.fail_links):
        listed += ["--seed", str(damage.seed)]
    return shlex.join(listed)


def damage_of(text: str) -> Damage:
    """The damage that such a text tells. Raises InvalidInput for any other.

    >>> found = damage_of("--fail-links 5% --seed 3")
    >>> found.fail_links, found.seed
    (['5%'], 3)
    """
    found: dict[str, list[str]] = {name: [] for name in (*_DAMAGES, "seed")}
    try:
        words = shlex.split(text)
    except ValueError:
        words = [text]
    for option, value in zip(words[::2], words[1::2], strict=False):
        name = option.removeprefix("--").replace("-", "_")
        if name not in found:
            raise InvalidInput(f"damage: {shown(text)} is no damage")
        found[name].append(value)
    seeds = found.pop("seed") or ["0"]
    if len(words) % 2 or not all(s.isascii() and s.isdigit() and len(s) < 10 for s in seeds):
        raise InvalidInput(f"damage: {shown(text)} is no damage")
    return Damage(seed=int(seeds[-1]), **found)


def _weights(
    topology: Topology, names: Names, texts: Sequence[str]
) -> tuple[Fraction | int, ...] | None:
    if not texts:
        return None
    values: list[Fraction | int] = [1] * topology.n
    for node in topology.switches:
        values[node] = 0
    for part in (part.strip() for text in texts for part in text.split(",")):
        name, sign, number = part.rpartition("=")
        if not sign:
            raise InvalidInput(f"--weights: NODE=NUMBER is needed, not {shown(part)}")
        node = names.node(name, "--weights")
        values[node] = exact(f"--weights {shown(part)}", number, zero=True)
    return tuple(values)
