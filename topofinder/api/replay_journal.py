"""`topofinder replay --journal`: where a plan that was begun is, and the plans from there."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generators.errors import InvalidInput
from generators.files import write_whole
from reports.journal import JournalSummary, journal_fields, journal_text
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.places import check_places
from topofinder.api.shared.workloads import read_seconds
from topofinder.exporters.sonic_ocs import require_format, require_switches, write_scripts
from topofinder.model.inventory.cross_connects import wiring_text
from topofinder.model.inventory.losses import PortLosses, read_decibels, read_losses
from topofinder.model.inventory.ports import PortMap, read_port_map
from topofinder.model.inventory.switch_state import read_current
from topofinder.model.inventory.wiring import Wiring
from topofinder.model.plan import Plan
from topofinder.model.plan_files import plan_paths, require_output, write_plan
from topofinder.verification.journal import JournalState, follow_journal, read_journal
from topofinder.verification.plan_drain import stage_shares_out
from topofinder.verification.plan_lists import plan_file
from topofinder.verification.plan_reader import SavedPlan, fabric_of_plan, read_plan
from topofinder.verification.plans import replay_stages

if TYPE_CHECKING:
    from reports.plan import PlanSummary
    from topofinder.api.plan_drain import DrainRequest

PathName = str | PathLike[str]
SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class FollowedJournal(Answer):
    """A plan that was begun: `state` is what is in place, `onward` and `back` lead from there."""

    record: JournalSummary
    state: JournalState
    onward: Plan | None = None
    back: Plan | None = None

    @property
    def valid(self) -> bool:
        """Whether the journal can be true."""
        return self.record.violation is None

    def summary(self) -> dict[str, Any]:
        """How many moves are done, failed and unknown."""
        names = ("moves", "done", "failed", "unknown")
        return {"valid": self.valid} | {name: getattr(self.record, name) for name in names}

    def to_dict(self) -> dict[str, Any]:
        """The fields that `replay --journal --json` prints."""
        return journal_fields(self.record)

    def __str__(self) -> str:
        return journal_text(self.record)


def replay_journal(
    file: PathName,
    inventory: PathName,
    current: PathName,
    journal: PathName,
    *,
    rollback: bool = False,
    output: PathName | None = None,
    onward: PathName | None = None,
    back: PathName | None = None,
    new_placement: bool = False,
    time: float | str = SECONDS,
    keep_connected: bool = False,
    take_out: float | str | None = None,
    cuts: Sequence[str] = (),
    keep_throughput: float | str | None = None,
    demand: PathName | None = None,
    losses: PathName | None = None,
    loss_budget: float | str | None = None,
    form: str | None = None,
) -> FollowedJournal:
    """Tell where a plan is by the journal of its moves, and plan from there.

    `current` is the wiring that it began with; with `rollback` the journal is of its rollback, and
    `current` the plan's end. The wiring in place, without circuits that may be there or not, is
    written to `output`, a plan to the end that was wanted to `onward`, one to the wiring that it
    began with to `back`. Ports that moves failed at are dead there, and every host keeps its part;
    where it lacks a port, the circuits at dead ports are left out. With a `new_placement` other
    hosts may take parts then, if that leaves out fewer.

    What the plan's file says is kept in the middle of stages is kept onward and back, but for what
    is told anew, as for `plan`: `keep_connected`, `take_out`, `cuts`, `keep_throughput` and
    `demand`, which has to be where it is a file. Shares are of what was up before the plan. New
    circuits take ports by the losses in the plan's file, or in a file of `losses`; those above its
    budget, or the `loss_budget`, are told. With the `form` "sonic-ocs" the commands of optical
    circuit switches are written too. Raises InvalidInput for files that cannot be read.
    """
    require_format(form)
    document = plan_file(Path(file))
    names = {"--output": output, "--onward": onward, "--back": back}
    read = {"FILE": document, "--current": current, "--journal": journal}
    _require_names(names, read | ({} if losses is None else {"--losses": losses}))
    seconds, fabric = read_seconds(time), read_port_map(inventory)
    if form is not None:
        if onward is None and back is None:
            raise InvalidInput("--format: --onward or --back is needed")
        for path in (onward, back):
            if path is not None:
                require_switches(fabric, Path(path))
    plan = read_plan(document, fabric)
    fabric = fabric_of_plan(plan, fabric)
    lost, most = _kept_losses(plan, losses, loss_budget)
    before = read_current(current, fabric).wiring
    digest = plan.fields.after if rollback else plan.fields.before
    if before.digest != digest:
        raise InvalidInput(f"--current: {current} is not the wiring that the plan begins with")
    state = follow_journal(plan, before, read_journal(journal, plan, back=rollback), back=rollback)
    answer = FollowedJournal(record=_summarise(fabric, state), state=state)
    if not answer.valid:
        return answer
    if output is not None:
        write_whole(output, wiring_text(fabric, state.now))
    if onward is None and back is None:
        return answer
    from topofinder.api.plan_drain import DrainRequest

    ends = {"onward": (onward, _end(plan, before, rollback)), "back": (back, before)}
    wish = _Wish(
        keep_connected=keep_connected or plan.fields.keep_connected,
        drain=DrainRequest(
            take_out=take_out, cuts=cuts, keep_throughput=keep_throughput, demand=demand
        ),
        losses=lost,
        loss_budget=most,
        new_placement=new_placement,
        seconds=seconds,
        scripts=form is not None,
    )
    made = {
        name: _plan_from(plan, state, before, end, Path(path), name, wish)
        for name, (path, end) in ends.items()
        if path is not None
    }
    plans = {name: one.plan for name, one in made.items()}
    told = {name: one.told for name, one in made.items()}
    record = replace(
        answer.record,
        onward=told.get("onward"),
        back=told.get("back"),
        left_out={name: one.left_out for name, one in made.items() if one.left_out},
        beyond={name: one.beyond for name, one in made.items() if one.beyond},
    )
    return FollowedJournal(
        record=record, state=state, onward=plans.get("onward"), back=plans.get("back")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wish:
    """How plans from there are wished for; `drain` is what is told anew of the plan's rules."""

    keep_connected: bool
    drain: "DrainRequest"
    losses: PortLosses | None
    loss_budget: int | None
    new_placement: bool
    seconds: float
    scripts: bool


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Made:
    """A plan from what is in place to a wiring, in files.

    It leaves out so many circuits of that wiring, since hosts lack ports for them; in stages
    `beyond` more is out of what was up before the plan was begun than may be.
    """

    plan: Plan
    told: "PlanSummary"
    left_out: int
    beyond: tuple[int, ...]


