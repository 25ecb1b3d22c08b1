"""How long forests take, beside what is wanted.

    python benchmarks/forest.py            # all cases
    python benchmarks/forest.py --small    # those of up to 128 hosts; --quick: the first five
    python benchmarks/forest.py --primes   # small fabrics that need as many trees as links are fast
    python benchmarks/forest.py --few      # few trees and low ones of MI250 boxes, by loss; --quick

Every case is built once to compile, then up to three times; the best counts. Times are those of
the processor, on one thread: what else the machine does counts little. `optimum` is the time of
1/x* alone; at most 0.1 s is wanted. `wanted` is the limit in seconds that a case is to stay below;
a star marks one that was not reached. With `k` given the loss against the optimum is printed. The
last line tells the most memory that the process has taken.
"""

import resource
import sys
import time
from dataclasses import replace
from fractions import Fraction

import networkx as nx
import numpy as np
from prime_fabrics import prime_fabrics

from expansions.build import build
from expansions.parser import parse
from generators.errors import InvalidInput
from generators.fabrics.dgx import dgx_a100
from generators.fabrics.fat_tree import two_level
from generators.fabrics.mi250 import mi250
from generators.fabrics.rail_only import rail_only
from generators.topology import Topology
from topofinder.forests.build import pack_forest
from topofinder.forests.few_trees.pack import Preference, TreeAim, pack_with_aim
from topofinder.forests.optimality.bottleneck_cut import find_optimum
from topofinder.forests.optimality.network import Network
from topofinder.forests.optimality.tree_count import paper_count

ENOUGH = 10.0
"""Seconds after which a case is not repeated."""


def remove_links(topology: Topology, share: float, seed: int = 1) -> Topology:
    """Two-way links removed at random, so that what is left is connected."""
    pairs = np.sort(np.stack([topology.tail, topology.head]), axis=0)
    links, link = np.unique(pairs, axis=1, return_inverse=True)
    generator = np.random.default_rng(seed)
    while True:
        kept = np.flatnonzero((generator.random(links.shape[1]) >= share)[link])
        capacity = topology.capacity and tuple(topology.capacity[e] for e in kept)
        left = replace(
            topology,
            tail=topology.tail[kept],
            head=topology.head[kept],
            capacity=capacity,
            latency=None,
            translation=None,
            orbits=None,
        )
        try:
            find_optimum(Network.of(left))
        except InvalidInput:
            continue
        return left


def cubic(n: int) -> Topology:
    graph = nx.random_regular_graph(3, n, seed=1).to_directed()
    return Topology.from_arcs(n, sorted(graph.edges))


def recipe(text: str) -> Topology:
    return build(parse(text))


SMALL = {
    "Torus(8,8)": (lambda: recipe("Torus(8,8)"), None, 0.02),
    "Q(6)": (lambda: recipe("Q(6)"), None, 0.02),
    "DGXA100(2)": (lambda: dgx_a100(2), None, 0.5),
    "DGXA100(16)": (lambda: dgx_a100(16), None, 0.5),
    "MI250(1)": (lambda: mi250(1), None, 0.5),
    "MI250(2)": (lambda: mi250(2), None, 0.5),
    "MI250(3)": (lambda: mi250(3), None, 0.5),
    "MI250(4)": (lambda: mi250(4), None, 0.5),
    "MI250(8)": (lambda: mi250(8), None, 0.5),
    "FatTree(16,8,4)": (lambda: two_level(16, 8, 4), None, 0.5),
    "MI250(8), 3% failed, k=2": (lambda: remove_links(mi250(8), 0.03), 2, 5),
    "MI250(8), 3% failed": (lambda: remove_links(mi250(8), 0.03), None, 5),
    "DGXA100(16), 2% failed": (lambda: remove_links(dgx_a100(16), 0.02), None, 0.5),
}
LARGE = {
    "Torus(16,16), 5% failed": (lambda: remove_links(recipe("Torus(16,16)"), 0.05), None, 0.5),
    "Torus(32,32)": (lambda: recipe("Torus(32,32)"), None, 2),
    "Q(10)": (lambda: recipe("Q(10)"), None, 2),
    "Pi(4,1024)": (lambda: recipe("Pi(4,1024)"), None, 2),
    "Torus(8,8,16)": (lambda: recipe("Torus(8,8,16)"), None, 2),
    "cubic, 1024 nodes": (lambda: cubic(1024), None, 30),
    "DGXA100(128)": (lambda: dgx_a100(128), None, 10),
    "MI250(64)": (lambda: mi250(64), None, 10),
    "RailOnly(128)": (lambda: rail_only(128), None, 10),
    "FatTree(64,16,8)": (lambda: two_level(64, 16, 8), None, 60),
    "FatTree(64,16,16)": (lambda: two_level(64, 16, 16), None, 60),
}
PRIMES = {name: (lambda made=made: made, None, 1.2) for name, made in prime_fabrics()} | {
    "MI250(2), k=2000": (lambda: mi250(2), 2000, 1.2),
    "MI250(2), k=100000": (lambda: mi250(2), 100_000, 1.2),
}


