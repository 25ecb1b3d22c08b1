"""Finds the base graphs of the family Small: at N <= 16 and d <= 5, what beats all other recipes.

    python -m tools.find_small_graphs

writes generators/data/small_graphs.json, always the same bytes, in about a minute on one core.
For every size whose frontier without Small misses a lower bound it looks, from the Moore bound
up, for a graph whose best breadth-first broadcast takes less bandwidth than what is known:

- two-way graphs, by annealing (`annealing.anneal_circuits`);
- digraphs with a cyclic automorphism group, all orbits of the same size, from n down to 1
  (`annealing.anneal`), cheap both ways, then cheap forth only;
- the only digraph of 11 nodes, degree 3 and diameter 2 (`all_digraphs`).

Of several the one of least T_B is taken, then of the cheapest way back, then of the cheapest line
graphs (theorem 10 is no equality where all successors are equally far), then of the largest group.
A two-way graph is kept beside a digraph of the same cost whose line graphs are cheaper.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import networkx as nx
import numpy as np

from expansions.cost import Cost
from expansions.line_graph import line_graph
from expansions.lower_bounds import least_bandwidth, moore_steps, two_way_moore_steps
from generators.families.register_all import FAMILIES
from generators.topology import Int64Array, Topology
from tools.all_digraphs import digraphs
from tools.annealing import anneal, anneal_circuits, unfold
from topofinder.finder.enumeration import Pools
from topofinder.model.candidate import LinkMode
from topofinder.model.frontier import frontier
from topofinder.schedules.bfb.evaluation import evaluate

DEGREES, MOST = range(2, 6), 16
HEATS, MOVES, RESTARTS = (15.0, 1.5), 30_000, 10
SCARCE = {(11, 3): 2}
"""Diameters that so few digraphs of (n, d) have that they are enumerated, not annealed."""
GOAL = 90.0
"""Energy of a graph that meets T_B*, times d / (N - 1): 60 for busiest loads, 30 for all."""
FILE = Path(__file__).parents[1] / "generators" / "data" / "small_graphs.json"

Rows = Int64Array


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundGraph:
    """A graph by the heads of one node an orbit, and its cost forth and back."""

    rows: Rows
    fold: int
    forth: Cost
    back: Cost
    lines: tuple[Fraction, ...]

    @property
    def rank(self) -> tuple[object, ...]:
        """Least bandwidth, then the cheapest way back, line graphs, and the largest group."""
        forth, back = self.forth, self.back
        return forth.bandwidth, back.bandwidth, back.steps, *self.lines, -self.fold

    @property
    def unsurpassed(self) -> bool:
        """Whether the bandwidths forth, back and of L(G) are the least that there are."""
        n, d = len(self.rows) * self.fold, self.rows.shape[1]
        found = (self.forth.bandwidth, self.back.bandwidth, self.lines[0])
        return found == (least_bandwidth(n), least_bandwidth(n), least_bandwidth(n * d))


def topology(rows: Rows, fold: int) -> Topology:
    """The graph itself."""
    heads = unfold(rows, fold)
    tails = np.repeat(np.arange(len(heads)), heads.shape[1])
    return Topology.from_arcs(len(heads), np.stack([tails, heads.ravel()], axis=1))


def digraph(graph: Topology) -> nx.DiGraph:
    """The graph for networkx."""
    return nx.DiGraph(zip(graph.tail.tolist(), graph.head.tolist(), strict=True))


def evaluate_graph(rows: Rows, fold: int) -> FoundGraph | None:
    """The costs of a graph; None if it is not strongly connected."""
    graph = topology(rows, fold)
    if not nx.is_strongly_connected(digraph(graph)):
        return None
    forth, back = evaluate(graph).cost, evaluate(graph.transpose()).cost
    lines = [line_graph(graph)]
    lines.append(line_graph(lines[0]))
    bandwidths = tuple(evaluate(line).cost.bandwidth for line in lines)
    return FoundGraph(rows=rows.copy(), fold=fold, forth=forth, back=back, lines=bandwidths)


def best(tried: Iterator[FoundGraph | None], steps: int) -> FoundGraph | None:
    """The first that cannot be surpassed in those steps, else the best of all."""
    chosen: FoundGraph | None = None
    for found in tried:
        if found is None or found.forth.steps > steps:
            continue
        if chosen is None or found.rank < chosen.rank:
            chosen = found
        if found.unsurpassed:
            break
    return chosen


def one_way(n: int, d: int, steps: int) -> Iterator[FoundGraph | None]:
    """Annealed digraphs, those with the largest groups first; or all there are."""
    if SCARCE.get((n, d)) == steps:
        yield from (evaluate_graph(heads, 1) for heads in digraphs(n, d, steps))
        return
    for both in (True, False):
        goal = GOAL * (n - 1) / d * (1 + both) + 1e-6
        for fold in (fold for fold in range(n, 0, -1) if n % fold == 0):
            for seed in range(RESTARTS):
                rows = (np.arange(0, n, fold)[:, None] + np.arange(1, d + 1)) % n
                anneal(rows, fold, steps, both, MOVES, HEATS, goal, seed)
                yield evaluate_graph(rows, fold)


def two_way(n: int, d: int, steps: int) -> Iterator[FoundGraph | None]:
    """Annealed two-way graphs, from a circulant."""
    jumps = [jump for k in range(1, d // 2 + 1) for jump in (k, n - k)] + [n // 2] * (d % 2)
    for seed in range(2 * RESTARTS):
        heads = (np.arange(n)[:, None] + np.array(jumps)) % n
        anneal_circuits(heads, steps, MOVES, HEATS, GOAL * (n - 1) / d + 1e-6, seed)
        yield evaluate_graph(heads, 1)


def known_costs(pools: Pools, n: int, d: int, links: LinkMode) -> list[Cost]:
    """The costs of the frontier without this family."""
    return [candidate.allgather for candidate in frontier(pools.pool(n, d, links))]


def improvements(n: int, d: int, known: list[Cost], links: LinkMode) -> Iterator[FoundGraph]:
    """Graphs that no known cost weakly beats, with ever more steps and less bandwidth."""
    duplex = links is LinkMode.DUPLEX
    least = least_bandwidth(n)
    steps = two_way_moore_steps(n, d) if duplex else moore_steps(n, d)
    while not any(cost.steps <= steps and cost.bandwidth == least for cost in known):
        found = best((two_way if duplex else one_way)(n, d, steps), steps)
        if found and not any(cost.weakly_beats(found.forth) for cost in known):
            known.append(found.forth)
            yield found
        steps += 1


def graphs(pools: Pools, n: int, d: int) -> Iterator[FoundGraph]:
    """What is kept of one size: digraphs, and two-way graphs where those are no worse or new."""
    circuits = []
    if d > 2 and n * d % 2 == 0:
        circuits = list(
            improvements(n, d, known_costs(pools, n, d, LinkMode.DUPLEX), LinkMode.DUPLEX)
        )
    for found in improvements(n, d, known_costs(pools, n, d, LinkMode.SIMPLEX), LinkMode.SIMPLEX):
        if not any(other.forth == found.forth and other.lines <= found.lines for other in circuits):
            yield found
    yield from circuits


def entry(found: FoundGraph) -> dict[str, object]:
    """What is kept of a graph: its rows and what the family states of it."""
    graph = topology(found.rows, found.fold)
    plain = digraph(graph)
    n = graph.n
    optimal: bool | None = found.forth.bandwidth == least_bandwidth(n)
    if optimal and found.back.bandwidth != least_bandwidth(n):
        optimal = None  # a statement of optimality is taken to hold both ways
    return {
        "rows": found.rows.tolist(),
        "fold": found.fold,
        "diameter": found.forth.steps,
        "bandwidth_optimal": optimal,
        "reverse_symmetric": nx.is_isomorphic(plain, plain.reverse()),
        "bidirectional": graph.is_bidirectional,
    }


def main() -> None:
    """Look at every size and write what was found."""
    FAMILIES.pop("Small", None)
    pools, kept = Pools(), {}
    for d in DEGREES:
        for n in range(d + 2, MOST + 1):
            found = list(graphs(pools, n, d))
            for one in found:
                print(f"({d},{n}) fold {one.fold}: {one.forth}, back {one.back}", flush=True)
            if found:
                kept[f"{d},{n}"] = [entry(one) for one in found]
    lines = ",\n".join(f"{json.dumps(key)}:{compact(entries)}" for key, entries in kept.items())
    FILE.write_text(f"{{\n{lines}\n}}\n", encoding="utf-8")


def compact(content: object) -> str:
    """JSON without blanks."""
    return json.dumps(content, separators=(",", ":"))


if __name__ == "__main__":
    main()
