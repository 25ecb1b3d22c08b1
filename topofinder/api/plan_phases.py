"""`topofinder plan-phases`: which wiring for which collective of an iteration, if changes pay."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from os import PathLike
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from db.rows import CandidateRow
from db.store import Store
from expansions.collective import Collective
from expansions.lower_bounds import least_bandwidth, moore_steps
from generators import quantities
from generators.errors import InvalidInput, Unsupported
from generators.excerpts import excerpt
from reports.phase_plan import PhaseLine, PhasePlanRecord, phase_plan_fields, phase_plan_text
from topofinder.alltoall.solver.bounds import moore_rate
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.frontiers import search_size
from topofinder.api.throughput_rates import Rates
from topofinder.finder.phase_plan import ChangeTimes, PhasePlan, choose_wirings
from topofinder.model.candidate import LinkMode

KINDS = (
    Collective.ALLGATHER,
    Collective.REDUCE_SCATTER,
    Collective.ALLREDUCE,
    Collective.ALLTOALL,
)
MOST_PHASES = 1_000
MOST_WIRINGS = 12
"""Wirings of which each pair is planned."""
SECONDS_A_PLAN = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCollective:
    """A collective of `size` bytes in all; of an all-to-all those of each host."""

    collective: Collective
    size: Fraction


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PhasePlanAnswer(Answer):
    """The wiring of each phase, what one wiring alone takes, and bounds."""

    plan: PhasePlan
    record: PhasePlanRecord

    def summary(self) -> dict[str, Any]:
        """The time, and how often the wiring is changed."""
        return {"seconds": float(self.plan.seconds), "changes": self.plan.changes}

    def to_dict(self) -> dict[str, Any]:
        """The fields that `plan-phases --json` prints."""
        return phase_plan_fields(self.record)

    def __str__(self) -> str:
        return phase_plan_text(self.record)


def plan_phases(
    phases: str | Sequence[str],
    n: int,
    d: int,
    *,
    change: str | None = None,
    move: str | None = None,
    alpha: str,
    bandwidth: str,
    links: LinkMode | str = LinkMode.SIMPLEX,
    once: bool = False,
    gap: Fraction | float = Fraction(1, 100),
    time: float = 15.0,
    db: str | PathLike[str] = ":memory:",
) -> PhasePlanAnswer:
    """The cheapest wirings of the frontier of (n, d) for a sequence such as "allreduce:1GiB".

    `phases` are collectives with their size, separated by commas; `change` is how long a change of
    the wiring takes, such as "10ms", or `move` a move of it: then each pair of wirings is planned
    on one panel, and a change takes all its moves, one after another. The sequence repeats, unless
    it is run `once`. All-to-alls take what the proved throughput gives, found as `gap` and `time`
    say. The frontier is that which `db` holds, or searched. Raises InvalidInput for what cannot be
    read, Unsupported for too many wirings to plan all pairs.

    >>> found = plan_phases("allreduce:1MiB", 16, 4, change="1s", alpha="10us",
    ...     bandwidth="100Gbps")
    >>> found.plan.changes
    0
    """
    asked = read_phases(phases)
    if (change is None) == (move is None):
        raise InvalidInput("phases: one of --change and --move is needed")
    hop = quantities.seconds(alpha, "--alpha")
    rate = quantities.rate(bandwidth, "--bandwidth")
    members = search_size(n, d, links, None if str(db) == ":memory:" else Path(db)).frontier.members
    rows = list({row.recipe: row for row in members}.values())
    with Store(db) as store:
        rates = Rates(store, quantities.part(gap, "--gap"), time, total=time)
        exchanges = any(each.collective is Collective.ALLTOALL for each in asked)
        throughputs = [rates[row.recipe].lower if exchanges else Fraction() for row in rows]
    spent = [
        [_seconds(each, row, f, hop, rate) for row, f in zip(rows, throughputs, strict=True)]
        for each in asked
    ]
    delays = _change_times(change, move, [row.recipe for row in rows], d, LinkMode(links))
    delay = whole = delays if isinstance(delays, Fraction) else _least_change(delays)
    if move is not None:  # all circuits lead elsewhere in the next step
        whole = quantities.seconds(move, "--move") * n * d / (1 + (links == LinkMode.DUPLEX))
    plan = choose_wirings(spent, delays, repeats=not once)
    two_way = LinkMode(links) is LinkMode.DUPLEX
    lines = tuple(
        PhaseLine(
            collective=each.collective.value,
            size=each.size,
            recipe=rows[w].recipe,
            seconds=spent[p][w],
            single_seconds=spent[p][plan.single],
            bound=_bound(each, n, d, hop, rate, two_way=two_way),
        )
        for p, (each, w) in enumerate(zip(asked, plan.wirings, strict=True))
    )
    record = PhasePlanRecord(
        n=n, d=d, lines=lines, change=delay, changes=plan.changes, seconds=plan.seconds,
        single=rows[plan.single].recipe, single_seconds=plan.single_seconds, least=plan.least,
        own_moves=move is not None,
        worth=plan.worth, repeats=not once, wirings=len(rows),
        by_steps=sum((_every_step(each, n, hop, rate, whole) for each in asked), Fraction()),
    )  # fmt: skip
    return PhasePlanAnswer(plan=plan, record=record)


def _change_times(
    change: str | None, move: str | None, recipes: Sequence[str], d: int, links: LinkMode
) -> ChangeTimes:
    """Seconds of any change, or from wiring to wiring by the moves that are planned."""
    if change is not None:
        return quantities.seconds(change, "--change")
    each = quantities.seconds(move or "", "--move")
    return change_seconds(count_moves(recipes, d, links), each)


def count_moves(recipes: Sequence[str], ports: int, links: LinkMode) -> list[list[int]]:
    """The planner's moves from wiring to wiring: (wirings, wirings), symmetric, 0 on the diagonal.

    All circuits are patched on one panel. What leads there leads back, by the rollback of the plan,
    so that each pair is planned once. What is counted are circuits that are made, with hosts placed
    as the planner found best.

    Raises Unsupported for more than MOST_WIRINGS, InvalidInput as `plan` does.

    >>> count_moves(["C(8,{1,2})", "Torus(2,4)"], 4, LinkMode.DUPLEX)[0][0]
    0
    """
    from topofinder.api.inventory import inventory
    from topofinder.api.plan import plan

    if len(recipes) > MOST_WIRINGS:
        told = f"at most {MOST_WIRINGS} wirings are planned pair by pair, not {len(recipes)}"
        raise Unsupported(f"--move: {told}; give a --change")
    found = [[0] * len(recipes) for _ in recipes]
    with TemporaryDirectory() as folder:
        files = Path(folder, "fabric.json"), Path(folder, "wired.csv")
        for a, here in enumerate(recipes):
            inventory(here, *files, ports=ports, mode=links, force=True)
            for b in range(a + 1, len(recipes)):
                made = plan(*files, recipes[b], mode=links, time=SECONDS_A_PLAN)
                found[a][b] = found[b][a] = made.moves
    return found


def change_seconds(moves: Sequence[Sequence[int]], move: Fraction) -> list[list[Fraction]]:
    """Seconds of changes whose moves follow one another, each of `move` seconds.

    >>> change_seconds([[0, 3], [3, 0]], Fraction(2))[0][1]
    Fraction(6, 1)
    """
    return [[count * move for count in row] for row in moves]


def _least_change(delays: Sequence[Sequence[Fraction]]) -> Fraction:
    """The least time between two wirings; 0 for one alone."""
    pairs = (value for a, row in enumerate(delays) for b, value in enumerate(row) if a != b)
    return min(pairs, default=Fraction())


def read_phases(text: str | Sequence[str]) -> tuple[PlannedCollective, ...]:
    """Collectives and sizes.

    >>> [each.collective.value for each in read_phases("allreduce:1GiB, all-to-all:4MiB")]
    ['allreduce', 'all-to-all']
    """
    words = text.split(",") if isinstance(text, str) else list(text)
    if not 0 < len(words) <= MOST_PHASES:
        raise InvalidInput(f"phases: 1 to {MOST_PHASES}, not {len(words)}")
    return tuple(map(_read_phase, words))


def _read_phase(word: str) -> PlannedCollective:
    name, colon, size = word.strip().partition(":")
    if not colon or name not in [kind.value for kind in KINDS]:
        known = ", ".join(kind.value for kind in KINDS)
        raise InvalidInput(f"phases: COLLECTIVE:SIZE with one of {known}, not {excerpt(word)}")
    return PlannedCollective(
        collective=Collective(name), size=quantities.size(size, f"phases: {name}")
    )


def _seconds(
    phase: PlannedCollective,
    row: CandidateRow,
    rate: Fraction,
    alpha: Fraction,
    bandwidth: Fraction,
) -> Fraction:
    if phase.collective is Collective.ALLTOALL:
        return phase.size / row.n / (rate * bandwidth / row.d)
    cost = {
        Collective.ALLGATHER: row.allgather,
        Collective.REDUCE_SCATTER: row.reduce_scatter,
        Collective.ALLREDUCE: row.allreduce,
    }[phase.collective]
    return cost.runtime(alpha, phase.size, bandwidth)


def _bound(
    phase: PlannedCollective, n: int, d: int, alpha: Fraction, bandwidth: Fraction, *, two_way: bool
) -> Fraction:
    """What a phase takes at least in steps on any wiring: Moore bound, T_B*, Moore's throughput."""
    if phase.collective is Collective.ALLTOALL:
        return phase.size / n / (moore_rate(n, d, two_way=two_way) * bandwidth / d)
    halves = 2 if phase.collective is Collective.ALLREDUCE else 1
    return halves * (moore_steps(n, d) * alpha + least_bandwidth(n) * phase.size / bandwidth)


def _every_step(
    phase: PlannedCollective, n: int, alpha: Fraction, bandwidth: Fraction, change: Fraction
) -> Fraction:
    """Bruck's algorithm, or recursive doubling, with a change of the wiring before every step.

    At each step a host has all its ports to one peer. An all-to-all moves half of its bytes at
    each of log N steps; an allgather doubles what it has, a reduce-scatter halves it.
    """
    steps = (n - 1).bit_length()
    if phase.collective is Collective.ALLTOALL:
        moved = sum((_with_bit(n, k) for k in range(steps)), Fraction())
        return steps * (alpha + change) + moved * phase.size / bandwidth
    halves = 2 if phase.collective is Collective.ALLREDUCE else 1
    return halves * (steps * (alpha + change) + least_bandwidth(n) * phase.size / bandwidth)


def _with_bit(n: int, k: int) -> Fraction:
    """The part of a host's bytes that go to hosts whose distance has bit k."""
    return Fraction(sum(1 for i in range(n) if i >> k & 1), n)
