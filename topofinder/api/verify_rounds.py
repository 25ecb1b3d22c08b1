"""What `topofinder verify --large` finds out about a timetable in rounds, block by block."""

from collections.abc import Iterator
from fractions import Fraction
from os import PathLike

from generators.brief import brief
from generators.damage.apply import apply_damage
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.topology import Topology
from reports.timetable_check import TimetableCheck
from topofinder.api.shared.damage_texts import damage_of
from topofinder.api.shared.same_graph import other_damaged_graph
from topofinder.api.shared.subjects import forest_subject, named_topology
from topofinder.api.verify_timetable import bounds
from topofinder.forests.clock import Clock, TellLine, tell_nobody
from topofinder.model.round_files import read_blocks, read_round_header, restore_rounds
from topofinder.model.round_timetable import RoundSends, RoundTally, RoundTimetable
from topofinder.progress import work_progress
from topofinder.timetables.problem import ChunkProblem
from topofinder.timetables.rounds import (
    SENDS_AT_ONCE,
    ChunkOrder,
    ordered_blocks,
    require_rounds,
)
from topofinder.verification.round_replay import RoundReplay


def check_rounds(
    path: str | PathLike[str],
    on: str | None = None,
    *,
    tell: TellLine = tell_nobody,
    at_once: int = SENDS_AT_ONCE // 4,
) -> TimetableCheck:
    """Replay the sends of a file block by block; where it has none, those that its seed makes anew.

    Their number, the time and the hash must be those that the file claims, its graph that of `on`,
    and its bound no more than the time. Blocks made anew have about `at_once` sends. Raises
    InvalidInput for files that cannot be read or that name no graph, and when `on` cannot be read.
    """
    header = read_round_header(path)
    try:
        made = restore_rounds(header, _topology(header["recipe"], header["damage"], on))
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from None
    problem = _problem(made)
    blocks = read_blocks(path, header)
    if not header["blocks"]:
        blocks = _blocks_anew(made, problem, tell, at_once)
    tally, replay = RoundTally(require_rounds(problem)), RoundReplay(made.asked)
    asked = made.asked
    violation = (
        other_damaged_graph(asked.topology, asked.recipe, asked.damage, on)
        or _replay(blocks, tally, replay)
        or _other_claim(made, tally.timetable(asked, made.order))
    )
    return TimetableCheck(
        collective=asked.collective.value,
        recipe=asked.recipe,
        damage=None if asked.recipe is None else asked.damage,
        method=asked.method,
        model=asked.model.value,
        hosts=asked.topology.n,
        chunks=asked.chunks,
        chunk_bytes=asked.chunk_bytes,
        sends=made.sends,
        stored_sends=made.sends,
        tick=asked.tick,
        makespan=replay.last,
        bounds=() if violation else bounds(asked),
        claimed=None if asked.bound is None else Fraction(asked.bound),
        digest=made.content,
        violation=violation,
    )


def _topology(recipe: object, damage: object, on: str | None) -> Topology:
    """The graph that a file names, or without a name that of `on`."""
    if recipe is None and on is None:
        raise InvalidInput("recipe: the file names no graph, give it by --on")
    for name, text in (("recipe", recipe), ("damage", damage)):
        if text is not None and not isinstance(text, str):
            raise InvalidInput(f"{name}: a text is needed, not {excerpt(text)}")
    if not isinstance(recipe, str):
        return forest_subject(str(on))[1]
    whole = named_topology(recipe)[1]
    return apply_damage(whole, damage_of(damage)) if isinstance(damage, str) else whole


def _problem(made: RoundTimetable) -> ChunkProblem:
    asked = made.asked
    return ChunkProblem(
        topology=asked.topology,
        collective=asked.collective,
        origin=asked.origin,
        chunk_bytes=asked.chunk_bytes,
        units=asked.units,
        model=asked.model,
    )


def _blocks_anew(
    made: RoundTimetable, problem: ChunkProblem, tell: TellLine, at_once: int
) -> Iterator[RoundSends]:
    """What the maker gives for the seed. Raises InvalidInput for an order that it does not know."""
    if made.order not in set(ChunkOrder):
        raise InvalidInput(f"order: {excerpt(made.order)} is none of {', '.join(ChunkOrder)}")
    seed, order = made.asked.seed, ChunkOrder(made.order)
    assert seed is not None, "a timetable in rounds has one"
    clock = Clock.of(None, tell)
    return ordered_blocks(problem, seed=seed, order=order, clock=clock, at_once=at_once)


def _replay(blocks: Iterator[RoundSends], tally: RoundTally, replay: RoundReplay) -> str | None:
    """The first fault of any send."""
    for block in tally.watch(blocks):
        work_progress.tell(f"{replay.sends:,} sends replayed")
        begin = block.round * tally.span.length
        if violation := replay.add(block.chunk, block.channel, begin):
            return violation
    return replay.violation_at_end()


def _other_claim(made: RoundTimetable, found: RoundTimetable) -> str | None:
    """The first claim of a file that its sends, or those made anew, do not bear out."""
    for name in ("sends", "rounds", "makespan", "content"):
        said, true = getattr(made, name), getattr(found, name)
        if said != true:
            return f"{name}: the file says {excerpt(said)}, but its sends give {excerpt(true)}"
    bound = made.asked.bound
    if bound is not None and bound > found.seconds:
        return f"it takes {brief(found.seconds)} s, less than the bound {brief(bound)} s it claims"
    return None
