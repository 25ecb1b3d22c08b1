"""The search for lifts: annealing by every group, the better ones longer.

Short annealings by the largest group, each at one step more, tell how many steps are easily
reached. Settings at about as many, of all groups that the budget can try, then share it: in each of
ROUNDS rounds what is left of them starts anew from random lifts, and half of them go on (successive
halving). Groups that are not abelian share a budget of their own. What settings are compared by are
steps and bandwidth as they add up at 1 MiB, 10 us and 100 Gbps, where T_B weighs WEIGHT steps, and
the pairs that are apart still.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from zlib import crc32

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
PROBED_GROUPS = 3
"""The largest cyclic groups: trials are short, but groups of nearly all nodes reach only more."""
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
    others: int = 0,
) -> list[FoundLift]:
    """The best few lifts at (n, d), fewest steps first, with exact costs.

    By cyclic groups: `budget` counts trials by the first of them; trials by others take their share
    by the work they are. As much again goes to up to `others` groups of each order that are not
    abelian, which are asked for at most as many steps. The same arguments give the same lifts. None
    are there where no group has a fitting order (`settings.cyclic_orders`), as for primes, and
    two-way where n d is odd. Raises InvalidInput.

    >>> [(str(found.forth.bandwidth), found.forth.steps) for found in find_lifts(
    ...     25, 2, budget=100000)]
    [('24/25', 4)]
    """
    if budget < 1:
        raise InvalidInput(f"budget: at least 1 trial, not {excerpt(budget)}")
    if not 0 <= seed <= LARGEST_SEED:
        raise InvalidInput(f"seed: 0 to 2**63 - 1, not {excerpt(seed)}")
    goal = LiftGoal(n=n, d=d, links=LinkMode(links))
    trials = [trial for trial in run_trials(goal, budget, seed, others) if trial.connected]
    trials.sort(key=lambda trial: trial.score)
    chosen = list(dict.fromkeys((trial.setting.group, trial.rows) for trial in trials))
    return best_lifts((exact_lift(*one) for one in chosen[: EVALUATED * most]), most)


def run_trials(goal: LiftGoal, budget: int, seed: int, others: int = 0) -> list[LiftTrial]:
    """All annealings of a search, up to one that meets both bounds."""
    ladders = _ladders(goal)
    if not ladders:
        return []
    whole = budget * ladders[0][0].work
    found: list[LiftTrial] = []
    easy: dict[str, int] = {}
    for ladder in ladders[:PROBED_GROUPS]:
        found += _probe_steps(ladder, whole // PROBES, seed)
        if found[-1].optimal:
            return found
        easy[ladder[0].group] = found[-1].setting.steps
    work = whole - whole // PROBES * len(found)
    found += _halve_settings(_hopeful_settings(goal, easy), work, seed)
    if others and not found[-1].optimal:
        least = min((one.setting.steps for one in found if one.connected), default=goal.least_steps)
        settings = [one for one in goal.other_settings(others) if least - 2 < one.steps <= least]
        found += _halve_settings(settings, whole, seed)
    return found


def _halve_settings(settings: list[LiftSetting], work: int, seed: int) -> list[LiftTrial]:
    """Annealings of the settings in ROUNDS rounds, the better half of them going on."""
    found: list[LiftTrial] = []
    for turn in range(ROUNDS if settings else 0):
        settings = _affordable(settings, work // ROUNDS)
        share = work // ROUNDS // len(settings)
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
    """Settings of each group, in their order, by steps from the Moore bound on."""
    found: dict[str, list[LiftSetting]] = {}
    for one in goal.settings(EASY_STEPS):
        found.setdefault(one.group, []).append(one)
    return list(found.values())


def _probe_steps(ladder: Sequence[LiftSetting], work: int, seed: int) -> list[LiftTrial]:
    """One annealing for each number of steps, until one is connected."""
    found: list[LiftTrial] = []
    for one in ladder:
        found.append(anneal(one, work // one.work, seed, ROUNDS))
        if found[-1].connected:
            break
    return found


def _hopeful_settings(goal: LiftGoal, easy: dict[str, int]) -> list[LiftSetting]:
    """All groups with about as many steps as are easy; the best ones first.

    `easy` are the steps that are easily reached by some groups; others count as good as the best.
    """
    least = min(easy.values())
    near = {least: 0, least - 1: 1, least + 1: 2}
    found = [one for one in goal.settings(EASY_STEPS + 1) if one.steps in near]
    groups = list(dict.fromkeys(one.group for one in found))
    groups.sort(key=lambda group: easy.get(group, least))
    return sorted(found, key=lambda one: groups.index(one.group) + near[one.steps])


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
    mixed = np.random.SeedSequence([seed, *_group_seed(setting), setting.steps, turn])
    source, shift, energy, missing, judged, busiest = anneal_lift(
        setting.base_nodes,
        setting.translations,
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


def _group_seed(setting: LiftSetting) -> list[int]:
    """Numbers that tell groups apart: of a cyclic one its order alone."""
    order = setting.order
    return [order] if setting.group == f"Z{order}" else [order, crc32(setting.group.encode())]


def _score(setting: LiftSetting, busiest: int, missing: int) -> Fraction:
    """Steps and bandwidth of an allgather, and what is missing, in steps."""
    goal = setting.goal
    apart = min(Fraction(missing, setting.base_nodes), Fraction(MOST_APART))
    return (
        setting.steps + WEIGHT * Fraction(goal.d * busiest, goal.n * setting.unit) + APART * apart
    )


def exact_lift(group: str, rows: str) -> FoundLift:
    """The lift by a group with these rows, costed by the evaluator of all graphs."""
    recipe = canonical(Base("Lift", (group, rows)))
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
