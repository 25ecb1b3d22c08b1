"""At how many sizes our frontier improves on the published method's, and by how much.

    python benchmarks/frontier_gain.py [--d 4] [--links simplex] [--n 12:2000] [--jobs 2]

Prints, over all composite N of the range: the sizes at which every published point is matched or
beaten and at least one is beaten; those where it holds with any point left; and the gain in
2 (T_L + T_B) of the best candidates at alpha = 10 us and 100 Gbps, for 1 MiB and 100 MiB.
"""

import argparse
from fractions import Fraction
from statistics import median
from time import perf_counter

from topofinder.finder.published_comparison import FrontierPair, beside
from topofinder.model.candidate import LinkMode
from topofinder.model.workload import Workload

MIB = 1 << 20
SIZES = (MIB, 100 * MIB)


def workload(size: int) -> Workload:
    sizes = ((Fraction(size), 1),)
    return Workload(alpha=Fraction(10, 10**6), bandwidth=Fraction(100 * 10**9, 8), sizes=sizes)


def composite(n: int) -> bool:
    return any(n % factor == 0 for factor in range(2, int(n**0.5) + 1))


def share(name: str, found: list[FrontierPair], count: int) -> None:
    print(f"{name:<52} {count:5d} of {len(found)} ({count / len(found):.1%})")


def gains(found: list[FrontierPair], size: int) -> None:
    every = sorted(one.gain(workload(size)) for one in found)
    best = max(found, key=lambda one: one.gain(workload(size)))
    better = sum(gain > 0 for gain in every)
    print(
        f"gain in 2(T_L + T_B) at {size // MIB} MiB: median {float(median(every)):.1%},"
        f" most {float(every[-1]):.1%} (N = {best.n}), least {float(every[0]):.1%},"
        f" above zero at {better} sizes"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--d", type=int, default=4)
    parser.add_argument("--links", choices=list(LinkMode), default=LinkMode.SIMPLEX)
    parser.add_argument("--n", default="12:2000")
    parser.add_argument("--jobs", type=int, default=2)
    told = parser.parse_args()
    first, last = map(int, told.n.split(":"))
    begun = perf_counter()
    sizes = [(n, told.d) for n in range(max(first, told.d + 1), last + 1) if composite(n)]
    found = list(beside(sizes, LinkMode(told.links), jobs=told.jobs))
    print(f"composite N from {first} to {last}, d = {told.d}, {told.links} links")
    share("every published point matched or beaten", found, sum(one.matched for one in found))
    share("... and at least one beaten: improved", found, sum(one.improved for one in found))
    share("at least one published point beaten", found, sum(bool(one.beaten) for one in found))
    share("both lower bounds met by one graph", found, sum(one.both_bounds for one in found))
    for size in SIZES:
        gains(found, size)
    print(f"{perf_counter() - begun:.1f} s")


if __name__ == "__main__":
    main()
