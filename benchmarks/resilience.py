"""How long it takes to rate all single failures of a fabric, and how good the trees are.

    python benchmarks/resilience.py            # all cases; --quick: the smallest

Every failure of one link or host is rated apart, without symmetry: 20 s are wanted for 64 hosts, 60
s for 256. Times are those of the processor, after a first run that compiles. `loss` is how much
longer the worst takes than no trees of equal shards on what is left can beat.
"""

import sys
import time
from dataclasses import replace

from expansions.build import build
from expansions.parser import parse
from topofinder.forests.collectives.single_failures import rate_failures

CASES = (
    ("C(16,{3,4})", 20),
    ("C(64,{5,6})", 20),
    ("Torus(8,8)", 20),
    ("Pi(4,64)", 20),
    ("C(256,{10,11})", 60),
    ("Torus(16,16)", 60),
    ("Pi(4,256)", 60),
)


def main() -> None:
    cases = CASES[:1] if "--quick" in sys.argv[1:] else CASES
    for warm in ("C(8,{1,3})", "Kautz(2,2)"):
        rate_failures(build(parse(warm)))
    print("fabric            failures  seconds  wanted  worst T_B   loss  height")
    for recipe, wanted in cases:
        topology = replace(build(parse(recipe)), translation=None, orbits=None)
        began = time.process_time()
        found = rate_failures(topology)
        spent = time.process_time() - began
        kinds = [found.links, found.hosts]
        count = sum(kind.count for kind in kinds)
        height = max(kind.height for kind in kinds)
        for kind, name in zip(kinds, ("link", "host"), strict=True):
            if kind.worst is None or kind.bound is None:
                continue
            worst, loss = float(kind.worst), float(kind.worst / kind.bound - 1)
            told = f"{count:8} {spent:8.2f} {wanted:6}" + "*" * (spent > wanted)
            print(f"{recipe:16} {told:26} {worst:8.4f} {loss:7.3%} {height:6}  {name} lost")


if __name__ == "__main__":
    main()
