"""A plan that was made: as an answer, as its files, and as the database keeps it."""

import hashlib
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import compress
from pathlib import Path
from typing import Any

from db.plan_rows import MoveRow, PlanRow
from expansions.schedule_files.digest import topology_digest
from reports.bill import BillRow, bill_fields, bill_text
from reports.drain import DrainSummary
from reports.lengths import LengthSummary, TradeSummary
from reports.losses import LossSummary
from reports.plan import ChoiceRow, PlanSummary, TreeCost, plan_fields
from reports.plan import plan_text as plan_summary_text
from reports.plan_targets import TargetRow
from topofinder.api.plan_methods import PlanResult
from topofinder.api.shared.answer import Answer
from topofinder.forests.collectives.overlap_cost import OverlapCost
from topofinder.model.drain import Drain
from topofinder.model.lengths import CircuitLengths
from topofinder.model.plan import Plan
from topofinder.model.plan_files import move_rows, plan_document_text
from topofinder.model.port_rates import link_rates
from topofinder.patching.degraded import DegradedChoice, slowdown
from topofinder.patching.nearest_targets import TriedTarget
from topofinder.verification.plan_wirings import ClaimedEnd


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class PlanAnswer(Answer):
    """A plan that was made: `found` holds it, `record` what there is to say of it."""

    found: PlanResult
    record: PlanSummary
    bill: tuple[BillRow, ...] = ()

    @property
    def plan(self) -> Plan:
        """The stages, with their rollback."""
        return self.found.plan

    @property
    def moves(self) -> int:
        """Circuits that are made."""
        return self.record.moves

    @property
    def files(self) -> tuple[str, ...]:
        """The files that were written."""
        return self.record.files

    def summary(self) -> dict[str, Any]:
        """The target, its size, the moves and their lower bound."""
        names = ("target", "n", "moves", "lower_bound", "stages")
        return {name: getattr(self.record, name) for name in names}

    def to_dict(self) -> dict[str, Any]:
        """The fields that `plan --json` prints."""
        priced = bill_fields(self.bill) if self.bill else {}
        return {**plan_fields(self.record), **priced}

    def _drawn_noun(self) -> object:
        return self.plan

    def __str__(self) -> str:
        told = plan_summary_text(self.record)
        return f"{told}\n\n{bill_text(self.bill)}" if self.bill else told


def plan_digest(plan: Plan) -> str:
    """SHA-256 of the JSON text of a plan."""
    return hashlib.sha256(plan_document_text(plan).encode("utf-8")).hexdigest()


def summarise_plan(
    found: PlanResult, output: Path | None, files: tuple[str, ...], digest: str
) -> PlanSummary:
    """What there is to say of a plan, written to files or not."""
    plan = found.plan
    end = ClaimedEnd(plan.fabric, plan.claim)
    return PlanSummary(
        target=plan.subject,
        recipe=plan.recipe,
        n=plan.topology.n,
        d=plan.topology.degree,
        mode="duplex" if plan.duplex else "simplex",
        moves=plan.moves,
        lower_bound=plan.bound.moves,
        bound=plan.bound.name,
        kept=plan.kept,
        disconnects=plan.frees,
        missing=len(plan.missing),
        missing_proved=plan.missing_proved,
        placement_missing=plan.placement_missing,
        placement_moves=plan.placement_moves,
        stages=len(plan.stages),
        dark_stages=plan.dark_stages,
        connected=plan.working.connected,
        working=plan.topology.n - len(plan.working.joining),
        groups=plan.working.groups,
        joining=tuple(plan.fabric.hosts[host] for host in plan.working.joining.tolist()),
        leaving=tuple(plan.fabric.hosts[host] for host in plan.working.leaving.tolist()),
        parts=end.parts(plan.after.to),
        keep_connected=plan.keep_connected,
        estimated=plan.seconds_estimated,
        rollback=sum((stage.seconds for stage in plan.rollback), start=plan.seconds_estimated * 0),
        found=plan.found,
        seed=plan.seed,
        seconds=plan.seconds,
        file=None if output is None else str(output),
        files=files,
        content=digest,
        panels=_panels(plan),
        spares=tuple(plan.fabric.hosts[host] for host in found.spares),
        choices=tuple(_row(found.choices[0], choice) for choice in found.choices),
        drain=None if plan.drain is None else _drain(plan.drain),
        losses=_losses(plan),
        lengths=None if plan.lengths is None else _lengths(plan, plan.lengths),
        trade=_trade(plan),
        targets=tuple(map(_target_row, found.targets)),
        forbidden=len(plan.fabric.forbidden_names),
        rates=_rates(plan),
        trunk=plan.fabric.links,
    )


