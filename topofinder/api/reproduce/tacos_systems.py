"""Allreduces on the systems of TACOS: by its algorithm as published, by ours, and their bounds.

Source: Won et al., TACOS (MICRO 2024), section VI. How many chunks the paper cuts a shard into is
not printed; powers of two within limits are tried, as `schedule --matching random` does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from time import process_time

from expansions.collective import Collective
from generators.errors import TopofinderError
from generators.fabrics.names import is_fabric
from generators.fabrics.unwinding import unwind_switches
from generators.topology import Topology
from reports.reproduced import ComparisonRow, exactly
from topofinder.api.reproduce.tacos_baselines import GIGABYTE, item_figures, link_units
from topofinder.api.shared.subjects import named_topology
from topofinder.model.chunk_times import LinkUnits
from topofinder.model.timetable import Timetable
from topofinder.simulation.timetable_use import busy_shares
from topofinder.timetables.ideal import ideal_allreduce
from topofinder.timetables.mapped_baselines import time_baseline
from topofinder.timetables.portfolio import synthesize, task_bounds
from topofinder.timetables.task import TimedTask

SEEDS = 3
SPLIT = {"themis": 64, "ccube": 64}
"""Parts of the data, by baseline; the others have one."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TacosSystem:
    """A system by name, with what a latency and a capacity of 1 stand for, and bytes of data."""

    subject: str
    topology: Topology
    units: LinkUnits
    size: Fraction = GIGABYTE

    @property
    def hosts(self) -> int:
        """Nodes that are no switches."""
        return self.topology.n - len(self.topology.switches)

    @property
    def task(self) -> TimedTask:
        """An allreduce."""
        return TimedTask(
            topology=self.topology,
            collective=Collective.ALLREDUCE,
            size=self.size,
            units=self.units,
            tries=SEEDS,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SystemTimes:
    """Seconds of an allreduce on a system.

    `tacos` takes the published algorithm, `ours` the best maker, called `method`. No allreduce
    beats `bound`, no reduce-scatter followed by an allgather `two_phases`. `ideal` is that of the
    paper, `baselines` are by name. `tacos_use` is the share of busy links over the whole time of
    the published algorithm; `tacos_spent` and `spent` are the processor seconds of both searches.
    """

    system: TacosSystem
    tacos: Fraction
    ours: Fraction
    method: str
    bound: Fraction
    two_phases: Fraction
    ideal: Fraction
    baselines: Mapping[str, Fraction]
    tacos_use: Fraction
    tacos_spent: float
    spent: float

    @property
    def share(self) -> Fraction:
        """What the published algorithm reaches of the ideal."""
        return self.ideal / self.tacos

    @property
    def remark(self) -> str:
        """Where two phases cannot reach the ideal, how near they come; else nothing."""
        share = self.ideal / self.two_phases
        out_of_reach = share < Fraction(999, 1000)
        return f"two phases reach at most {float(share):.1%} of the ideal" if out_of_reach else ""


def tacos_system(item: str, subject: str) -> TacosSystem:
    """A recipe or fabric with the latency and the rate that are printed with an item.

    >>> system = tacos_system("table5", "RFS(2,4,2)")
    >>> system.hosts, str(system.units.latency)
    (16, '1/2000000')
    """
    one = item_figures(item)[0]
    rate = 1.0 if is_fabric(subject) else next(iter(one.rates.values()))[0]
    topology = named_topology(subject)[1]
    return TacosSystem(subject=subject, topology=topology, units=link_units(one, rate))


def narrow_system(system: TacosSystem) -> TacosSystem:
    """Another reading of 3D-RFS: 100 GB/s are all of a host's links in its full mesh.

    With four hosts in it a link has a third of them, and a host 350 GB/s in all; switches are
    unwound with degree 1.
    """
    capacity = system.topology.capacity or ()
    mesh = tuple(Fraction(100, 3) if value == 100 else value for value in capacity)
    narrow = unwind_switches(replace(system.topology, capacity=mesh), 1)
    return replace(system, subject=f"{system.subject}, 350 GB/s a host", topology=narrow)


def time_system(
    system: TacosSystem, baselines: Sequence[str] = (), *, chunks: int | None = None
) -> SystemTimes:
    """All that is measured on a system; baselines that are not defined there are left out.

    `chunks` a shard are those of the published algorithm, several unless given.
    """
    task = system.task
    begun = process_time()
    found = synthesize(task)
    middle = process_time()
    published = schedule_tacos(system, chunks=chunks)
    end = process_time()
    shares = busy_shares(published)
    phases = (Collective.REDUCE_SCATTER, Collective.ALLGATHER)
    return SystemTimes(
        system=system,
        tacos=published.seconds,
        ours=found.timetable.seconds,
        method=found.timetable.method or "",
        bound=found.bounds.any_chunks,
        two_phases=sum((task_bounds(task.phase(one)).any_chunks for one in phases), Fraction()),
        ideal=ideal_allreduce(system.topology, system.size, system.units),
        baselines=_baseline_times(system, baselines),
        tacos_use=sum(shares, Fraction()) / len(shares),
        tacos_spent=end - middle,
        spent=middle - begun,
    )


def schedule_tacos(system: TacosSystem, *, chunks: int | None = None) -> Timetable:
    """The quickest timetable of the published algorithm, of some seeds and numbers of chunks."""
    return synthesize(replace(system.task, matching="random", chunks=chunks)).timetable


def time_rows(times: SystemTimes) -> list[ComparisonRow]:
    """Milliseconds of everything that is measured, of which the paper prints ratios only."""
    values = (
        ("TACOS as published", times.tacos, ""),
        ("ours", times.ours, times.method),
        ("bound of any allreduce", times.bound, ""),
        ("bound of two phases", times.two_phases, ""),
        ("ideal of the paper", times.ideal, times.remark),
        *((name, seconds, "") for name, seconds in times.baselines.items()),
    )
    return [
        ComparisonRow(
            subject=times.system.subject,
            quantity=name,
            unit="ms",
            ours=exactly(1000 * seconds),
            published=None,
            note=note,
        )
        for name, seconds, note in values
    ]


def _baseline_times(system: TacosSystem, names: Sequence[str]) -> dict[str, Fraction]:
    found = {}
    for name in names:
        try:
            found[name] = time_baseline(
                name, system.topology, system.size, system.units,
                name=system.subject, parts=SPLIT.get(name, 1),
            ).seconds  # fmt: skip
        except TopofinderError:
            continue
    return found
