"""How far the best allreduce is from its bound at every size: a picture and the worst sizes.

    python -m tools.frontier_picture sweep --db frontiers.db
    python -m tools.frontier_picture draw --db frontiers.db [FILE ...]
    python -m tools.frontier_picture draw --db frontiers.db --d 9 10 11 12 16

`sweep` fills the database, a leg for each link mode and degree, with an effort of one unless
`--effort` says otherwise: what `topofinder search` tells. It can be interrupted at any time and
goes on where it was. `draw` writes docs/frontiers.png, a strip for each leg that a database holds,
and the tables of the worst sizes in docs/frontiers.md; of several databases the best counts. Legs
of more than eight ports have a picture and tables of their own.

The ratio is T_L + T_B M/B of an allreduce, at 1 MiB, 10 us and 100 Gbps, over twice the bounds of
an allgather: the exact times by BFB.
"""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from os import PathLike
from pathlib import Path

import numpy as np

from db.rows import CandidateRow
from db.store import Store
from expansions.cost import Cost
from tools.frontier_tables import PAGE, code_cell, replace_table
from topofinder.api.sweep import fill_sizes
from topofinder.model.candidate import LinkMode, quickest_lower_bound

PICTURE = PAGE.parent / "frontiers.png"
DEGREES = (2, 3, 4, 5, 6, 7, 8)
MANY_PORTS = (9, 10, 11, 12, 16)
MANY = "many"
"""What the picture and the tables of legs of many ports are named by."""
LARGEST = 2000
WORST = 20
SHARD_STEPS = Fraction(8 * 2**20, 10**11) / Fraction(10, 10**6)
"""M/B over alpha: 1 MiB at 100 Gbps in steps of 10 us."""

TOP = 1.5
"""The ratio of the darkest colour."""

