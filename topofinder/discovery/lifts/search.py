"""The search for lifts: annealing at every order of the group, the better ones longer.

Short annealings at the largest order, each at one step more, tell how many steps are easily
reached. Settings at about as many, of all orders that the budget can try, then share it: in each of
ROUNDS rounds what is left of them starts anew from random lifts, and half of them go on (successive
halving). What they are compared by are steps and bandwidth as they add up at 1 MiB, 10 us and 100
Gbps, where T_B weighs WEIGHT steps, and the pairs that are apart still.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from expansions.build import build
from expansions.canonical import canonical
from expansions.cost import Cost
from expansions.recipe import Base
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from topofinder.discovery.lifts.annealing_kernels import anneal_lift
from topofinder.discovery.lifts.settings import LiftGoal, LiftSetting
from topofinder.model.candidate import LinkMode
from topofinder.schedules.bfb.evaluation import evaluate

ROUNDS = 3
WEIGHT = Fraction(42, 5)
"""Steps of 10 us that 1 MiB takes at 100 Gbps."""
APART = Fraction(3, 20)
"""Steps that a pair a base node counts which is apart after the last step, up to MOST_APART."""
MOST_APART = 8
EASY_STEPS = 4
"""Steps above the Moore bound up to which short annealings are tried."""
PROBED_ORDERS = 3
"""The largest orders: these trials are short, but groups of nearly all nodes reach only more."""
PROBES = 40
"""Each of them takes one part of so many."""
LEAST_TRIALS = 200
"""A setting that the budget gives fewer trials is left out."""
EVALUATED = 2
"""How many lifts are evaluated in the end for each one that is asked for."""
LARGEST_SEED = (1 << 63) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundLift:
    """A lift with its exact costs: `forth` of an allgather, `back` of one on the transpose."""

    recipe: Base
    forth: Cost
    back: Cost

    @property
    def bandwidth(self) -> Fraction:
        """T_B of an allreduce."""
        return self.forth.bandwidth + self.back.bandwidth

    @property
    def time(self) -> Fraction:
        """What an allreduce takes, in steps of 10 us at 1 MiB and 100 Gbps."""
        return self.forth.steps + self.back.steps + WEIGHT * self.bandwidth


@dataclass(frozen=True, slots=True, kw_only=True)
class LiftTrial:
    """The best lift of one annealing: rows, and how it compares with those of other settings."""

    setting: LiftSetting
    rows: str
    score: Fraction
    connected: bool
    judged: int
    optimal: bool


def find_lifts(
    n: int,
    d: int,
    links: LinkMode | str = LinkMode.SIMPLEX,
    *,
    budget: int,
    seed: int = 0,
    most: int = 4,
) -> list[FoundLift]:
    """The best few lifts by cyclic groups at (n, d), fewest steps first, with exact costs.

    `budget` counts trials at the largest order; trials at others take their share by the work
    they are. The same arguments give the same lifts. None are there for primes, for orders
    beyond `settings.MOST_ORDER` only, and two-way where n d is odd. Raises InvalidInput.

    >>> [(str(found.forth.bandwidth), found.forth.steps) for found in find_lifts(
    ...     25, 2, budget=100000)]
    [('24/25', 4)]
    """
    if budget < 1:
        raise InvalidInput(f"budget: at least 1 trial, not {excerpt(budget)}")
    if not 0 <= seed <= LARGEST_SEED:
        raise InvalidInput(f"seed: 0 to 2**63 - 1, not {excerpt(seed)}")
    goal = LiftGoal(n=n, d=d, links=LinkMode(links))
    trials = [trial for trial in run_trials(goal, budget, seed) if trial.connected]
    names = {trial.rows: trial.setting.order for trial in sorted(trials, key=lambda t: t.score)}
    chosen = list(names.items())[: EVALUATED * most]
    return best_lifts((exact_lift(order, rows) for rows, order in chosen), most)


def run_trials(goal: LiftGoal, budget: int, seed: int) -> list[LiftTrial]:
    """All annealings of a search, up to one that meets both bounds."""
    ladders = _ladders(goal)
    total = budget * ladders[0][0].work if ladders else 0
    found: list[LiftTrial] = []
    easy: dict[int, int] = {}
    for ladder in ladders[:PROBED_ORDERS]:
        found += _probe_steps(ladder, total // PROBES, seed)
        if found[-1].optimal:
            return found
        easy[ladder[0].order] = found[-1].setting.steps
    total -= total // PROBES * len(found)
    if not easy:
        return []
    settings = _hopeful_settings(goal, easy)
    for turn in range(ROUNDS):
        settings = _affordable(settings, total // ROUNDS)
        share = total // ROUNDS // len(settings)
        fresh = []
        for one in settings:
            fresh.append(anneal(one, share // one.work, seed, turn))
            if fresh[-1].optimal:
                return [*found, *fresh]
        found += fresh
        order = sorted(range(len(fresh)), key=lambda i: fresh[i].score)
        settings = [settings[i] for i in sorted(order[: (len(order) + 1) // 2])]
    return found


def _ladders(goal: LiftGoal) -> list[list[LiftSetting]]:
    """Settings of each order, the largest one first, by steps from the Moore bound on."""
    found: dict[int, list[LiftSetting]] = {}
    for one in goal.settings(EASY_STEPS):
        found.setdefault(one.order, []).append(one)
    return list(found.values())


def _probe_steps(ladder: Sequence[LiftSetting], work: int, seed: int) -> list[LiftTrial]:
    """One annealing for each number of steps, until one is connected."""
    found: list[LiftTrial] = []
    for one in ladder:
        found.append(anneal(one, work // one.work, seed, ROUNDS))
        if found[-1].connected:
            break
    return found


def _hopeful_settings(goal: LiftGoal, easy: dict[int, int]) -> list[LiftSetting]:
    """All orders with about as many steps as are easy; the best ones first.

    `easy` are the steps that are easily reached at some orders; others count as good as the best.
    """
    least = min(easy.values())
    near = {least: 0, least - 1: 1, least + 1: 2}
    found = [one for one in goal.settings(EASY_STEPS + 1) if one.steps in near]
    orders = sorted({one.order for one in found}, reverse=True)
    orders.sort(key=lambda order: easy.get(order, least))
    return sorted(found, key=lambda one: orders.index(one.order) + near[one.steps])


def _affordable(settings: list[LiftSetting], work: int) -> list[LiftSetting]:
    """The first settings, as many as get LEAST_TRIALS each; one of them in any case."""
    kept = settings[:1]
    for one in settings[1:]:
        if work // (len(kept) + 1) < LEAST_TRIALS * max(each.work for each in (*kept, one)):
            break
        kept.append(one)
    return kept


def anneal(setting: LiftSetting, trials: int, seed: int, turn: int) -> LiftTrial:
    """The best lift that so many trials come across, from a random start of its own."""
    mixed = np.random.SeedSequence([seed, setting.order, setting.steps, turn])
    source, shift, energy, missing, judged, busiest = anneal_lift(
        setting.base_nodes,
        setting.order,
        setting.goal.two_way,
        not setting.goal.two_way,
        setting.weights,
        setting.heats,
        max(trials, 1),
        setting.least_energy,
        mixed.generate_state(1, np.uint64),
    )
    pairs = (zip(*row, strict=True) for row in zip(source.tolist(), shift.tolist(), strict=True))
    return LiftTrial(
        setting=setting,
        rows="|".join(",".join(f"{u}.{h}" for u, h in row) for row in pairs),
        score=_score(setting, busiest, missing),
        connected=missing == 0,
        judged=judged,
        optimal=energy == setting.least_energy and setting.steps == setting.goal.least_steps,
    )


def _score(setting: LiftSetting, busiest: int, missing: int) -> Fraction:
    """Steps and bandwidth of an allgather, and what is missing, in steps."""
    goal = setting.goal
    apart = min(Fraction(missing, setting.base_nodes), Fraction(MOST_APART))
    return (
        setting.steps + WEIGHT * Fraction(goal.d * busiest, goal.n * setting.unit) + APART * apart
    )


def exact_lift(order: int, rows: str) -> FoundLift:
    """The lift by Z_order with these rows, costed by the evaluator of all graphs."""
    recipe = canonical(Base("Lift", (f"Z{order}", rows)))
    assert isinstance(recipe, Base)
    graph = build(recipe)
    return FoundLift(
        recipe=recipe, forth=evaluate(graph).cost, back=evaluate(graph.transpose()).cost
    )


def best_lifts(found: Iterable[FoundLift], most: int) -> list[FoundLift]:
    """Those that no other beats in the steps and the bandwidth of an allreduce, at most so many.

    Fewest steps first; where there are more, those that take least are kept.
    """
    kept: list[FoundLift] = []
    for one in sorted(found, key=lambda one: (_steps(one), one.bandwidth, str(one.recipe))):
        if not kept or one.bandwidth < kept[-1].bandwidth:
            kept.append(one)
    chosen = sorted(kept, key=lambda one: one.time)[:most]
    return [one for one in kept if one in chosen]


def _steps(found: FoundLift) -> int:
    return found.forth.steps + found.back.steps
