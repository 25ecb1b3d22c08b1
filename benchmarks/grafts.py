"""How many graphs a second grafts evaluate in full, and how many switches annealing proposes.

`python benchmarks/grafts.py` prints a row a size and degree: full evaluations both ways, proposals
and loads a second of CPU time; `--quick` takes the smallest size only.
"""

import sys
from time import process_time

import numpy as np

from generators.topology import Topology
from topofinder.discovery.grafts.anneal_kernels import anneal_graph
from topofinder.discovery.grafts.state import DELAYS, annealed_graph
from topofinder.discovery.grafts.state_kernels import PEAK, AnnealedGraph, evaluate_graph

DEGREES, SIZES = (2, 4, 8), (64, 256, 1024)


def random_digraph(n: int, d: int, seed: int) -> Topology:
    """d random cycles through all nodes."""
    random = np.random.default_rng(seed)
    orders = [random.permutation(n).astype(np.int32) for _ in range(d)]
    tail = np.concatenate(orders)
    return Topology(n=n, tail=tail, head=np.concatenate([np.roll(one, -1) for one in orders]))


def evaluated_graph(n: int, d: int) -> AnnealedGraph:
    """A random digraph at its diameter."""
    graph, steps = random_digraph(n, d, 1), 2
    while (state := annealed_graph(graph, steps, duplex=False)).sums[0, 0]:
        steps += 1
    return state


def measure_rates(n: int, d: int, seconds: float) -> tuple[float, float, float]:
    """Full evaluations, proposals and loads a second."""
    state = evaluated_graph(n, d)
    evaluate_graph(state)  # loaded
    count, start = 0, process_time()
    while process_time() < start + seconds:
        evaluate_graph(state)
        count += 1
    full = count / (process_time() - start)
    best, tally = np.empty_like(state.slots), np.zeros(4, np.int64)
    heat = 3 * PEAK * int(state.scale[1]) // 100
    anneal_graph(state, 1, heat, heat, DELAYS, 0, np.array([1], np.uint64), best, tally)
    tally[:] = 0
    start = process_time()
    while process_time() < start + seconds:
        anneal_graph(state, 5000, heat, heat, DELAYS, 0, np.array([2], np.uint64), best, tally)
    passed = process_time() - start
    return full, tally[0] / passed, tally[3] / passed


def main() -> None:
    """Print the table."""
    small = "--quick" in sys.argv
    print("d     n   full/s  proposals/s      loads/s")
    for d in DEGREES:
        for n in SIZES[:1] if small else SIZES:
            full, proposals, loads = measure_rates(n, d, 0.05 if small else 1.0)
            print(f"{d} {n:5} {full:8.0f} {proposals:12.0f} {loads:12.0f}", flush=True)


if __name__ == "__main__":
    main()
