"""All that a report tells of one size: plain values, gathered from the database."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from db.plan_rows import PlanRow
from db.rating_rows import RatingRow
from db.rows import CandidateRow
from db.throughput_rows import ThroughputRow
from db.training_rows import StoredTraining
from expansions.cost import Cost
from generators.topology import FloatArray, Int64Array, IntArray
from reports.allreduce_limits import AllreduceLimitRecord
from reports.baselines import BaselineRow
from reports.drawn_schedules import DrawnTree, Stretch
from reports.frontier import NOTHING, LeftOut
from reports.mapped_baselines import MappedTable
from reports.resilience import ResilienceRow
from reports.text import cut_text
from reports.workload_rating import WorkloadRating

CIRCLE = 40
"""So many hosts are drawn on a circle; arrows among more of them cannot be told apart."""
TIMED = 16
"""Largest number of hosts whose timetable is made again and drawn."""
BRIEF = 200
"""Letters of a recipe in sentences and captions; only its row has more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkloadSummary:
    """The workload of a report; `assumed` says that nobody gave one.

    `sizes` are (bytes in all, how often) pairs; `alpha` is in seconds, `bandwidth` in bytes a
    second.
    """

    collective: str
    alpha: Fraction
    bandwidth: Fraction
    sizes: tuple[tuple[Fraction, int], ...]
    assumed: bool = False

    def seconds(self, cost: Cost) -> Fraction:
        """The time of all of it at a cost."""
        return sum(
            (count * cost.runtime(self.alpha, size, self.bandwidth) for size, count in self.sizes),
            Fraction(),
        )

    def cost(self, row: CandidateRow) -> Cost:
        """What the collective costs on a candidate."""
        costs = {"allgather": row.allgather, "reduce-scatter": row.reduce_scatter}
        return costs.get(self.collective, row.allreduce)


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A candidate under a short mark, such as "F1"; `stored` says whether the database has it.

    `name` is the one under which its graph was merged, if it was.
    """

    mark: str
    row: CandidateRow
    stored: bool
    rate: ThroughputRow | None = None
    name: str = ""

    @property
    def label(self) -> str:
        """The recipe, behind its name where it has one."""
        return f"{self.name}: {self.row.recipe}" if self.name else self.row.recipe

    @property
    def brief(self) -> str:
        """The label as sentences and pictures have it: the row of the mark has all of it."""
        return cut_text(self.label, BRIEF)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rival:
    """A baseline under a mark: its row, the cost of its allgather, those it may choose among."""

    mark: str
    row: BaselineRow
    allgather: Cost | None
    costs: tuple[Cost, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """The sizes from `least` up to `most` bytes at which the candidate `mark` is the quickest."""

    least: Fraction
    most: Fraction | None
    mark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Failing:
    """What an allreduce takes after failures, on the candidate of a mark."""

    mark: str
    after: ResilienceRow


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitedPoint:
    """What no allreduce beats, in M/B, on the candidate of a mark."""

    mark: str
    limits: AllreduceLimitRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedTime:
    """The time of the best method at one size, of a candidate under a mark and its row id.

    Both are empty for a candidate that the report does not list.
    """

    rating: RatingRow
    mark: str = ""
    key: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WiringDrawing:
    """The arcs of a recommended topology, int32 arrays of shape (arcs,), and its bottleneck.

    Whatever the hosts `inside` a bottleneck cut have for those outside leaves over `exiting` arcs;
    no cut has more shards an arc (ForestColl, section 5.1). `inside` is empty where none is drawn.
    `around` lists the hosts as they stand on a circle, so that a symmetry is seen; `root` is the
    graph whose arcs are the hosts, where a circle would be hair.
    """

    mark: str
    n: int
    tail: IntArray = field(repr=False)
    head: IntArray = field(repr=False)
    inside: tuple[int, ...] = ()
    exiting: int = 0
    around: Int64Array | None = field(repr=False, default=None)
    root: "WiringDrawing | None" = field(repr=False, default=None)
    root_name: str = ""

    @property
    def least_bandwidth(self) -> Fraction:
        """The T_B, in M/B, that the cut leaves to any allgather."""
        degree = Fraction(len(self.tail), self.n)
        return Fraction(len(self.inside), self.exiting) * degree / self.n


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StepsDrawing:
    """The shards that every arc of a wiring carries in each step; `loads` float64 (steps, arcs)."""

    wiring: WiringDrawing
    title: str
    loads: FloatArray = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TreesDrawing:
    """Trees of a root on the wiring of a mark, in which its shard is spread; `words` tell which."""

    mark: str
    words: str
    trees: tuple[DrawnTree, ...] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TimesDrawing:
    """The sends of some `arcs` of the timetable that the wiring of a mark was chosen for."""

    mark: str
    words: str
    seconds: Fraction
    arcs: tuple[str, ...] = field(repr=False)
    sends: tuple[Stretch, ...] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SizeReport:
    """One size: the frontier, what else is recommended, and what both are compared with.

    `bound` is that of an allgather, `least` that of the workload's collective. `best` is the mark
    of the candidate with the least time; `wirings` is empty where there are too many hosts to draw.
    `rated` are the times by the best method in a time `model`, by size, as far as they are known.
    `chosen` is that of the workload on the quickest candidate, whose mark is `chosen_mark`; None
    where it is not known. `trainings` are those that are stored for the size. `failing` tells of
    the frontier what is rated after failures, `limited` what no allreduce beats on it. `mapped` are
    customary collectives on the wiring of `best`, `steps` those of an allgather on it, and `trees`
    those of one of its hosts; None where there are too many hosts. `times` are those of the
    timetable by which `chosen` is the quickest, None where it is so by something else.
    """

    n: int
    d: int
    links: str
    bound: Cost
    least: Cost
    asked: WorkloadSummary
    frontier: tuple[Point, ...]
    others: tuple[Point, ...]
    published: tuple[Point, ...]
    rivals: tuple[Rival, ...]
    reaches: tuple[Reach, ...]
    best: str
    wirings: tuple[WiringDrawing, ...]
    plans: tuple[PlanRow, ...]
    left_out: LeftOut = NOTHING
    rated: tuple[RatedTime, ...] = ()
    model: str = "pipelined"
    chosen: WorkloadRating | None = None
    chosen_mark: str = ""
    trainings: tuple[StoredTraining, ...] = ()
    failing: tuple[Failing, ...] = ()
    limited: tuple[LimitedPoint, ...] = ()
    mapped: MappedTable | None = None
    steps: StepsDrawing | None = None
    trees: TreesDrawing | None = None
    times: TimesDrawing | None = None

    def point(self, mark: str) -> Point:
        """The candidate of that mark."""
        return next(point for point in self.points() if point.mark == mark)

    def points(self) -> Iterator[Point]:
        """Ours: those of the frontier, then the others."""
        yield from (*self.frontier, *self.others)

    def quickest(self, points: Sequence[Point]) -> Point | None:
        """The point with the least time for the workload."""
        return min(points, key=lambda point: self.seconds(point), default=None)

    def seconds(self, point: Point) -> Fraction:
        """The time of the workload on a candidate."""
        return self.asked.seconds(self.asked.cost(point.row))