def _kept_losses(
    plan: SavedPlan, losses: PathName | None, loss_budget: float | str | None
) -> tuple[PortLosses | None, int | None]:
    """The losses and the budget that are told anew, else those of the plan."""
    told = plan.fields.losses
    lost = plan.losses if losses is None else read_losses(losses, plan.fabric)
    if lost is None and told is not None:
        raise InvalidInput("--losses: too long for the plan's file, and to be named again")
    if lost is None and loss_budget is not None:
        raise InvalidInput("--loss-budget: --losses is needed, the plan has none")
    if loss_budget is None and told is not None and told.budget is not None:
        loss_budget = told.budget
    return lost, None if loss_budget is None else read_decibels(loss_budget, "--loss-budget")


def _require_names(names: Mapping[str, PathName | None], read: Mapping[str, PathName]) -> None:
    """Refuse names that are those of files that are read, and of one another."""
    inputs = {name: str(path) for name, path in read.items()}
    written = set[Path]()
    for name, path in names.items():
        if path is None:
            continue
        places = [Path(path)] if name == "--output" else list(plan_paths(Path(path)))
        if name == "--output":
            for option, other in inputs.items():
                if Path(path).resolve() == Path(other).resolve():
                    raise InvalidInput(f"--output: {path} is the file of {option}")
        else:
            require_output(Path(path), inputs)
        if written & {place.resolve() for place in places}:
            raise InvalidInput(f"{name}: {path} is written already")
        written |= {place.resolve() for place in places}
        check_places(None, *places)


