"""An independent check of a forest: its trees, its links, its time and the bound on that.

It shares no code with what makes forests, and takes from them the arrays alone.
Source: ForestColl (NSDI 2026), section 4 for the bound, section 5.1 for what trees must be. What
both phases of an allreduce take at once is bound by cuts, and by what hosts send (pipeline
schedules, appendix B).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from generators.brief import brief
from generators.host_limits import leaving_rate
from generators.topology import Topology
from topofinder.model.forest import Forest, Phase
from topofinder.model.tree_set import TreeSet
from topofinder.progress import work_progress
from topofinder.verification.forest_walk import (
    EDGES_AT_ONCE,
    LinkTable,
    link_table,
    overloaded_link,
    walk_trees,
)

KINDS = {"spread": "out-trees", "gather": "in-trees"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseVerdict:
    """One set of trees: its `time` for a unit of weight, and the bound `optimum` on that.

    `traffic` counts the shards that cross a link, over all links; `spared` what multicast or
    combining switches save of that. `busy` is the time of each link, as messages run over it.
    """

    name: str
    k: int
    time: Fraction
    optimum: Fraction
    traffic: Fraction
    spared: Fraction
    busy: dict[tuple[int, int], Fraction] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestVerdict:
    """What a check found; `violation` is one line about the first fault, or None.

    `at_once_bound` is what no allreduce takes less than for a unit of weight, of trees or not.
    """

    violation: str | None
    phases: tuple[PhaseVerdict, ...] = ()
    at_once_bound: Fraction | None = None

    @property
    def valid(self) -> bool:
        """Whether nothing is wrong."""
        return self.violation is None

    @property
    def time(self) -> Fraction:
        """The time for a unit of weight, phases one after the other."""
        return sum((phase.time for phase in self.phases), Fraction())

    @property
    def optimum(self) -> Fraction:
        """The bound on that time."""
        return sum((phase.optimum for phase in self.phases), Fraction())

    @property
    def at_once(self) -> Fraction | None:
        """The time with both phases of an allreduce at once; None for other collectives."""
        if len(self.phases) < 2:
            return None
        both: dict[tuple[int, int], Fraction] = {}
        for phase in self.phases:
            for pair, time in phase.busy.items():
                both[pair] = both.get(pair, Fraction()) + time
        return max(both.values(), default=Fraction())


def verify_forest(saved: Forest, *, at_once: int = EDGES_AT_ONCE) -> ForestVerdict:
    """Check every tree, every link and the bound; stops at the first fault."""
    phases = []
    for phase in saved.phases:
        found = _check_phase(phase, saved.weight, at_once)
        if isinstance(found, str):
            return ForestVerdict(violation=f"{KINDS[phase.name]}: {found}")
        phases.append(found)
    bound = _at_once_bound(saved) if len(phases) > 1 else None
    return ForestVerdict(violation=None, phases=tuple(phases), at_once_bound=bound)


def _at_once_bound(saved: Forest) -> Fraction:
    """Every piece crosses each of the cuts, and is sent 2 (N - 1) times by the hosts, unless
    switches multicast or combine.
    """
    topology, total = saved.topology, sum(saved.weight)
    found = Fraction()
    for phase in saved.phases:
        has = sum(saved.weight[node] for node in phase.trees.cut.tolist())
        if has:
            found = max(found, total * phase.trees.optimum / has)
    if topology.multicast or topology.reduce:
        return found
    switches = frozenset(topology.switches)
    sent = sum(
        Fraction(1) if topology.capacity is None else topology.capacity[arc]
        for arc, (u, v) in enumerate(
            zip(topology.tail.tolist(), topology.head.tolist(), strict=True)
        )
        if u not in switches and u != v
    )
    hosts = topology.n - len(switches)
    return max(found, Fraction(2 * total * (hosts - 1)) / sent)


def _check_phase(phase: Phase, weight: tuple[int, ...], at_once: int) -> PhaseVerdict | str:
    trees = f"{len(phase.trees.root):,} {KINDS[phase.name]}"
    work_progress.tell(f"routes of {trees}")
    links = link_table(phase.topology, phase.trees)
    if isinstance(links, str):
        return links
    work_progress.tell(f"walking {trees}")
    walk = walk_trees(phase.topology, phase.trees, weight, links, at_once)
    if isinstance(walk, str):
        return walk
    return (
        overloaded_link(phase.topology, phase.trees, links, walk.load)
        or cut_violation(phase.topology, phase.trees, weight)
        or _phase_verdict(phase, links, walk.load.tolist(), walk.spared)
    )


def cut_violation(topology: Topology, trees: TreeSet, weight: tuple[int, ...]) -> str | None:
    """One line when the cut does not give the bound that the trees say.

    All that is inside the cut S has to leave it once, if some compute node is outside (bound (*)
    of section 4), within what hosts send and receive; so the ratio holds for every S, and the best
    S proves a time to be optimal.
    """
    inside = [False] * topology.n
    for node in trees.cut.tolist():
        inside[node] = True
    switches = frozenset(topology.switches)
    if all(inside[v] or v in switches for v in range(topology.n)):
        return "the cut leaves no compute node outside"
    leaving = leaving_rate(topology, np.array(inside))
    has = sum(w for w, isin in zip(weight, inside, strict=True) if isin)
    if not leaving:
        return "no link leaves the cut"
    if has / leaving != trees.optimum:
        found, said = brief(has / leaving), brief(trees.optimum)
        return f"the cut gives the bound {found}, not {said} as they say"
    return None


def _host_time(phase: Phase, links: LinkTable, load: list[int]) -> Fraction:
    """What the host that sends or receives most takes, where hosts have a limit; else nothing."""
    limit, switches = phase.topology.injection, frozenset(phase.topology.switches)
    if limit is None:
        return Fraction()
    moved: dict[tuple[str, int], int] = {}
    for (u, v), count in zip(links.ends, load, strict=True):
        for key in (("out", u), ("in", v)):
            moved[key] = moved.get(key, 0) + (0 if key[1] in switches else count)
    return Fraction(max(moved.values(), default=0), phase.trees.k) / limit


def _phase_verdict(
    phase: Phase, links: LinkTable, load: list[int], spared: int
) -> PhaseVerdict | str:
    trees = phase.trees
    time = max(
        (Fraction(n, trees.k) / b for n, b in zip(load, links.bandwidth, strict=True)),
        default=Fraction(),
    )
    time = max(time, _host_time(phase, links, load))
    if time != trees.time:
        return f"they take {brief(time)} of a shard's time, not {brief(trees.time)} as they say"
    if time < trees.optimum:
        return f"they take {brief(time)}, less than the bound {brief(trees.optimum)}"
    ends = links.ends if phase.name == "spread" else [(v, u) for u, v in links.ends]
    return PhaseVerdict(
        name=phase.name,
        k=trees.k,
        time=time,
        optimum=trees.optimum,
        traffic=Fraction(sum(load), trees.k),
        spared=Fraction(spared, trees.k),
        busy=_busy_times(phase, ends, load, links.bandwidth),
    )


def _busy_times(
    phase: Phase,
    ends: Sequence[tuple[int, int]],
    load: list[int],
    bandwidth: Sequence[Fraction],
) -> dict[tuple[int, int], Fraction]:
    """The time of each link, and with -1 in place of the other end what each host sends, or
    receives, at its limit, if it has one.
    """
    found: dict[tuple[int, int], Fraction] = {}
    limit, switches = phase.topology.injection, frozenset(phase.topology.switches)
    for (u, v), n, width in zip(ends, load, bandwidth, strict=True):
        share = Fraction(n, phase.trees.k)
        if n:
            found[u, v] = share / width
        if n and limit is not None:
            for node, key in ((u, (u, -1)), (v, (-1, v))):
                if node not in switches:
                    found[key] = found.get(key, Fraction()) + share / limit
    return found
