"""Small changes on several panels: moves and proved bounds, beside what they are held to.

    python benchmarks/panels.py [--quick] [--pairs] [--seeds K] [--only TEXT] [--time SECONDS]

Port j of every host leads to panel j, and every port is in use. In place is a random regular graph
(rings in chance orders; in simplex mode each is one way), a torus or a generalized Kautz graph, its
nodes on hosts in a chance order, split over the panels without regard to the target. The target is
the same graph on the same hosts, where so many circuits drawn by chance have passed their heads on
in a round, or with `--pairs` each two of them have exchanged heads, which takes fewer moves of
others. The seed gives the graph, the order, the split and the change.
"""

import argparse
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from time import process_time

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.planning import circuits_named, ports
from generators.topology import IntArray
from topofinder.patching.circuits import Circuits
from topofinder.patching.constraints import Constraints
from topofinder.patching.panels.kempe_chain_kernels import place_circuits
from topofinder.patching.panels.matchings import split_into_matchings
from topofinder.patching.panels.split import WALK_TRIES, WALKS, empty_split
from topofinder.patching.placement.assign import assign
from topofinder.patching.placement.fixed_placement import prove_panels
from topofinder.patching.placement.integer_program import Effort, least_proof_seconds


@dataclass(frozen=True)
class PanelCase:
    """So many circuits `changed`, and what a plan is held to: moves, median and bound."""

    name: str
    duplex: bool
    panels: int
    changed: int
    moves: int
    median: int | None = None
    bound: int = 0


CASES = (
    PanelCase("Random(256)", True, 4, 6, 41, 48, 37),
    PanelCase("Random(256)", True, 8, 10, 52, 60, 40),
    PanelCase("Random(256)", False, 4, 10, 80, None, 61),
    PanelCase("Random(1024)", True, 4, 20, 185, 217, 122),
    PanelCase("Random(1024)", False, 4, 40, 350, 400, 201),
    PanelCase("Torus(32,32)", True, 4, 102, 263, None, 263),
    PanelCase("Torus(32,32)", True, 4, 20, 52, None, 53),
    PanelCase("Pi(4,1024)", False, 4, 204, 439, None, 438),
    PanelCase("Pi(4,1024)", False, 4, 20, 50, None, 50),
)
QUICK = (PanelCase("Random(64)", True, 4, 3, 0), PanelCase("Random(64)", False, 4, 4, 0))
QUICK_SECONDS = 4.0


def regular_rings(n: int, degree: int, duplex: bool, random: np.random.Generator) -> Circuits:
    """Rings in chance orders: as many as make that degree."""
    heads: list[IntArray] = []
    while len(heads) < (degree // 2 if duplex else degree):
        order = random.permutation(n)
        head = np.empty(n, dtype=np.int32)
        head[order] = np.roll(order, -1)
        heads.append(head)
    tail = np.tile(np.arange(n, dtype=np.int32), len(heads))
    return Circuits(n=n, duplex=duplex, tail=tail, head=np.concatenate(heads))


def change_circuits(
    circuits: Circuits, count: int, random: np.random.Generator, pairs: bool = False
) -> Circuits:
    """So many circuits pass their heads on in a round, or in pairs, but for loops."""
    chosen = random.choice(circuits.count, count, replace=False)
    head = circuits.head.copy()
    turns = (
        zip(chosen[::2], chosen[1::2], strict=False)
        if pairs
        else zip(chosen, np.roll(chosen, 1), strict=True)
    )
    for one, two in turns:
        if circuits.tail[one] != head[two] and circuits.tail[two] != head[one]:
            head[[one, two]] = head[[two, one]]
    return replace(circuits, head=head, panel=None)


def split_blindly(circuits: Circuits, panels: int) -> Circuits:
    """Circuits on panels, by matchings in simplex mode and by alternating walks in duplex mode."""
    nothing = replace(circuits, tail=circuits.tail[:0], head=circuits.head[:0])
    state = empty_split(nothing, circuits, ports(circuits, panels))
    if circuits.duplex or not split_into_matchings(state, 0):
        place_circuits(state, WALKS, WALK_TRIES, 0)
    return replace(circuits, panel=state.panel.astype(np.int32))


def fabric_of(
    case: PanelCase, seed: int, pairs: bool = False
) -> tuple[Circuits, Circuits, Constraints]:
    """The wiring in place, the target and the ports."""
    random = np.random.default_rng(seed)
    if case.name.startswith("Random"):
        whole = regular_rings(int(case.name[7:-1]), case.panels, case.duplex, random)
    else:
        whole = circuits_named(case.name, case.duplex, random)
    wiring = split_blindly(
        whole.on_hosts(random.permutation(whole.n).astype(np.int32), whole.n), case.panels
    )
    target = change_circuits(wiring, case.changed, random, pairs)
    return wiring, target, Constraints(ports=ports(whole, case.panels))


def plan_case(case: PanelCase, seed: int, time: float, pairs: bool) -> tuple[int, int, int, float]:
    """Moves, the bound of the placement, that of all placements, and CPU seconds."""
    wiring, target, constraints = fabric_of(case, seed, pairs)
    begun = process_time()
    found = assign(wiring, target, constraints=constraints, seed=seed, time=time / 2)
    least = least_proof_seconds(target.count * case.panels)
    end = max(begun + time, process_time() + least)
    effort = Effort(branches=1 << 9, seconds=lambda: end - process_time())
    proved = prove_panels(wiring, target, constraints, found, effort=effort)
    return proved.moves, proved.least_made_here, found.bound.moves, process_time() - begun


def measure_case(case: PanelCase, seeds: int, time: float, pairs: bool) -> str:
    """One line: best and median of the moves, and what they are held to."""
    runs = [plan_case(case, seed, time, pairs) for seed in range(seeds)]
    moves, proved, bounds, seconds = (list(column) for column in zip(*runs, strict=True))
    aim = f"{case.moves} / {case.median}" if case.median else f"{case.moves or '-'}"
    return (
        f"{case.name:13} {'duplex' if case.duplex else 'simplex':8} {case.panels:6} "
        f"{case.changed:7} {min(moves):6} {median(moves):7} {aim:>10}  "
        f"{' '.join(f'{m}/{p}' for m, p in zip(moves, proved, strict=True)):44} "
        f"{case.bound:5} {max(bounds):5} {median(seconds):6.1f}"
    )


def main() -> None:
    """Print one line a case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small fabrics, one seed")
    parser.add_argument("--pairs", action="store_true", help="circuits exchange heads in pairs")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", default="", help="cases whose name and mode hold this text")
    parser.add_argument("--time", type=float, default=60.0, help="seconds for each plan")
    asked = parser.parse_args()
    print(
        f"{'fabric':13} {'mode':8} panels changed {'best':>6} {'median':>7} {'held to':>10}  "
        f"{'moves/proved for the placement, seed by seed':44} {'aim':>5} {'all':>5} cpu s"
    )
    if asked.quick:
        asked.seeds, asked.time = 1, QUICK_SECONDS
    for case in QUICK if asked.quick else CASES:
        mode = "duplex" if case.duplex else "simplex"
        if asked.only in f"{case.name} {mode} {case.changed}":
            print(measure_case(case, asked.seeds, asked.time, asked.pairs), flush=True)


if __name__ == "__main__":
    main()
