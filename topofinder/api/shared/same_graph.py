"""Whether the graph inside a file is the one that its labels, or the user, say it is."""

from dataclasses import replace

from expansions.build import build
from expansions.parser import parse
from generators.damage.apply import Damage, apply_damage
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.host_limits import split_hosts
from generators.limits import MAX_NODES
from generators.topology import Topology
from topofinder.api.shared.damage_texts import damage_of, damage_text
from topofinder.api.shared.subjects import forest_subject, named_topology, subject_of


def other_graph(graph: Topology, recipe: str | None, on: str | None = None) -> str | None:
    """A line when a graph is not that of the file's recipe, or not that of `on`; else None.

    A recipe is built whatever its size, which the file's own graph has. Raises InvalidInput when
    `on` cannot be read.
    """
    found = None
    if recipe is not None:
        try:
            found = _difference(graph, build(parse(recipe), MAX_NODES), recipe)
        except InvalidInput as error:
            reason = str(error).splitlines()[0]
            found = f"the file's recipe {excerpt(recipe)} names no graph: {reason}"
    if found is None and on is not None:
        found = _difference(graph, subject_of(on)[1], on)
    return found


def other_damaged_graph(
    graph: Topology, recipe: str | None, damage: str | None, on: str | None = None
) -> str | None:
    """A line when a graph is not that of a recipe or fabric after the damage, or not that of `on`.

    Without a recipe nothing says what was damaged: the text must be one, and is not repeated.
    Raises InvalidInput when `on` cannot be read.

    >>> other_damaged_graph(build(parse("K(3)")), "K(4)", None)
    "the file's graph is not that of K(4)"
    """
    if damage is not None and _canonical_damage(damage) is None:
        return f"damage: {excerpt(damage)} is no damage in its canonical form"
    if recipe is not None:
        try:
            named = named_topology(recipe)[1]
        except InvalidInput as error:
            reason = str(error).splitlines()[0]
            return f"the file's recipe {recipe} names no graph: {reason}"
        label = f"{recipe} {damage}" if damage else recipe
        if found := _difference(graph, _topology_left(named, damage), label):
            return found
    return None if on is None else _difference(graph, forest_subject(on)[1], on)


def _topology_left(whole: Topology, damage: str | None) -> Topology | None:
    """What the damage leaves; None for a text that is no damage, or not of this graph."""
    try:
        return whole if damage is None else apply_damage(whole, damage_of(damage))
    except InvalidInput:
        return None


def _canonical_damage(text: str) -> Damage | None:
    """The damage that a file tells, in the words in which one is written; None for any other."""
    try:
        found = damage_of(text)
    except InvalidInput:
        return None
    return found if damage_text(found) == text else None


def _difference(graph: Topology, other: Topology | None, name: str) -> str | None:
    if other is not None:
        # Files from before there were tiers do not tell them; proofs have hosts' limits as links.
        plain = replace(other, names=None, tiers=graph.tiers and other.tiers)
        nameless = replace(graph, names=None)
        if nameless.same_wiring(plain) or nameless.same_wiring(split_hosts(plain)):
            return None
    return f"the file's graph is not that of {name}"
