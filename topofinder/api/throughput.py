"""What `topofinder throughput` is asked for, and the certified interval that answers it."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from numpy.typing import ArrayLike

from db.throughput_rows import ThroughputRow
from expansions.build import build
from expansions.recipe import Recipe
from expansions.schedule_files.digest import topology_digest
from generators import quantities
from generators.errors import InvalidInput
from generators.topology import Topology
from topofinder.alltoall.certify import make_certificate
from topofinder.alltoall.demand.files import read_demand
from topofinder.alltoall.demand.matrix import Demand
from topofinder.alltoall.demand.patterns import canonical_pattern
from topofinder.alltoall.demand.patterns import pattern_demand as named_pattern
from topofinder.alltoall.problem import FlowProblem
from topofinder.alltoall.result import ThroughputBounds, ThroughputProgress
from topofinder.alltoall.solve import bound_throughput
from topofinder.api.shared.subjects import subject_of
from topofinder.model.certificate import Certificate, demand_digest
from topofinder.model.workload import link_rate

UNIFORM = "uniform"
MATRIX = "matrix"
GAP = Fraction(1, 1000)
SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Throughput:
    """How fast every demand of a graph can be sent at once: `lower <= f <= upper`, certainly.

    f is in units of one link for a demand of 1 (LP (3), appendix A.5 of Zhao et al.): a host
    whose ports together send B sends f B / d to every other at once. `recipe` is None for a graph
    without a name, `pattern` is "matrix" for a demand of one's own.
    """

    subject: str
    recipe: str | None
    pattern: str
    problem: FlowProblem
    answer: ThroughputBounds

    @property
    def lower(self) -> Fraction:
        """A rate that can be reached."""
        return self.answer.lower

    @property
    def upper(self) -> Fraction:
        """A rate that nothing can exceed."""
        return self.answer.upper

    @property
    def exact(self) -> Fraction | None:
        """f itself, where both ends meet."""
        return self.answer.exact

    @property
    def certificate(self) -> Certificate:
        """What proves both ends, made anew; `write_certificate` puts it into a file."""
        return make_certificate(self.problem, self.answer, self.recipe, self.pattern)

    @property
    def demand_label(self) -> str:
        """`uniform`, a pattern, or `matrix` and the hash of its numbers."""
        return demand_label(self.pattern, self.problem.demand)

    def times(self, size: Fraction, bandwidth: Fraction | None) -> tuple[Fraction, Fraction]:
        """Least and most seconds until all is sent: the interval of the optimum.

        For a uniform all-to-all, each of N hosts has `size` bytes, of which it sends a part of
        1/N to every other, as in the paper. For another demand `size` is what the host sends
        that sends most. Links of capacity 1 have `bandwidth` / d bytes a second; a topology that
        tells the rate of its links itself takes no `bandwidth`. Raises InvalidInput when that is
        missing or given twice.
        """
        unit = size / len(self.problem.hosts)
        if self.problem.demand is not None:
            busiest = int(self.problem.demand.high.sum(axis=1).max())
            unit = size / (busiest * self.problem.demand.unit)
        rate = link_rate(self.problem.topology, bandwidth)
        return unit / (self.upper * rate), unit / (self.lower * rate)

    def row(self) -> ThroughputRow:
        """The row under which the database keeps the interval."""
        return ThroughputRow(
            topology=topology_digest(self.problem.topology),
            recipe=self.recipe,
            demand=self.demand_label,
            n=self.problem.topology.n,
            d=self.problem.topology.degree,
            lower=self.lower,
            upper=self.upper,
            method=self.answer.method,
            seconds=self.answer.seconds,
        )


def throughput(
    subject: str | Topology | Recipe,
    *,
    pattern: str = UNIFORM,
    demand: str | os.PathLike[str] | ArrayLike | None = None,
    gap: Fraction | float = GAP,
    time: float = SECONDS,
    method: str = "auto",
    tell: Callable[[ThroughputProgress], None] | None = None,
) -> Throughput:
    """The throughput of a recipe, a topology file or a topology, as a certified interval.

    `demand` is a matrix, or a .csv or .npz file with one; else `pattern` names who sends to whom.
    The interval is closed to the relative `gap`, or as far as `time` seconds allow. `tell` hears
    of every better interval. Raises InvalidInput for graphs that are not strongly connected, for
    demands that do not fit and for options that cannot be read.

    >>> throughput("UniRing(1,4)").exact
    Fraction(1, 6)
    """
    recipe, topology, name = _subject(subject)
    label, asked = _demand(topology, pattern, demand)
    problem = FlowProblem(topology=topology, demand=asked)
    answer = bound_throughput(
        problem, gap=quantities.part(gap, "gap"), time=_time(time), method=method, tell=tell
    )
    named = None if recipe is None else str(recipe)
    return Throughput(subject=name, recipe=named, pattern=label, problem=problem, answer=answer)


def demand_label(pattern: str, demand: Demand | None) -> str:
    """Under what name the database keeps answers to a demand."""
    if demand is None or pattern != MATRIX:
        return pattern
    return f"{MATRIX} {demand_digest(demand.low, demand.high, demand.unit)}"


def _subject(subject: str | Topology | Recipe) -> tuple[Recipe | None, Topology, str]:
    if isinstance(subject, Topology):
        return None, subject, f"a topology of {subject.n} nodes"
    if isinstance(subject, str):
        recipe, topology = subject_of(subject)
        return recipe, topology, subject if recipe is None else str(recipe)
    return subject, build(subject), str(subject)


def _demand(
    topology: Topology, pattern: str, demand: str | os.PathLike[str] | ArrayLike | None
) -> tuple[str, Demand | None]:
    """The label of what is asked for, and its amounts; None is 1 for every pair of hosts."""
    if demand is not None:
        if pattern != UNIFORM:
            raise InvalidInput(f"pattern: {pattern} and a demand matrix exclude each other")
        if isinstance(demand, str | os.PathLike):
            return MATRIX, read_demand(demand, topology)
        return MATRIX, Demand.of(demand)
    if pattern == UNIFORM:
        return UNIFORM, None
    asked = named_pattern(pattern, topology)
    return canonical_pattern(pattern), asked


def _time(time: float) -> float:
    if not 0 < time < float("inf"):
        raise InvalidInput(f"time: seconds above 0 are needed, not {time}")
    return float(time)
