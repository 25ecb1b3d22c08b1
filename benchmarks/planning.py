"""Moves, lower bound and time of placements: pairs of topologies, rewired targets, relabelled ones.

    python benchmarks/planning.py [--quick] [--seeds K] [--only TEXT]

Hosts are shuffled by the seed, so a target is never given away by its labels. On four panels, port
j of every host is wired to panel j. To reach, on two cores: 60 s at N = 1024 and d = 4, 2 s at
N = 64, and no moves after 2 s where target and wiring are the same but for labels.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from time import process_time

import numpy as np

from expansions.build import build
from expansions.parser import parse
from generators.topology import IntArray
from topofinder.patching.circuits import Circuits
from topofinder.patching.constraints import Constraints
from topofinder.patching.panels.split import split_over_panels
from topofinder.patching.placement.assign import assign

PAIRS = (
    ("BiRing(4,64)", "Torus(8,8)", True),
    ("BiRing(4,1024)", "Torus(32,32)", True),
    ("C(64,{5,6})", "Torus(8,8)", True),
    ("Torus(32,32)", "C(1024,{22,23})", True),
    ("Torus(32,32)", "Torus(16,64)", True),
    ("Random(256)", "Torus(16,16)", True),
    ("Torus(32,32)", "Random(1024)", True),
    ("Pi(4,64)", "L(C(16,{3,4}))", False),
    ("Pi(4,1024)", "L^3(C(16,{3,4}))", False),
)
REWIRED = (
    ("Torus(32,32)", True),
    ("Random(1024)", True),
    ("Pi(4,1024)", False),
    ("L^3(C(16,{3,4}))", False),
)
SAME = (
    ("BiRing(4,1024)", True),
    ("UniRing(4,1024)", False),
    ("Torus(32,32)", True),
    ("Torus(4,4,4,4,4)", True),
    ("Q(10)", True),
    ("C(1024,{22,23})", True),
    ("Pi(4,1024)", False),
    ("L^3(C(16,{3,4}))", False),
    ("Random(1024)", True),
    ("Random(1024)", False),
)
PERCENT = (1, 5, 20)
PANELS = (1, 4)


@dataclass(frozen=True)
class PlanCase:
    """A wiring on shuffled hosts and a target, on one panel or several."""

    name: str
    wiring: Circuits
    target: Circuits
    panels: int = 1


def random_regular(n: int, duplex: bool, random: np.random.Generator) -> Circuits:
    """Two rings (duplex) or four permutations (simplex) by chance: 4-regular, without loops."""
    heads: list[IntArray] = []
    while len(heads) < (2 if duplex else 4):
        order = random.permutation(n)
        head = np.empty(n, dtype=np.int32)
        head[order] = np.roll(order, -1)
        heads.append(head)
    return Circuits(
        n=n, duplex=duplex, tail=np.tile(np.arange(n), len(heads)), head=np.concatenate(heads)
    )


def circuits_named(name: str, duplex: bool, random: np.random.Generator) -> Circuits:
    """The circuits of a recipe, or of a random regular graph."""
    if name.startswith("Random("):
        return random_regular(int(name[7:-1]), duplex, random)
    return Circuits.of(build(parse(name)), duplex=duplex)


def rewire_circuits(circuits: Circuits, percent: int, random: np.random.Generator) -> Circuits:
    """So many circuits drawn by chance pass their heads on in a round; degrees stay."""
    chosen = random.choice(circuits.count, circuits.count * percent // 100, replace=False)
    head = circuits.head.copy()
    for one, two in zip(chosen, np.roll(chosen, 1), strict=True):
        if circuits.tail[one] != head[two] and circuits.tail[two] != head[one]:
            head[[one, two]] = head[[two, one]]
    return replace(circuits, head=head)


def shuffle_hosts(circuits: Circuits, panels: int, random: np.random.Generator) -> Circuits:
    """The circuits on hosts in a chance order, spread over panels."""
    placed = circuits.on_hosts(random.permutation(circuits.n).astype(np.int32), circuits.n)
    if panels == 1:
        return placed
    nothing = replace(circuits, tail=circuits.tail[:0], head=circuits.head[:0])
    return replace(placed, panel=split_over_panels(nothing, placed, ports(circuits, panels), 0))


def ports(circuits: Circuits, panels: int) -> IntArray:
    """As many ports as there are circuits at an end, dealt out to the panels in turn."""
    degree = int(max(circuits.sends.max(), circuits.receives.max()))
    each = np.bincount(np.arange(degree) % panels, minlength=panels)
    return np.tile(each.astype(np.int32), (circuits.n, 1))


def cases(seed: int) -> Iterator[PlanCase]:
    """All questions for one seed."""
    for panels in PANELS:
        for first, second, duplex in PAIRS:
            random = np.random.default_rng(seed)
            target = circuits_named(second, duplex, random)
            wiring = shuffle_hosts(circuits_named(first, duplex, random), panels, random)
            yield PlanCase(f"{first} -> {second}", wiring, target, panels)
    for panels in PANELS:
        for name, duplex in REWIRED:
            for percent in PERCENT:
                random = np.random.default_rng(seed)
                whole = circuits_named(name, duplex, random)
                target = rewire_circuits(whole, percent, random)
                wiring = shuffle_hosts(whole, panels, random)
                yield PlanCase(f"{name}, {percent} % rewired", wiring, target, panels)
    for name, duplex in SAME:
        random = np.random.default_rng(seed)
        whole = circuits_named(name, duplex, random)
        yield PlanCase(f"{name}, relabelled", shuffle_hosts(whole, 1, random), whole)


def measure_case(case: PlanCase, seed: int) -> str:
    """One line of the table."""
    constraints = Constraints(ports=ports(case.target, case.panels) if case.panels > 1 else None)
    begun = process_time()
    answer = assign(case.wiring, case.target, constraints=constraints, seed=seed)
    spent = process_time() - begun
    mode = "duplex" if case.target.duplex else "simplex"
    left = f"  {answer.unplaced} left out" if answer.unplaced else ""
    return (
        f"{case.name:34} {mode:8} {case.target.n:5} {case.panels:6} {seed:4} {answer.moves:6} "
        f"{answer.bound.moves:6} {answer.seconds:8.2f} {spent:6.2f}  "
        f"{answer.found}; {answer.bound.name}{left}"
    )


def _compile() -> None:
    """Answer small questions of every kind, so that no line pays for the kernels."""
    random = np.random.default_rng(0)
    for duplex in (True, False):
        one, two = (random_regular(32, duplex, random) for _ in range(2))
        for panels in PANELS:
            measure_case(PlanCase("", shuffle_hosts(one, panels, random), two, panels), 0)
            measure_case(PlanCase("", shuffle_hosts(one, panels, random), one, panels), 0)


def main() -> None:
    """Print one line a question and seed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small questions only")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--only", default="", help="questions whose name holds this text")
    parser.add_argument("--panels", type=int, choices=PANELS, help="questions on so many panels")
    asked = parser.parse_args()
    _compile()
    print(
        f"{'question':34} {'mode':8} {'n':>5} panels seed {'moves':>6} {'bound':>6} {'seconds':>8} "
        f"{'cpu':>6}  by"
    )
    for seed in range(asked.seeds):
        for case in cases(seed):
            if (asked.quick and case.target.n > 64) or asked.only not in case.name:
                continue
            if asked.panels in (None, case.panels):
                print(measure_case(case, seed), flush=True)


if __name__ == "__main__":
    main()
