"""Finds the jump sets that `generators.jump_sets` ships: circulants of small diameter.

    python -m tools.find_jump_sets

writes generators/data/jump_sets.npz, byte for byte the same each time (fixed seed, work counted
in scans and not in seconds); about six minutes on one core. `--first 3 --last 3 --nodes 300`
tries the method on a part, and then `--output` keeps the shipped file.

Method: coordinate descent. The ball of radius D of a jump set S is the union of the balls of
radius D - |i| of S without a, moved by i*a, so one coordinate is swept over every a at the
price of 2D + 1 rotations of a bitset each. Every size starts from random sets and from the sets
of its neighbours; the target is one less than the diameter reached so far, down to the volume
bound (Boesch and Wang; Monakhova 2012), which no set can beat.
"""

import argparse
from math import comb
from pathlib import Path

import numpy as np

from tools.circulant_kernels import descend, diameter

SEED = 20260
SHIPPED = Path(__file__).parents[1] / "generators" / "data" / "jump_sets.npz"
PATIENCE = 24
"""Failures in a row at one target after which a size gets a small budget only."""
FULL, SMALL = 40, 4
"""Random starts of a size with the full and with the small budget."""
CHEAP = 30_000_000
"""A small size gets at least CHEAP / n^2 random starts: each takes time in n^2 or so."""
REACH = 8
"""How far away in n a neighbour's set may come from."""


def volume(k: int, radius: int, half: bool) -> int:
    """The most nodes within `radius` hops with k two-way jumps, and n/2 once where `half`."""

    def ball(r: int) -> int:
        return sum(2**i * comb(k, i) * comb(r, i) for i in range(k + 1))

    return ball(radius) + (ball(radius - 1) if half else 0)


def volume_bound(n: int, k: int, half: bool) -> int:
    """The least diameter that the volume allows."""
    radius = 1
    while volume(k, radius, half) < n:
        radius += 1
    return radius


class JumpTable:
    """The best sets found for one k: rows of `jumps` and `radius`, both indexed by n."""

    def __init__(self, k: int, nodes: int, half: bool) -> None:
        self.k, self.half, self.step = k, half, 2 if half else 1
        self.smallest = 2 * k + (2 if half else 1)
        self.sizes = range(self.smallest, nodes + 1, self.step)
        self.jumps = np.zeros((nodes + 1, k), dtype=np.int64)
        self.radius = np.zeros(nodes + 1, dtype=np.int64)
        self.bound = np.array([volume_bound(max(n, 2), k, half) for n in range(nodes + 1)])
        for n in self.sizes:
            self.keep(n, np.arange(1, k + 1))

    def keep(self, n: int, jumps: np.ndarray) -> None:
        """Take `jumps` for size n."""
        self.jumps[n] = np.sort(jumps)
        self.radius[n] = diameter(n, self.jumps[n], self.half)

    def descend(self, n: int, start: np.ndarray, restarts: int) -> bool:
        """Look for a diameter below the present one, from `start` and from random sets."""
        start = np.minimum(start % n, -start % n)
        if start.min() == 0 or 2 * start.max() == n or len(set(start.tolist())) < self.k:
            start = np.arange(1, self.k + 1)
        seed = SEED + 10_000 * (2 * self.k + self.half) + n + 1_000_003 * restarts
        found = descend(n, start, self.radius[n] - 1, self.half, restarts, seed)
        if found[0]:
            self.keep(n, found)
        return bool(found[0])

    def improve(self, n: int, neighbours: range, restarts: int) -> None:
        """Lower the diameter of size n until the bound is met or the budget is spent."""
        near = [m for m in neighbours if m in self.sizes]
        for m in near:
            while self.radius[n] > max(self.bound[n], self.radius[m] - (m > n)):
                if not self.descend(n, self.jumps[m], 0):
                    break
        while self.radius[n] > self.bound[n] and self.descend(n, self.jumps[n], restarts):
            pass

    def upwards(self) -> None:
        """The first pass, with neighbours below."""
        failures, target = 0, 0
        for n in self.sizes:
            near = range(n - self.step, n - 3 * self.step, -self.step)
            budget = FULL if failures < PATIENCE else SMALL
            self.improve(n, near, max(budget, CHEAP // n**2))
            missed = self.radius[n] - 1
            failures = failures + 1 if missed == target else 0
            target = missed

    def downwards(self) -> None:
        """The second pass, with neighbours above that have a smaller diameter."""
        for n in reversed(self.sizes):
            near = range(n + self.step, n + (REACH + 1) * self.step, self.step)
            better = [m for m in near if m in self.sizes and self.radius[m] < self.radius[n]]
            for m in better:
                while self.radius[m] < self.radius[n] and self.descend(n, self.jumps[m], 1):
                    pass


def search(k: int, nodes: int, half: bool) -> JumpTable:
    """Both passes for one k; prints how many sizes meet the bound."""
    table = JumpTable(k, nodes, half)
    table.upwards()
    table.downwards()
    met = sum(int(table.radius[n] == table.bound[n]) for n in table.sizes)
    print(f"k={k} half={half}: {met} of {len(table.sizes)} sizes meet the volume bound", flush=True)
    return table


def main() -> None:
    """Search every k and write the file."""
    parser = argparse.ArgumentParser(description="find jump sets of small diameter")
    parser.add_argument("--first", type=int, default=3)
    parser.add_argument("--last", type=int, default=8)
    parser.add_argument("--nodes", type=int, default=2000)
    parser.add_argument("--output", type=Path, default=SHIPPED)
    options = parser.parse_args()
    tables = [search(k, options.nodes, False) for k in range(options.first, options.last + 1)]
    tables += [search(k, options.nodes, True) for k in (2, 3) if k <= options.last]
    arrays = {}
    for table in tables:
        name = f"{'half' if table.half else 'even'}{table.k}"
        rows = np.array(table.sizes)
        arrays[name] = table.jumps[rows].astype("<u2")
        arrays[f"{name}_diameter"] = table.radius[rows].astype("u1")
    with options.output.open("wb") as file:  # uncompressed: the bytes depend on no zlib
        np.savez(file, **arrays)


if __name__ == "__main__":
    main()