Leg = tuple[LinkMode, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeRatio:
    """The best allreduce at a size, and its time over the bound."""

    n: int
    d: int
    links: LinkMode
    recipe: str
    cost: Cost
    ratio: Fraction


def size_ratio(n: int, d: int, links: LinkMode, pool: Iterable[CandidateRow]) -> SizeRatio:
    """The ratio of the best candidate of a pool, which may not be empty."""
    best = min(pool, key=lambda row: (_allreduce_time(_allreduce(row)), row.recipe))
    bound = quickest_lower_bound(n, d, links, SHARD_STEPS)
    cost = _allreduce(best)
    ratio = _allreduce_time(cost) / (2 * _allreduce_time(bound))
    return SizeRatio(n=n, d=d, links=links, recipe=best.recipe, cost=cost, ratio=ratio)


def _allreduce(row: CandidateRow) -> Cost:
    return Cost(row.steps + row.rs_steps, row.bandwidth + row.rs_bandwidth)


def _allreduce_time(cost: Cost) -> Fraction:
    return cost.steps + cost.bandwidth * SHARD_STEPS


def read_ratios(
    db: str | PathLike[str], legs: Sequence[Leg], largest: int = LARGEST
) -> Iterator[SizeRatio]:
    """The ratios of all sizes of some legs that the database holds, by leg and size."""
    with Store(db, create=False) as store:
        for links, d in legs:
            for n in sorted(n for n, k in store.finished_sizes(links.value) if k == d):
                pool = store.pool(n, d, links.value) if n <= largest else None
                if pool:
                    yield size_ratio(n, d, links, pool)


def sweep(
    db: str | PathLike[str], legs: Sequence[Leg], *, largest: int, effort: int, jobs: int = -1
) -> None:
    """Fill the database leg by leg."""
    for links, d in legs:
        fill_sizes([(n, d) for n in range(2, largest + 1)], links, db, jobs=jobs, effort=effort)


def worst_table(found: Iterable[SizeRatio]) -> str:
    """The worst sizes of all legs as a table."""
    rows = sorted(found, key=lambda one: (-one.ratio, one.links.value, one.d, one.n))[:WORST]
    head = "| links | d | N | ratio | allreduce | bound | recipe |\n" + "| --- " * 7 + "|"
    return "\n".join([head, *map(_worst_row, rows)])


def _worst_row(one: SizeRatio) -> str:
    bound = quickest_lower_bound(one.n, one.d, one.links, SHARD_STEPS)
    costs = [
        f"{cost.steps}, {cost.bandwidth}"
        for cost in (one.cost, Cost(2 * bound.steps, 2 * bound.bandwidth))
    ]
    cells = (
        one.links.value,
        str(one.d),
        str(one.n),
        f"{float(one.ratio):.3f}",
        *costs,
        code_cell(one.recipe),
    )
    return f"| {' | '.join(cells)} |"


def worst_of_each_table(found: Iterable[SizeRatio]) -> str:
    """The worst sizes of each leg, with their ratios, in a line."""
    lines = [f"| links | d | the worst {WORST} sizes, with their ratios |", "| --- " * 3 + "|"]
    for (links, d), ones in _legs(found).items():
        worst = sorted(ones, key=lambda one: (-one.ratio, one.n))[:WORST]
        told = ", ".join(f"{one.n} ({float(one.ratio):.3f})" for one in worst)
        lines.append(f"| {links.value} | {d} | {told} |")
    return "\n".join(lines)


def _legs(found: Iterable[SizeRatio]) -> dict[Leg, list[SizeRatio]]:
    legs: dict[Leg, list[SizeRatio]] = {}
    for one in found:
        legs.setdefault((one.links, one.d), []).append(one)
    return legs


def spread_table(found: Iterable[SizeRatio]) -> str:
    """For each leg the median ratio, that of nine in ten sizes, and the worst."""
    lines = ["| links | d | sizes | median | nine in ten | worst |", "| --- " * 6 + "|"]
    for (links, d), ones in _legs(found).items():
        ratios = sorted(one.ratio for one in ones)
        chosen = (ratios[len(ratios) // 2], ratios[len(ratios) * 9 // 10], ratios[-1])
        shown = " | ".join(f"{float(ratio):.3f}" for ratio in chosen)
        lines.append(f"| {links.value} | {d} | {len(ratios)} | {shown} |")
    return "\n".join(lines)


def heat_strips(found: Iterable[SizeRatio], largest: int = LARGEST) -> bytes:
    """A PNG with a strip for each leg, a column for each size; the same bytes every time."""
    from matplotlib.figure import Figure

    from reports.plots.figure import plot_style, png

    legs: dict[str, np.ndarray] = {}
    for one in found:
        strip = legs.setdefault(f"{one.links.value} d = {one.d}", np.full(largest + 1, np.nan))
        strip[one.n] = float(one.ratio)
    with plot_style():
        figure = Figure(figsize=(14, 0.42 * len(legs) + 0.9), layout="constrained")
        strips = figure.subplots(len(legs), squeeze=False, sharex=True)[:, 0]
        for axes, (name, strip) in zip(strips, legs.items(), strict=True):
            image = axes.imshow(
                strip[None, :], aspect="auto", cmap="magma_r", vmin=1, vmax=TOP,
                interpolation="nearest", extent=(-0.5, largest + 0.5, 0, 1),
            )  # fmt: skip
            axes.set(yticks=[])
            axes.grid(visible=False)
            axes.set_ylabel(name, rotation=0, ha="right", va="center")
        strips[-1].set_xlabel("N")
        figure.colorbar(image, ax=list(strips), label="time over the bound", extend="max", pad=0.01)
    return png(figure)


def read_best_ratios(
    databases: Iterable[str | PathLike[str]], legs: Sequence[Leg]
) -> list[SizeRatio]:
    """The best ratio of each size that one of the databases holds, by leg and size."""
    best: dict[tuple[Leg, int], SizeRatio] = {}
    for one in (one for db in databases for one in read_ratios(db, legs)):
        key = (one.links, one.d), one.n
        if key not in best or one.ratio < best[key].ratio:
            best[key] = one
    return [best[key] for key in sorted(best, key=lambda key: (legs.index(key[0]), key[1]))]


def draw(
    databases: Sequence[str | PathLike[str]],
    page: Path = PAGE,
    picture: Path = PICTURE,
    degrees: Sequence[int] = DEGREES,
) -> None:
    """Write the pictures of some degrees, and the tables into the page."""
    for own, name in ((DEGREES, ""), (MANY_PORTS, MANY)):
        legs = [(links, d) for links in LinkMode for d in own if d in degrees]
        found = read_best_ratios(databases, legs)
        if not found:
            continue
        text = page.read_text(encoding="utf-8")
        for table, rows in (
            ("ratios", spread_table(found)),
            ("each", worst_of_each_table(found)),
            ("worst", worst_table(found)),
        ):
            text = replace_table(text, f"{name} {table}".strip(), rows)
        page.write_text(text, encoding="utf-8")
        path = picture.with_stem(f"{picture.stem}-{name}") if name else picture
        path.write_bytes(heat_strips(found))


def main() -> None:
    """Sweep, or draw, as the command line says."""
    parser = argparse.ArgumentParser(description="Ratios to the bound at every size.")
    parser.add_argument("what", choices=["sweep", "draw"])
    parser.add_argument("--db", type=Path, nargs="+", default=[Path("frontiers.db")])
    parser.add_argument("--d", type=int, nargs="+", default=DEGREES, help="ports")
    parser.add_argument("--largest", type=int, default=LARGEST)
    parser.add_argument("--effort", type=int, default=1)
    parser.add_argument("-j", "--jobs", type=int, default=-1)
    asked = parser.parse_args()
    if asked.what == "sweep":
        legs = list(product(LinkMode, asked.d))
        sweep(asked.db[0], legs, largest=asked.largest, effort=asked.effort, jobs=asked.jobs)
    else:
        draw(asked.db, degrees=asked.d)


if __name__ == "__main__":
    main()