def _rates(plan: Plan) -> tuple[tuple[Fraction, int], ...]:
    """The circuits of the target at each rate, in bytes a second; none where ports have none."""
    if not plan.fabric.forbidden.rates:
        return ()
    graph = plan.topology
    keep = graph.tail < graph.head if plan.duplex else graph.tail != graph.head
    counts = Counter(compress(link_rates(graph), keep.tolist()))
    return tuple(sorted(counts.items()))


def _target_row(tried: TriedTarget) -> TargetRow:
    costed = tried.costed
    return TargetRow(
        name=costed.target.subject,
        n=costed.target.topology.n,
        d=costed.target.topology.degree,
        allgather=costed.allgather,
        reduce_scatter=costed.reduce_scatter,
        seconds=costed.seconds,
        method=costed.method,
        moves=tried.moves,
        bound=tried.bound,
        missing=tried.missing,
        refused=None if tried.refused is None else str(tried.refused),
        chosen=tried.chosen,
    )


def _losses(plan: Plan) -> LossSummary | None:
    found, names = plan.losses, plan.fabric.names
    if found is None:
        return None
    above = tuple((names[circuit.a], names[circuit.b]) for circuit in found.above)
    return LossSummary(worst=found.worst, proved=found.proved, budget=found.budget, above=above)


def _lengths(plan: Plan, found: CircuitLengths) -> LengthSummary:
    names = plan.fabric.hosts
    return LengthSummary(
        total=found.total,
        longest=found.longest,
        reach=found.reach,
        above=tuple((names[a], names[b]) for a, b in found.above),
    )


def _trade(plan: Plan) -> TradeSummary | None:
    if (found := plan.trade) is None:
        return None
    return TradeSummary(
        least=found.least,
        proved=found.proved,
        moves=plan.moves,
        fewest=found.fewest,
        instead=_lengths(plan, found.instead),
    )


def _drain(drain: Drain) -> DrainSummary:
    return DrainSummary(
        take_out=drain.take_out,
        cuts=len(drain.cuts),
        most_out=drain.most_out,
        keep=drain.keep,
        demand=drain.demand,
        whole=drain.whole,
        rates=drain.rates,
        beyond=drain.beyond,
        below=drain.below,
    )


def _panels(plan: Plan) -> tuple[tuple[str, int, int], ...]:
    counts = [[0, 0] for _ in plan.fabric.panels]
    for stage in plan.stages:
        for kind, circuits in enumerate((stage.connects, stage.frees)):
            for circuit in circuits:
                counts[plan.fabric.panel[circuit.a]][kind] += 1
    rows = zip(plan.fabric.panels, counts, strict=True)
    return tuple((panel.name, made, freed) for panel, (made, freed) in rows)


def _row(intact: DegradedChoice, choice: DegradedChoice) -> ChoiceRow:
    return ChoiceRow(
        kind=choice.kind,
        name=choice.target.subject,
        n=choice.target.topology.n,
        d=choice.target.topology.degree,
        links=choice.links,
        allgather=choice.allgather,
        reduce_scatter=choice.reduce_scatter,
        rate=choice.rate,
        trees=None if choice.trees is None else _tree_cost(choice.trees),
        slower=slowdown(intact, choice),
    )


def _tree_cost(trees: OverlapCost) -> TreeCost:
    return TreeCost(bandwidth=trees.bandwidth, bound=trees.bound, height=trees.height)


def plan_row(plan: Plan, output: Path | None, digest: str) -> PlanRow:
    """The row of the database, with the moves, for a plan written under `output` or not at all."""
    rows = move_rows(plan.fabric, plan.stages)
    return PlanRow(
        content=digest,
        before=plan.before.digest,
        after=plan.after.digest,
        topology=topology_digest(plan.topology),
        path="" if output is None else str(output.resolve()),
        target=plan.subject,
        recipe=plan.recipe,
        mode="duplex" if plan.duplex else "simplex",
        n=plan.topology.n,
        d=plan.topology.degree,
        moves=plan.moves,
        lower_bound=plan.bound.moves,
        bound=plan.bound.name,
        kept=plan.kept,
        disconnects=plan.frees,
        missing=len(plan.missing),
        stages=len(plan.stages),
        dark_stages=len(plan.dark_stages),
        estimated=plan.seconds_estimated,
        found=plan.found,
        seed=plan.seed,
        keep_connected=plan.keep_connected,
        seconds=plan.seconds,
        listed=tuple(_move(row) for row in rows),
    )


def _move(row: tuple[str, ...]) -> MoveRow:
    number, stage, panel, action, mode, port_a, port_b, *_ = row
    return MoveRow(
        move=int(number),
        stage=int(stage),
        panel=panel,
        action=action,
        mode=mode,
        port_a=port_a,
        port_b=port_b,
    )