def measure(topology: Topology, k: int | None, wanted: float) -> list[str]:
    """The columns of one case."""
    seconds, alone = [], []
    for turn in range(4):
        begin = time.process_time()
        fabric = Network.of(topology)
        best = find_optimum(fabric)
        middle = time.process_time()
        found = pack_forest(fabric, k)
        end = time.process_time()
        if turn:
            alone.append(middle - begin)
            seconds.append(end - middle)
        if turn and end - middle > ENOUGH:
            break
    loss = "" if found.loss == Fraction(0) else f" +{float(found.loss):.2%}"
    missed = "*" if min(seconds) > wanted else ""
    return [
        str(len(fabric.compute)),
        str(best.inverse_rate),
        f"{found.k} ({paper_count(fabric, best)}){loss}",
        f"{min(alone):.4f}",
        f"{min(seconds):.3f}{missed}",
        f"{wanted:g}",
        found.method,
        str(found.height),
    ]


FEW = tuple(
    (boxes, Fraction(loss, 1000), prefer)
    for boxes, loss in ((1, 0), (2, 20), (2, 10), (2, 5))
    for prefer in Preference
)


def print_few_trees() -> None:
    """Different trees, height and seconds of the processor for each loss that is allowed."""
    print(
        f"{'case':<12}{'allowed':>9}{'prefer':>8}{'k':>5}{'loss':>9}{'trees':>7}{'height':>7}{'s':>7}"
    )
    for boxes, loss, prefer in FEW[:4] if "--quick" in sys.argv else FEW:
        network = Network.of(mi250(boxes))
        begin = time.process_time()
        found = pack_with_aim(network, TreeAim(loss=loss, prefer=prefer))
        spent = time.process_time() - begin
        print(
            f"{f'MI250({boxes})':<12}{float(loss):>9.2%}{prefer:>8}{found.k:>5}"
            f"{float(found.loss):>9.3%}{found.trees:>7}{found.height:>7}{spent:>7.1f}",
            flush=True,
        )


def main() -> None:
    if "--few" in sys.argv:
        print_few_trees()
        return
    cases = SMALL if "--small" in sys.argv else SMALL | PRIMES | LARGE
    if "--primes" in sys.argv:
        cases = PRIMES
    if "--quick" in sys.argv:
        cases = dict(list(SMALL.items())[:5])
    heads = ["hosts", "1/x*", "k (paper)", "optimum", "seconds", "wanted", "method", "height"]
    print(f"{'case':<26}" + "".join(f"{head:>23}" for head in heads))
    for name, (make, k, wanted) in cases.items():
        columns = measure(make(), k, wanted)
        print(f"{name:<26}" + "".join(f"{column:>23}" for column in columns), flush=True)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"memory: {most / 2**10:.0f} MiB")


if __name__ == "__main__":
    main()
