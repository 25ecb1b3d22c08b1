"""Draws docs/methods.svg: what BFB, forests and timed schedules take beside the bound, by size.

    python -m tools.method_plot

Each panel is a topology; seconds are those of `schedule` in the pipelined model, over the best
exact bound of the size.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from expansions.build import build
from expansions.collective import Collective
from expansions.parser import parse
from expansions.schedule_files.saved import SavedSchedule
from topofinder.api.shared.forest_times import Transfer, forest_time
from topofinder.api.shared.schedule_times import schedule_seconds
from topofinder.forests.collectives.make_forest import ForestOptions, make_forest
from topofinder.model.chunk_times import LinkUnits
from topofinder.model.time_model import TimeModel
from topofinder.model.workload import Workload
from topofinder.schedules.bfb.schedule import bfb_schedule
from topofinder.timetables.portfolio import synthesize
from topofinder.timetables.task import TimedTask

PICTURE = Path(__file__).parent.parent / "docs" / "methods.svg"
RECIPES = ("Torus(8,8)", "Mesh(8,8)", "L(K(4,4))^2")
ALPHA, BANDWIDTH = Fraction(10, 10**6), Fraction(100 * 10**9, 8)
SIZES = tuple(1 << power for power in range(12, 32, 2))


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodRatios:
    """Times over the bound for one size of data."""

    size: int
    bfb: Fraction
    forest: Fraction
    timed: Fraction


def method_ratios(recipe: str, sizes: tuple[int, ...] = SIZES) -> Iterator[MethodRatios]:
    """The allgather of every size on a recipe's graph.

    >>> (found,) = method_ratios("K(4)", (1 << 20,))
    >>> found.timed, found.bfb >= 1
    (Fraction(1, 1), True)
    """
    topology = build(parse(recipe))
    saved = SavedSchedule(topology=topology, schedule=bfb_schedule(topology))
    forest = make_forest(topology, ForestOptions())
    for size in sizes:
        found = synthesize(
            TimedTask(
                topology=topology,
                collective=Collective.ALLGATHER,
                size=Fraction(size),
                units=LinkUnits(latency=ALPHA, rate=BANDWIDTH / topology.degree),
            )
        )
        bound = found.bounds.any_chunks
        workload = Workload(alpha=ALPHA, bandwidth=BANDWIDTH, sizes=((Fraction(size), 1),))
        times = forest_time(forest, Transfer(size=Fraction(size), alpha=ALPHA, bandwidth=BANDWIDTH))
        assert times.best is not None, "links have a latency"
        yield MethodRatios(
            size=size,
            bfb=schedule_seconds(saved, workload, TimeModel.PIPELINED) / bound,
            forest=times.best / bound,
            timed=found.timetable.seconds / bound,
        )


def draw(path: Path = PICTURE) -> None:
    """Write the picture; the same bytes every time."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    mpl.rcParams["svg.hashsalt"] = "topofinder"
    figure, panels = plt.subplots(1, len(RECIPES), figsize=(11, 3.4), sharey=True)
    for panel, recipe in zip(panels, RECIPES, strict=True):
        found = list(method_ratios(recipe))
        for name in ("bfb", "forest", "timed"):
            panel.plot(
                [each.size for each in found],
                [float(getattr(each, name)) for each in found],
                marker="o", markersize=3, label=name,
            )  # fmt: skip
        panel.axhline(1, color="grey", linestyle="--", linewidth=1, label="bound")
        panel.set(title=recipe, xscale="log", xlabel="size of the allgather in bytes")
    panels[0].set(ylabel="time over the bound", ylim=(0.9, 3))
    panels[0].legend()
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    draw()
