"""Allreduces on the systems of TACOS: by its algorithm as published, by ours, and their bounds.

Source: Won et al., TACOS (MICRO 2024), section VI. How many chunks the paper cuts a shard into is
not printed; the better of the two greatest powers of two within limits is taken.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from expansions.collective import Collective
from generators.errors import TopofinderError
from generators.fabrics.names import is_fabric
from generators.fabrics.unwinding import unwind_switches
from generators.topology import Topology
from reports.reproduced import ComparisonRow, exactly
from topofinder.api.reproduce.tacos_baselines import GIGABYTE, item_figures, link_units
from topofinder.api.shared.subjects import named_topology
from topofinder.model.chunk_times import LinkUnits
from topofinder.timetables.ideal import ideal_allreduce
from topofinder.timetables.mapped_baselines import time_baseline
from topofinder.timetables.portfolio import synthesize, task_bounds
from topofinder.timetables.task import TimedTask

SEEDS = 3
MOST_CHUNKS = 64
MOST_SENDS = 1 << 14
"""Sends of an allgather by the published algorithm, at most: all chunks to every host.

Twice as many where links are equal, which are matched at fewer events.
"""
SPLIT = {"themis": 64, "ccube": 64}
"""Parts of the data, by baseline; the others have one."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TacosSystem:
    """A system by name, with what a latency and a capacity of 1 stand for."""

    subject: str
    topology: Topology
    units: LinkUnits

    @property
    def hosts(self) -> int:
        """Nodes that are no switches."""
        return self.topology.n - len(self.topology.switches)

    @property
    def task(self) -> TimedTask:
        """An allreduce of 1 GB."""
        return TimedTask(
            topology=self.topology,
            collective=Collective.ALLREDUCE,
            size=GIGABYTE,
            units=self.units,
            tries=SEEDS,
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SystemTimes:
    """Seconds of an allreduce of 1 GB on a system.

    `tacos` takes the published algorithm, `ours` the best maker, called `method`. No allreduce
    beats `bound`, no reduce-scatter followed by an allgather `two_phases`. `ideal` is that of the
    paper, `baselines` are by name.
    """

    system: TacosSystem
    tacos: Fraction
    ours: Fraction
    method: str
    bound: Fraction
    two_phases: Fraction
    ideal: Fraction
    baselines: Mapping[str, Fraction]

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
    system: TacosSystem, baselines: Sequence[str] = (), *, most_sends: int = MOST_SENDS
) -> SystemTimes:
    """All that is measured on a system; baselines that are not defined there are left out."""
    task = system.task
    bounds, found = task_bounds(task), synthesize(task)
    phases = (Collective.REDUCE_SCATTER, Collective.ALLGATHER)
    return SystemTimes(
        system=system,
        tacos=time_tacos(system, most_sends=most_sends),
        ours=found.timetable.seconds,
        method=found.timetable.method or "",
        bound=bounds.any_chunks,
        two_phases=sum((task_bounds(task.phase(one)).any_chunks for one in phases), Fraction()),
        ideal=ideal_allreduce(system.topology, GIGABYTE, system.units),
        baselines=_baseline_times(system, baselines),
    )


def time_tacos(system: TacosSystem, *, most_sends: int = MOST_SENDS) -> Fraction:
    """Seconds by the published algorithm: the best of some seeds and numbers of chunks."""
    most = 2 * most_sends if system.task.has_equal_links else most_sends
    counts = [1]
    while counts[-1] < MOST_CHUNKS and 2 * counts[-1] * system.hosts**2 <= most:
        counts.append(2 * counts[-1])
    task = replace(system.task, matching="random")
    return min(synthesize(replace(task, chunks=c)).timetable.seconds for c in counts[-2:])


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
                name, system.topology, GIGABYTE, system.units,
                name=system.subject, parts=SPLIT.get(name, 1),
            ).seconds  # fmt: skip
        except TopofinderError:
            continue
    return found