def _summarise(fabric: PortMap, state: JournalState) -> JournalSummary:
    names = fabric.names
    return JournalSummary(
        violation=state.violation,
        moves=state.moves,
        done=state.done,
        failed=state.failed,
        unknown=state.unknown,
        circuits=state.now.count,
        digest=state.now.digest,
        doubtful=tuple((names[circuit.a], names[circuit.b]) for circuit in state.doubtful),
        bad=tuple(names[port] for port in state.bad),
    )


def _end(plan: SavedPlan, before: Wiring, rollback: bool) -> Wiring:
    """The wiring that the plan, or its rollback, leads to."""
    stages = plan.rollback if rollback else plan.stages
    return replay_stages(plan.fabric, before, stages, undoing=rollback).after


def _plan_from(
    begun: SavedPlan,
    state: JournalState,
    before: Wiring,
    end: Wiring,
    path: Path,
    name: str,
    wish: _Wish,
) -> _Made:
    """A plan from what is in place to a wiring, every host in its part if it can, in files.

    The plan that was `begun` led from the wiring `before`.
    """
    from topofinder.api.plan_drain import kept_rules
    from topofinder.api.plan_methods import PlanResult, require_true
    from topofinder.api.plan_records import plan_digest, summarise_plan
    from topofinder.patching.failures import Failures, mark_failed
    from topofinder.patching.mending import expected_target, mend_wiring

    fabric = begun.fabric
    dead = mark_failed(fabric, state.now, Failures(ports=[fabric.names[p] for p in state.bad]))
    subject = "the end of the plan" if name == "onward" else "the wiring before the plan"
    target, parts = expected_target(fabric, end)
    whole = target.topology.arcs
    mend = partial(
        mend_wiring,
        dead,
        state.now,
        end,
        time=wish.seconds,
        subject=subject,
        keep_connected=wish.keep_connected,
        drain=kept_rules(wish.drain, begun, before, parts.tolist()),
        losses=wish.losses,
        loss_budget=wish.loss_budget,
    )
    try:
        plan = mend(intact=fabric, fixed=True).plan
    except InvalidInput:  # a host lacks a port for all that it should have
        plan = mend(fixed=True).plan
    if wish.new_placement and _left_out(plan, whole):
        with suppress(InvalidInput):  # no hosts have the ports for all of it
            other = mend(intact=fabric).plan
            plan = min(plan, other, key=lambda one: (_left_out(one, whole), one.moves))
    require_true(plan, state.now)
    files = write_plan(plan, path)
    if wish.scripts:
        files += write_scripts(plan, path, state.doubtful)
    told = summarise_plan(PlanResult(plan=plan), path, files, plan_digest(plan))
    lacking = whole - plan.topology.arcs
    return _Made(
        plan=plan,
        told=told,
        left_out=lacking // 2 if plan.duplex else lacking,
        beyond=_stages_beyond(plan, before),
    )


def _stages_beyond(plan: Plan, since: Wiring) -> tuple[int, ...]:
    """The stages in which too much is out of what was up at first, though not of what is now."""
    drain = plan.drain
    if drain is None or drain.take_out is None:
        return ()
    shares = stage_shares_out(
        plan.fabric, plan.host, plan.before.to, plan.stages, drain.cuts, since.to
    )
    stages = tuple(i for i, share in enumerate(shares, 1) if share > drain.take_out)
    return tuple(sorted(set(stages) - set(drain.beyond)))


def _left_out(plan: Plan, arcs: int) -> int:
    """The fibres of a wiring of so many arcs that a plan does not lead to."""
    return arcs - plan.topology.arcs + len(plan.missing) * (2 if plan.duplex else 1)
