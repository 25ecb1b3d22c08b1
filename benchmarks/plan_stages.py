"""Stages, dark stages and seconds of whole plans: placement, connected order, replay.

    python benchmarks/plan_stages.py [--quick]

Each pair starts from the first topology on shuffled hosts of one panel. The order of all moves at
N = 1024, d = 4 is to take a few seconds beside the search for a placement, with no dark stage.
"""

import sys
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from expansions.build import build
from expansions.parser import parse
from topofinder.model.inventory.document import PanelKind, inventory_for
from topofinder.model.inventory.ports import PortMap, port_map
from topofinder.model.inventory.wiring import Wiring
from topofinder.patching.pinned_placement import PlacementOptions
from topofinder.patching.planner import PlanOptions, Target, make_plan, require_replay

PAIRS = (
    ("BiRing(4,64)", "Torus(8,8)", "duplex"),
    ("BiRing(2,64)", "C(64,{2,5})", "duplex"),
    ("Pi(4,64)", "L(C(16,{3,4}))", "simplex"),
    ("Torus(32,32)", "C(1024,{22,23})", "duplex"),
    ("BiRing(4,1024)", "Torus(32,32)", "duplex"),
    ("Pi(4,1024)", "L^3(C(16,{3,4}))", "simplex"),
)


@dataclass
class StageCase:
    """A fabric wired to one topology, and another to reach."""

    fabric: PortMap
    before: Wiring
    target: Target


def case(first: str, second: str, mode: str, kind: PanelKind) -> StageCase:
    """The first topology on shuffled hosts."""
    graphs = [build(parse(text)) for text in (first, second)]
    ports = max(graph.degree for graph in graphs)
    fabric = port_map(inventory_for(hosts=graphs[0].n, ports=ports, kind=kind))
    shuffled = np.random.default_rng(1).permutation(graphs[0].n).astype(np.int32)
    placement = PlacementOptions(fixed=shuffled, time=1.0)
    duplex = mode == "duplex"
    nothing = Wiring(to=np.full(fabric.ports, -1))
    made = make_plan(
        fabric,
        nothing,
        Target(subject=first, recipe=first, topology=graphs[0], duplex=duplex),
        PlanOptions(placement=placement),
    )
    return StageCase(
        fabric, made.after, Target(subject=second, recipe=second, topology=graphs[1], duplex=duplex)
    )


def main() -> None:
    """Print one line a pair and kind of panel."""
    quick = "--quick" in sys.argv[1:]
    print("from                 to                  mode     panel        moves  bound  stages"
          "  dark  placing s  order s  replay s")  # fmt: skip
    for first, second, mode in PAIRS[:1] if quick else PAIRS:
        for kind in PanelKind:
            tried = case(first, second, mode, kind)
            options = PlanOptions(placement=PlacementOptions(time=20.0), keep_connected=True)
            begun = perf_counter()
            plan = make_plan(tried.fabric, tried.before, tried.target, options)
            whole = perf_counter() - begun
            begun = perf_counter()
            require_replay(plan)
            replaying = perf_counter() - begun
            order = whole - plan.seconds - replaying
            print(
                f"{first:20} {second:19} {mode:8} {kind:11} {plan.moves:6} {plan.bound.moves:6} "
                f"{len(plan.stages):7} {len(plan.dark_stages):5} {plan.seconds:10.2f} {order:8.2f} "
                f"{replaying:9.2f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
