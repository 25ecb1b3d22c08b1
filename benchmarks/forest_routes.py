"""Routes through switches, and trees of a single root: heights, traffic in the core, seconds.

`python benchmarks/forest_routes.py [--quick]` prints a line a case: the routing, how much longer
than the optimum it takes, the height in edges and in links, the shards that enter the core beside
the least, virtual channels against deadlock, and the seconds of one run with warm kernels. For a
broadcast, the height stands beside the least of trees that each leave the root by an arc of their
own.
"""

import sys
import time

from expansions.collective import Collective
from topofinder.api.shared.subjects import forest_subject
from topofinder.forests.collectives.make_forest import ForestOptions, make_forest
from topofinder.model.forest import Forest
from topofinder.model.routing import Routing
from topofinder.verification.forest_routes import verify_routes
from topofinder.verification.forests import verify_forest

FABRICS = ["FatTree(4)", "FatTree(16,8,4)", "FatTree(8)", "FatTree(12)"]
BROADCASTS = {
    **{f"Q({n})": n + 1 for n in range(3, 9)},
    "Torus(4,4)": 5,
    "Torus(5,5)": 5,
    "Torus(8,8)": 9,
    "Torus(4,4,4)": 7,
    "Pi(4,64)": 5,
    "Pi(4,200)": 6,
}


def make_timed(name: str, options: ForestOptions) -> tuple[Forest, float]:
    """The forest, checked, and the seconds it took."""
    topology = forest_subject(name)[1]
    make_forest(topology, options)
    begin = time.perf_counter()
    found = make_forest(topology, options)
    seconds = time.perf_counter() - begin
    assert verify_forest(found).valid
    return found, seconds


def route_line(name: str, routing: Routing | None) -> str:
    found, seconds = make_timed(name, ForestOptions(routing=routing))
    routes, trees = verify_routes(found), found.phases[0].trees
    assert routes is not None
    heights = f"{trees.heights().max()} ({trees.hop_heights().max()} links)"
    core = f"{routes.core} of {routes.least_core}"
    loss = float(found.inverse_rate / found.optimum - 1)
    return (
        f"{name:<18}{routing or 'default':<10}{loss:>8.2%}{heights:>16}{core:>16}"
        f"{routes.channels:>4}{'  up-down' if routes.updown else '         '}{seconds:>9.2f}"
    )


def broadcast_line(name: str, least: int) -> str:
    found, seconds = make_timed(name, ForestOptions(collective=Collective.BROADCAST, root=0))
    trees = found.phases[0].trees
    return f"{name:<18}k {trees.k:<4}height {trees.heights().max()} of {least}{seconds:>9.2f}"


def main() -> None:
    quick = "--quick" in sys.argv
    for name in FABRICS[:1] if quick else FABRICS:
        for routing in (None, *Routing):
            print(route_line(name, routing), flush=True)
    for name, least in list(BROADCASTS.items())[: 2 if quick else None]:
        print(broadcast_line(name, least), flush=True)


if __name__ == "__main__":
    main()
