"""Times the methods for all-to-all throughput beside HiGHS: `python benchmarks/throughput.py`.

Beside each method, on the same graph, stand how many times faster it is than HiGHS on the program
in full, LP (3), where that is small enough to be solved, the interval it proves, and how far the
ends of that are apart, relative to the upper one. Seconds are those of the processor.
`--quick` takes small graphs only, to see that all still runs.
"""

import argparse
import sys
import time
from fractions import Fraction
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from expansions.build import build
from expansions.parser import parse
from generators.errors import Unsupported
from generators.topology import Topology
from topofinder.alltoall.problem import FlowProblem
from topofinder.alltoall.register import method_names
from topofinder.alltoall.result import ThroughputBounds
from topofinder.alltoall.solve import bound_throughput
from topofinder.alltoall.solver.linear_program import FlowProgram
from topofinder.alltoall.solver.reduction import identity_reduction

QUICK = ("L(K(4,4))", "Torus(4,4)", "random(24,4)")
FULL = (
    *QUICK,
    "Pi(4,64)",
    "random(64,4)",
    "DBJ(4,4)",
    "L^2(DBJMod(4,2))",
    "L(Diamond^2)",
    "DBJMod(2,4)^2",
    "(UniRing(1,4) x UniRing(1,8))^2",
    "L^3(C(16,{3,4}))",
    "L^2(Diamond^2)",
    "L(DBJMod(2,4)^2)",
    "Pi(4,1000)",
    "Pi(4,1023)",
    "Pi(4,1024)",
    "random(1024,4)",
    "Torus(64,64)",
    "C(4096,{3,50})",
)
WHOLE = 20_000
"""Variables of the largest program that is solved in full."""
REDUCED = 40_000
SECONDS = 60.0


def graph(name: str) -> Topology:
    """A recipe, or a random regular digraph: as many random permutations as ports."""
    if not name.startswith("random"):
        return build(parse(name))
    n, d = map(int, name[7:-1].split(","))
    generator = np.random.default_rng(7)
    heads = [generator.permutation(n) for _ in range(d)]
    return Topology(n=n, tail=np.tile(np.arange(n), d), head=np.concatenate(heads))


def in_full(problem: FlowProblem) -> float | None:
    """Processor seconds of HiGHS on the program in full; None where that would take too long."""
    program = FlowProgram.of(identity_reduction(problem))
    if program.variables > WHOLE:
        return None
    begin = time.process_time()
    program.solve(600.0)
    return time.process_time() - begin


def line(
    name: str, label: str, seconds: float, whole: float | None, answer: ThroughputBounds | None
) -> str:
    interval = " " * 32
    if answer is not None:
        interval = f"[{float(answer.lower):.7e}, {float(answer.upper):.7e}]"
        interval += f" {float(answer.gap):9.1e} {answer.method:<12}"
    ratio = f"{whole / seconds:10.1f}" if whole is not None else f"{'-':>10}"
    return f"{name:<32}{label:<13}{seconds:8.3f}{ratio}  {interval}".rstrip()


def measure(name: str, gap: Fraction) -> None:
    problem = FlowProblem(topology=graph(name))
    whole = in_full(problem)
    if whole is not None:
        print(line(name, "HiGHS in full", whole, whole, None), flush=True)
    sizes = len(problem.sources) * problem.topology.arcs
    for method in method_names():
        if method == "lp" and sizes > 16 * REDUCED:
            continue
        begin = time.process_time()
        try:
            answer = bound_throughput(problem, gap=gap, time=SECONDS, method=method)
        except Unsupported:
            continue
        print(line(name, method, time.process_time() - begin, whole, answer), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--gap", type=Fraction, default=Fraction(1, 1000))
    options = parser.parse_args()
    for recipe in ("Torus(3,3)", "Pi(4,9)"):
        for method in ("auto", "hops") if recipe.startswith("T") else ("lp", "equilibrium"):
            bound_throughput(FlowProblem(topology=build(parse(recipe))), method=method)
    print(f"{'graph':<32}{'method':<13}{'seconds':>8}{'HiGHS /':>10}  interval, gap, used")
    for name in QUICK if options.quick else FULL:
        measure(name, options.gap)


if __name__ == "__main__":
    main()
