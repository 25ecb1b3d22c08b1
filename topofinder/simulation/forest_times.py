"""The least time of a forest for one size of data, in each model of time: one formula for all.

In rounds with barriers (`Pipeline.seconds`), which is what a forest takes where latencies keep
links busy (`occupied`), and by periods (`periods`), where they do not (`pipelined`): rounds then
take no longer than told, so the less of both counts. Phases of an allreduce run one after the
other, or at once, chunk after chunk. Whatever weighs forests asks for `ForestSeconds.least`.
"""

from dataclasses import dataclass
from fractions import Fraction

from topofinder.model.forest import Forest
from topofinder.model.time_model import TimeModel
from topofinder.simulation.chunk_count import best_chunks
from topofinder.simulation.periods import enough_chunks
from topofinder.simulation.pipeline import Pipeline

ChunkedTime = tuple[int, Fraction]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestSeconds:
    """Numbers of chunks, and seconds: of each phase in rounds, of both at once in rounds (None
    unless an allreduce), and by periods, of each phase or of both at once.
    """

    phases: tuple[ChunkedTime, ...]
    both: ChunkedTime | None
    hidden: tuple[ChunkedTime, ...]

    def least(self, model: TimeModel) -> Fraction:
        """The least that the forest takes in this model."""
        found = [_total(self.phases)]
        if self.both is not None:
            found.append(self.both[1])
        if model is TimeModel.PIPELINED:
            found.append(_total(self.hidden))
        return min(found)


def forest_seconds(saved: Forest, unit: Fraction, alpha: Fraction) -> ForestSeconds | None:
    """The times with the best numbers of chunks; `unit` and `alpha` as in `Pipeline.seconds`.

    None where links have no latency: ever more chunks then take ever less time.

    >>> from expansions.build import build
    >>> from expansions.parser import parse
    >>> from topofinder.forests.collectives.make_forest import ForestOptions, make_forest
    >>> forest = make_forest(build(parse("Mesh(3,3)")), ForestOptions())
    >>> found = forest_seconds(forest, Fraction(100), Fraction(1))
    >>> [found.least(model) for model in (TimeModel.OCCUPIED, TimeModel.PIPELINED)]
    [Fraction(3019, 7), Fraction(407, 1)]
    """
    apart = [Pipeline.from_trees(phase.topology, phase.trees) for phase in saved.phases]
    phases = [best_chunks(pipeline, unit, alpha) for pipeline in apart]
    known = [phase for phase in phases if phase is not None]
    if len(known) < len(phases):
        return None
    hidden = tuple(enough_chunks(pipeline, unit, alpha) for pipeline in apart)
    both = None
    if saved.gather is not None and saved.spread is not None:
        pipeline = Pipeline.from_phases(saved.topology, saved.gather, saved.spread)
        both = best_chunks(pipeline, unit, alpha)
        hidden = min(hidden, (enough_chunks(pipeline, unit, alpha),), key=_total)
    return ForestSeconds(phases=tuple(known), both=both, hidden=hidden)


def _total(phases: tuple[ChunkedTime, ...]) -> Fraction:
    return sum((time for _, time in phases), Fraction())
