"""What `topofinder verify` finds out about a forest in a file."""

from dataclasses import replace
from fractions import Fraction

from generators.damage.apply import Damage, apply_damage
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.topology import Topology
from reports.forest_check import ForestCheck
from topofinder.api.shared.damage_texts import damage_of, damage_text
from topofinder.api.shared.forest_times import Transfer, forest_time
from topofinder.api.shared.subjects import forest_subject, named_topology
from topofinder.model.forest import Forest
from topofinder.model.forest_files import forest_digest
from topofinder.simulation.pipeline import pipeline_times
from topofinder.verification.forests import verify_forest

CHUNKS = (1, 16, 256, 4096)


def check_forest(
    saved: Forest, on: str | None = None, transfer: Transfer | None = None
) -> ForestCheck:
    """Check the trees, the links, the bound, and the graph against its name and against `on`.

    With a transfer, the time that it takes is worked out too. Raises InvalidInput when `on` cannot
    be read, and for a transfer that does not go with the graph.
    """
    if transfer is not None:
        transfer.require_fit(saved.topology)
    verdict = verify_forest(saved)
    violation = _other_graph(saved, on) or verdict.violation
    return ForestCheck(
        collective=saved.collective.value,
        recipe=saved.recipe,
        damage=None if saved.recipe is None else saved.damage,
        hosts=saved.topology.n - len(saved.topology.switches),
        total=saved.total,
        k=saved.phases[-1].trees.k,
        time=saved.inverse_rate,
        optimum=saved.optimum,
        unit_rate=saved.topology.unit_rate,
        digest=forest_digest(saved),
        violation=violation,
        pipeline=() if violation else _pipeline(saved),
        duration=None if violation or transfer is None else forest_time(saved, transfer),
    )


def _pipeline(saved: Forest) -> tuple[tuple[int, Fraction], ...]:
    """The pipelined time of all phases, relative to the time of the busiest links."""
    times = [pipeline_times(phase.topology, phase.trees, CHUNKS) for phase in saved.phases]
    whole = [sum(parts) / saved.inverse_rate for parts in zip(*times, strict=True)]
    return tuple(zip(CHUNKS, whole, strict=True))


def _other_graph(saved: Forest, on: str | None) -> str | None:
    """A line when the graph is not that of the recipe after the damage, or not that of `on`.

    Without a recipe nothing says what was damaged: the text must be one, and is not repeated.
    """
    if saved.damage is not None and _damage(saved.damage) is None:
        return f"damage: {excerpt(saved.damage)} is no damage in its canonical form"
    if saved.recipe is not None:
        try:
            named = named_topology(saved.recipe)[1]
        except InvalidInput as error:
            told = str(error).splitlines()[0]
            return f"the file's recipe {saved.recipe} names no graph: {told}"
        if not _alike(saved.topology, _topology_left(named, saved.damage)):
            label = f"{saved.recipe} {saved.damage}" if saved.damage else saved.recipe
            return f"the file's graph is not that of {label}"
    if on is not None and not _alike(saved.topology, forest_subject(on)[1]):
        return f"the file's graph is not that of {on}"
    return None


def _topology_left(whole: Topology, damage: str | None) -> Topology | None:
    """What the damage leaves; None for a text that is no damage, or not of this graph."""
    try:
        return whole if damage is None else apply_damage(whole, damage_of(damage))
    except InvalidInput:
        return None


def _damage(text: str) -> Damage | None:
    """The damage that a file tells, in the words in which one is written; None for any other."""
    try:
        found = damage_of(text)
    except InvalidInput:
        return None
    return found if damage_text(found) == text else None


def _alike(one: Topology, other: Topology | None) -> bool:
    return other is not None and replace(one, names=None).same_wiring(replace(other, names=None))
