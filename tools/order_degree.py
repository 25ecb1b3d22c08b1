"""Two-way graphs beside the best known diameters of order/degree instances (Graph Golf).

    python -m tools.order_degree         writes the table in docs/frontiers.md
    python -m tools.order_degree find    finds the shipped lifts again, generators/data/lifts.txt

The instances are (order, degree) with the best known diameter; ours is the graph of fewest steps
that `search --links duplex` offers, or a graft that is named here. The average distance bounds
all-to-all throughput: N - 1 messages a host travel that far over d links.
"""

import sys
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from expansions.build import build
from expansions.parser import parse
from expansions.recipe import Recipe
from generators.lifts.catalogue import ShippedLift
from tools.frontier_tables import PAGE, replace_table
from topofinder.discovery.lifts.search import anneal, exact_lift
from topofinder.discovery.lifts.settings import LiftGoal
from topofinder.finder.enumeration import Pools
from topofinder.model.candidate import LinkMode

FILE = PAGE.parents[1] / "generators" / "data" / "lifts.txt"

INSTANCES = {
    (36, 3): 4,
    (64, 8): 3,
    (96, 3): 6,
    (256, 8): 4,
    (300, 7): 4,
    (384, 3): 9,
    (512, 8): 4,
    (1024, 3): 11,
    (1024, 8): 5,
    (1024, 11): 4,
    (1024, 32): 3,
    (1560, 40): 3,
    (1800, 7): 5,
    (3250, 57): 3,
}
"""Best known diameters by order and degree."""

GRAFTS = {
    (
        36,
        3,
    ): "BiGraft(Cay(Z36;1,18,35);~0.8.28.10.37.46.13.49.35.22.17.29.31.14.32.20.27.71.5.78.4.38"
    ".23.41.56.11.89.62.40.83.65.54.76.36.77.103.80.68.96.7.94.52.61.106,~50.104.88)",
}
"""What annealing without symmetry found: `find_free(36, 3, "duplex", budget=20000)`."""

SETTINGS = (
    (96, 3, 16, 200_000, 0),
    (300, 7, 60, 3000, 0),
    (384, 3, 64, 20_000, 0),
    (1024, 3, 64, 20_000, 0),
    (1024, 11, 64, 300, 0),
    (1800, 7, 60, 4000, 19),
)
"""Order, degree, order of the group, trials and seed of each annealed lift."""


def best_recipe(n: int, d: int, pools: Pools) -> Recipe:
    """The two-way graph of least diameter that is known here."""
    if (n, d) in GRAFTS:
        return parse(GRAFTS[n, d])
    return min(pools.pool(n, d, LinkMode.DUPLEX), key=lambda one: one.allgather).recipe


def distances(recipe: Recipe) -> tuple[int, Fraction]:
    """The diameter, and the average distance from one node to another.

    >>> distances(parse("K(4,4)"))
    (2, Fraction(10, 7))
    """
    graph = build(recipe)
    arcs = csr_array((np.ones(graph.arcs), (graph.tail, graph.head)), shape=(graph.n, graph.n))
    found = shortest_path(arcs, unweighted=True).astype(np.int64)
    return int(found.max()), Fraction(int(found.sum()), graph.n * (graph.n - 1))


def instance_table() -> str:
    """The rows of all instances under their head."""
    lines = ["| N | d | best known | ours | average distance | recipe |", "| --- " * 6 + "|"]
    pools = Pools()
    for (n, d), known in INSTANCES.items():
        recipe = best_recipe(n, d, pools)
        diameter, mean = distances(recipe)
        text = str(recipe).replace("|", "\\|")
        lines.append(f"| {n} | {d} | {known} | {diameter} | {float(mean):.4f} | `{text}` |")
    return "\n".join(lines)


def find_again() -> Iterator[ShippedLift]:
    """The shipped lifts, searched for once more, by size."""
    for n, d, order, trials, seed in SETTINGS:
        goal = LiftGoal(n=n, d=d, links=LinkMode.DUPLEX)
        settings = goal.settings(4)
        one = next(s for s in settings if (s.group, s.steps) == (f"Z{order}", INSTANCES[n, d]))
        found = exact_lift(one.group, anneal(one, trials, seed, 0).rows)
        group, rows = found.recipe.arguments
        yield ShippedLift(n=n, d=d, diameter=found.forth.steps, group=str(group), rows=str(rows))
    yield random_circulant(3250, 57)


def random_circulant(n: int, d: int) -> ShippedLift:
    """The circulant of the first random jumps, and n/2, for an odd degree; with its diameter."""
    jumps = np.random.default_rng(0).choice(np.arange(1, n // 2), d // 2, replace=False)
    rows = ",".join(f"0:{jump}" for jump in (*sorted(jumps.tolist()), n // 2))
    diameter, _ = distances(parse(f"Lift(Z{n};{rows})"))
    return ShippedLift(n=n, d=d, diameter=diameter, group=f"Z{n}", rows=rows)


def main() -> None:
    """Write the table, or find the lifts."""
    if sys.argv[1:] == ["find"]:
        lines = (f"{x.n} {x.d} {x.diameter} {x.group} {x.rows}\n" for x in find_again())
        FILE.write_text("".join(lines), encoding="ascii")
    else:
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(replace_table(page, "instances", instance_table()), encoding="utf-8")


if __name__ == "__main__":
    main()
