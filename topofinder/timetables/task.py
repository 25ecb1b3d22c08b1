"""What a timed schedule is asked for, and how it is to be looked for."""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Literal

from expansions.collective import Collective
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.topology import ArcValues, Topology
from topofinder.forests.clock import NO_LIMIT, Clock
from topofinder.model.chunk_times import LinkUnits
from topofinder.model.time_model import TimeModel
from topofinder.timetables.exchange import Exchange
from topofinder.timetables.problem import ChunkProblem, gather_problem

Matching = Literal["best", "random"]
MOST_TRIES = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TimedTask:
    """A collective of `size` bytes on a topology with its units, in a time model.

    `size` is what every host has at the end of an allgather or an allreduce, what the root of a
    broadcast or reduce has; an all-to-all has an `exchange` that says what goes along which path.
    `weights` say how many shards a host has; `root` is the node of a broadcast or reduce.

    `chunks` of a shard are tried unless given; `tries` is how often a maker with random ties is
    run with seeds from `seed` on. With `matching` "random" the algorithm of TACOS is used as
    published, and nothing else. Raises InvalidInput for options out of range.
    """

    topology: Topology
    collective: Collective
    size: Fraction
    units: LinkUnits
    model: TimeModel = TimeModel.PIPELINED
    root: int | None = None
    weights: tuple[int, ...] | None = None
    exchange: Exchange | None = None
    chunks: int | None = None
    tries: int = 3
    seed: int = 0
    matching: Matching = "best"
    clock: Clock = field(default=NO_LIMIT, repr=False)

    def __post_init__(self) -> None:
        if self.collective.is_rooted != (self.root is not None):
            raise InvalidInput(f"--root: {self.root} does not fit {self.collective}")
        if not 1 <= self.tries <= MOST_TRIES:
            raise InvalidInput(f"--tries: 1 to {MOST_TRIES}, not {excerpt(self.tries)}")
        if self.seed < 0:
            raise InvalidInput(f"--seed: at least 0, not {excerpt(self.seed)}")
        if self.matching not in ("best", "random"):
            raise InvalidInput(f"--matching: best or random, not {excerpt(self.matching)}")
        is_exchange = self.collective is Collective.ALLTOALL
        if (self.exchange is not None) != is_exchange:
            raise InvalidInput(f"exchange: paths do not fit {self.collective}")
        if self.weights is not None and (is_exchange or self.collective.is_rooted):
            raise InvalidInput(f"--weights do not fit {self.collective}")

    @property
    def hosts(self) -> int:
        """Nodes that are no switches."""
        return self.topology.n - len(self.topology.switches)

    @property
    def has_equal_links(self) -> bool:
        """Whether links are alike and lead from host to host."""
        graph = self.topology
        values = (graph.capacity, graph.latency)
        return not graph.switches and all(v is None or are_equal(v) for v in values)

    def on_transpose(self) -> "TimedTask":
        """The collective that spreads on the transpose, and that run backwards is this one."""
        return replace(
            self, topology=self.topology.transpose(), collective=self.collective.reversed
        )

    def phase(self, collective: Collective) -> "TimedTask":
        """The same task for one phase of an allreduce."""
        return replace(self, collective=collective)

    def problem(self, chunks: int) -> ChunkProblem:
        """The problem of an allgather or broadcast with so many chunks a shard."""
        return gather_problem(
            self.topology, size=self.size, units=self.units, model=self.model, chunks=chunks,
            weights=self.weights, root=self.root,
        )  # fmt: skip


def are_equal(values: ArcValues) -> bool:
    """Whether there are values, all of them the same; looks no further than the first other one."""
    return len(values) > 0 and all(value is values[0] or value == values[0] for value in values)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledTask:
    """A task, the recipe or fabric that names its topology, and what had failed in that."""

    task: TimedTask
    recipe: str | None
    damage: str | None
