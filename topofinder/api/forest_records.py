"""A forest that was made or read: as an answer, and as the database keeps it."""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from db.forest_rows import ForestRow
from expansions.collective import Collective
from expansions.schedule_files.digest import topology_digest
from generators.errors import Unsupported
from generators.host_limits import limited_hosts
from reports.allreduce_limits import AllreduceLimitRecord
from reports.forest import ForestRecord, PhaseRecord, forest_fields, forest_text
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.forest_routes import describe_routes
from topofinder.api.shared.forest_times import Transfer, forest_time
from topofinder.forests.collectives.any_allreduce import allreduce_limits
from topofinder.forests.collectives.make_forest import SHARED
from topofinder.forests.collectives.shared_links import SharedLinks
from topofinder.forests.few_trees.height_program import raise_bound
from topofinder.forests.few_trees.pack import least_height
from topofinder.forests.optimality.bottleneck_cut import find_optimum
from topofinder.forests.optimality.cuts import Cuts
from topofinder.forests.optimality.network import Network
from topofinder.forests.optimality.tree_count import paper_count, recommended_count, scan_counts
from topofinder.model.forest import Forest, Phase, link_traffic, spared_traffic
from topofinder.model.forest_files import forest_digest

SMALL = 10
"""The largest k of which one asks whether it would do almost as well (section 5.5)."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class ForestAnswer(Answer):
    """A forest that was made or read, and what there is to say of it."""

    forest: Forest
    record: ForestRecord

    @property
    def time(self) -> Fraction:
        """For a shard of weight 1, phases one after the other."""
        return self.record.time

    @property
    def optimum(self) -> Fraction:
        """1/x*, which no forest beats."""
        return self.record.optimum

    def summary(self) -> dict[str, Any]:
        """What it carries out on what, the time and its optimum."""
        record = self.record
        return {
            "collective": record.collective,
            "subject": record.subject,
            "time": str(record.time),
            "optimum": str(record.optimum),
        }

    def to_dict(self) -> dict[str, Any]:
        """The fields that `schedule --method forest --json` and `show --json` print."""
        return forest_fields(self.record)

    def _drawn_noun(self) -> object:
        return self.forest

    def __str__(self) -> str:
        return forest_text(self.record)


def describe_forest(
    saved: Forest,
    subject: str,
    *,
    bound: Fraction | None = None,
    transfer: Transfer | None = None,
    seconds: float | None = None,
    file: str | None = None,
) -> ForestRecord:
    """What there is to say of a forest."""
    names = _names(saved)
    paper, small = counts(saved)
    least, far = _least_heights(saved)
    return ForestRecord(
        subject=saved.recipe or subject,
        recipe=saved.recipe,
        damage=saved.damage,
        collective=saved.collective.value,
        root=None if saved.root is None else names[saved.root],
        method=saved.method,
        nodes=saved.topology.n,
        hosts=saved.topology.n - len(saved.topology.switches),
        total=saved.total,
        phases=tuple(_phase(phase, saved.weight, names) for phase in saved.phases),
        together=saved.together if len(saved.phases) > 1 else saved.inverse_rate,
        unit_rate=saved.topology.unit_rate,
        digest=forest_digest(saved),
        bound=bound,
        even_bound=_even_bound(saved),
        limits=_limits(saved),
        paper_k=paper,
        least_height=least,
        far=far,
        small=small,
        routes=describe_routes(saved),
        duration=None if transfer is None else forest_time(saved, transfer),
        seconds=seconds,
        file=file,
    )


def _limits(saved: Forest) -> AllreduceLimitRecord | None:
    if saved.collective is not Collective.ALLREDUCE:
        return None
    found = allreduce_limits(saved.topology, saved.total)
    return AllreduceLimitRecord(
        cut=found.cut, hosts=found.hosts, rooted=found.rooted, scattered=saved.optimum
    )


def _even_bound(saved: Forest) -> Fraction | None:
    """What no trees with shards of these weights beat, where phases share links."""
    if SHARED not in (saved.method or "") or saved.topology.switches:
        return None
    try:
        return SharedLinks.of(Network.of(saved.topology, saved.weight)).bound
    except Unsupported:
        return None


def counts(saved: Forest) -> tuple[int | None, tuple[int, Fraction] | None]:
    """The k of proposition E.1; and, where the forest's is above SMALL, a k of at most SMALL with
    a loss of at most 1 %, or the best of them, with its loss. Neither says anything of trees that
    leave room for the other phase, or obey limits of hosts.
    """
    if SHARED in (saved.method or "") or limited_hosts(saved.topology):
        return None, None
    phase = saved.phases[-1]
    fabric = Network.of(phase.topology, saved.weight)
    cuts = Cuts.of(fabric)
    best = find_optimum(fabric, cuts)
    paper = paper_count(fabric, best)
    if phase.trees.k <= SMALL:
        return paper, None
    small = recommended_count(scan_counts(fabric, best, range(1, SMALL + 1), cuts))
    return paper, (small.k, small.loss)


def _least_heights(saved: Forest) -> tuple[int | None, int | None]:
    """What no height is below at this rate, and by distance alone.

    None where all trees are as low as distances, or N is large.
    """
    if "level" in (saved.method or ""):
        return None, None
    found = [_least_height(phase, saved.weight) for phase in saved.phases]
    known = [each for each in found if each is not None]
    return tuple(max(column) for column in zip(*known, strict=True)) if known else (None, None)


def _least_height(phase: Phase, weight: tuple[int, ...]) -> tuple[int, int] | None:
    fabric = Network.of(phase.topology, weight)
    far = least_height(fabric)
    if far is None:
        return None
    return raise_bound(fabric, far, int(phase.trees.heights().max()), phase.trees.time), far


def forest_row(saved: Forest, path: Path) -> ForestRow:
    """The row of the database for a forest that was written to a file."""
    trees = [phase.trees for phase in saved.phases]
    return ForestRow(
        path=str(path.resolve()),
        content=forest_digest(saved),
        topology=topology_digest(saved.topology),
        recipe=saved.recipe,
        damage=saved.damage,
        collective=saved.collective.value,
        root=saved.root,
        method=saved.method or "forest",
        n=saved.topology.n,
        hosts=saved.topology.n - len(saved.topology.switches),
        total=saved.total,
        k=trees[-1].k,
        trees=sum(each.trees for each in trees),
        height=max(int(each.heights().max(initial=0)) for each in trees),
        optimum=saved.optimum,
        time=saved.inverse_rate,
    )


def _names(saved: Forest) -> tuple[str, ...]:
    return saved.topology.names or tuple(map(str, range(saved.topology.n)))


def _phase(phase: Phase, weight: tuple[int, ...], names: tuple[str, ...]) -> PhaseRecord:
    trees = phase.trees
    heights: Counter[int] = Counter()
    for height, copies in zip(trees.heights().tolist(), trees.copies.tolist(), strict=True):
        heights[height] += copies
    inside = set(trees.cut.tolist())
    held = sum(weight[node] for node in inside)
    return PhaseRecord(
        name=phase.name,
        k=trees.k,
        trees=trees.trees,
        time=trees.time,
        optimum=trees.optimum,
        heights=dict(heights),
        links=int(trees.hop_heights().max(initial=0)),
        traffic=link_traffic(trees),
        spared=spared_traffic(trees),
        inside=tuple(name for node, name in enumerate(names) if node in inside),
        outside=tuple(name for node, name in enumerate(names) if node not in inside),
        weight=held,
        exiting=held / trees.optimum,
    )
