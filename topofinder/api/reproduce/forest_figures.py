"""Table 3 and figures 10, 11, 12 and 14 of ForestColl: algbw in theory, and seconds by stage.

Figures 10 to 12 and the top row of 14 were measured; the text has what was gained at 1 GB and in
the mean from 1 MB on, which stands beside the optimum in theory. The bottom row of figure 14 is
theoretical: ForestColl's is the optimum, for which its authors' implementation gave the printed
values of small systems.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import pairwise
from time import process_time

from expansions.collective import Collective
from generators.fabrics.dgx import dgx_a100, dgx_h100
from generators.fabrics.mi250 import mi250
from generators.topology import Topology
from reports.reproduced import ComparisonRow, ReproductionRecord, exactly
from topofinder.api.reproduce.forest_examples import ring_time
from topofinder.api.reproduce.sources import Sources
from topofinder.api.shared.allreduce_bounds import phase_bound
from topofinder.forests.baselines.register import map_baseline
from topofinder.forests.optimality.bottleneck_cut import find_optimum
from topofinder.forests.optimality.cuts import Cuts
from topofinder.forests.optimality.network import Network
from topofinder.forests.optimality.tree_count import least_count, tree_capacities
from topofinder.forests.switch_removal.edge_splitting import remove_switches
from topofinder.forests.switch_removal.split_state import Splitting

MEASURED = "measured, not compared"
PLOTTED = "the plot has no numbers: what the authors' program gives"
Gain = tuple[str, float]
GAINS: dict[str, tuple[tuple[str, tuple[Gain, ...]], ...]] = {
    "forest-figure10": (
        (
            "MI250 16+16",
            (
                ("allgather over TACCL", 1.61),
                ("allgather over TACCL, mean", 1.36),
                ("allreduce over Blink+Switch", 1.16),
                ("allreduce over Blink+Switch, mean", 1.23),
                ("allgather over RCCL, mean", 1.91),
                ("reduce-scatter over RCCL, mean", 1.87),
                ("allreduce over RCCL, mean", 1.15),
            ),
        ),
        (
            "MI250 8+8",
            (
                ("allgather over TACCL", 1.43),
                ("allgather over TACCL, mean", 1.32),
                ("allreduce over Blink+Switch", 1.36),
                ("allreduce over Blink+Switch, mean", 1.36),
                ("allgather over RCCL", 2.7),
                ("allgather over RCCL, mean", 2.98),
                ("reduce-scatter over RCCL", 2.42),
                ("reduce-scatter over RCCL, mean", 2.86),
                ("allreduce over RCCL", 1.66),
                ("allreduce over RCCL, mean", 1.4),
            ),
        ),
    ),
    "forest-figure11": (
        (
            "DGXA100(2)",
            (
                ("allgather over TACCL", 1.16),
                ("allgather over TACCL, mean", 1.53),
                ("allgather over NCCL", 1.32),
                ("allgather over NCCL, mean", 2.3),
                ("reduce-scatter over NCCL", 1.3),
                ("reduce-scatter over NCCL, mean", 1.85),
                ("allreduce over NCCL", 1.26),
                ("allreduce over NCCL, mean", 1.27),
            ),
        ),
    ),
    "forest-figure12": (
        (
            "DGXH100(16)",
            (
                ("allgather over NCCL", 1.32),
                ("reduce-scatter over NCCL", 1.14),
                ("allreduce over NCCL", 1.25),
            ),
        ),
    ),
}
"""What ForestColl gained at 1 GB and in the mean from 1 MB to 1 GB, as printed, by system."""
KNOWN = {"DGXA100": {1: 342.8571, 2: 346.6667, 4: 266.6667}, "MI250": {1: 342.8571, 2: 354.1333}}
"""GB/s that the authors' implementation gives, by boxes."""
SYSTEMS: dict[str, tuple[Callable[[int], Topology], int]] = {
    "DGXA100": (dgx_a100, 8),
    "MI250": (mi250, 16),
}
STAGES = {
    "DGXA100": (2.2, 979, 1209),
    "MI250": (3.8, 550, 1708),
}
"""Seconds of each stage at 1024 GPUs on 128 cores: optimality, switches, trees (table 3)."""
SMALL = 64
"""GPUs up to which stages are worked out unless `--n` asks for more."""


def forest_table3(sources: Sources) -> ReproductionRecord:
    """Table 3: seconds of the stages; `--n 1024` works out the printed size."""
    chosen = sources.sizes or (SMALL,)
    rows: list[ComparisonRow] = []
    for name, gpus in sources.each([(name, gpus) for name in SYSTEMS for gpus in chosen]):
        make, box = SYSTEMS[name]
        spent = stage_seconds(make(max(1, gpus // box)))
        printed: tuple[float | None, ...] = STAGES[name] if gpus == 1024 else (None, None)
        names = ("optimality search", "switch removal")
        for stage, ours, value in zip(names, spent, printed, strict=False):
            rows.append(_row(f"{name}, {gpus} GPUs", stage, "s", exactly(ours), value))
    for name, seconds in STAGES.items():
        stages = ("optimality search", "switch removal", "tree construction")
        for stage, value in zip(stages, seconds, strict=True):
            if stage == stages[-1]:
                note = f"{MEASURED}; the stage is not timed apart here"
                rows.append(_row(f"{name}, 1024 GPUs", stage, "s", "not timed", value, note))
            elif 1024 not in chosen:
                note = f"{MEASURED}; --n 1024 makes the first two stages"
                rows.append(_row(f"{name}, 1024 GPUs", stage, "s", "not asked for", value, note))
    title = "Table 3 of ForestColl: seconds of its stages; ours in processor time of one core"
    return ReproductionRecord(name="forest-table3", title=title, rows=tuple(rows))


def forest_figure10(sources: Sources) -> ReproductionRecord:
    """Figure 10: two MI250 boxes, with all GPUs and with half of each box."""
    return _gains(sources, "forest-figure10", "Figure 10 of ForestColl: two boxes of MI250")


def forest_figure11(sources: Sources) -> ReproductionRecord:
    """Figure 11: two DGX A100."""
    return _gains(sources, "forest-figure11", "Figure 11 of ForestColl: two DGX A100")


def forest_figure12(sources: Sources) -> ReproductionRecord:
    """Figure 12: 1 to 16 DGX H100."""
    found = _gains(sources, "forest-figure12", "Figure 12 of ForestColl: DGX H100")
    more = [
        _row(f"DGXH100({boxes})", "algbw of an allgather, optimum", "GB/s",
             exactly(_algbw(dgx_h100(boxes))), None)
        for boxes in (1, 2, 4, 8, 16)
    ]  # fmt: skip
    return ReproductionRecord(name=found.name, title=found.title, rows=(*found.rows, *more))


def forest_figure14(sources: Sources) -> ReproductionRecord:
    """Figure 14, bottom row: algbw in theory, with the stages' seconds; `--n` chooses GPUs."""
    chosen = sources.sizes or (16, 32, 64)
    rows: list[ComparisonRow] = []
    for name, gpus in sources.each([(name, gpus) for name in SYSTEMS for gpus in (8, *chosen)]):
        make, box = SYSTEMS[name]
        boxes = max(1, gpus // box)
        if gpus < box:
            continue
        rows.append(
            ComparisonRow(
                subject=f"{name}({boxes})", quantity="algbw of an allgather", unit="GB/s",
                ours=exactly(_algbw(make(boxes))), published=KNOWN[name].get(boxes),
                note=PLOTTED if boxes in KNOWN[name] else "",
            )
        )  # fmt: skip
    rows += [
        _row("1024 GPUs", f"schedule generation, {name}", "min", "see forest-table3", minutes)
        for name, minutes in (("A100", 36.5), ("MI250", 37.7))
    ]
    by_other = "schedule generation by SyCCL, as its paper has it"
    rows += [
        _row("DGXA100(4)", "schedule generation", "s", "not timed", "below 1"),
        _row("512 GPUs", "schedule generation, A100", "min", "not timed", 4.0),
        _row("512 GPUs", by_other, "min", "not timed", 37.0),
    ]
    over = map_baseline("multitree", mi250(2), Collective.ALLGATHER)
    ratio = exactly(over.inverse_rate / over.optimum)
    note = f"{PLOTTED}; ours is of greedy trees like MultiTree's on shortest routes"
    rows.append(_row("MI250(2)", "algbw over MultiTree", "", ratio, "at least 1.5", note))
    title = "Figure 14 of ForestColl: theoretical algbw"
    return ReproductionRecord(name="forest-figure14", title=title, rows=tuple(rows))


def stage_seconds(topology: Topology) -> tuple[Fraction, Fraction]:
    """Processor seconds of finding the optimum and of splitting all switches off.

    >>> len(stage_seconds(dgx_a100(1)))
    2
    """
    network = Network.of(topology)
    times = [process_time()]
    cuts = Cuts.of(network)
    best = find_optimum(network, cuts)
    times.append(process_time())
    count = least_count(network, best, cuts)
    held = tree_capacities(network, count.inverse_tree)
    supply = [count.k * weight for weight in network.weight]
    state = Splitting(network.n, network.tail, network.head, held)
    remove_switches(state, network.compute, supply + [0] * (state.n - network.n))
    times.append(process_time())
    first, second = (Fraction(b - a).limit_denominator(10**6) for a, b in pairwise(times))
    return first, second


def half_boxes(boxes: int) -> Topology:
    """MI250 boxes of which only GPUs 0 to 7 take part: the others and their links are left out.

    >>> half_boxes(2).n - len(half_boxes(2).switches)
    16
    """
    whole = mi250(boxes)
    kept = [u for u in range(whole.n) if u in whole.switches or u % 16 < 8]
    number = {u: i for i, u in enumerate(kept)}
    arcs = [(u, v, c) for u, v, c in zip(
        whole.tail.tolist(), whole.head.tolist(), whole.capacity or (), strict=True)
        if u in number and v in number]  # fmt: skip
    return Topology.from_arcs(
        len(kept),
        [(number[u], number[v]) for u, v, _ in arcs],
        capacity=tuple(c for _, _, c in arcs),
        switches=tuple(number[s] for s in whole.switches),
    )


def _gains(sources: Sources, name: str, title: str) -> ReproductionRecord:
    rows = [row for system in sources.each(GAINS[name]) for row in _system_rows(*system)]
    return ReproductionRecord(name=name, title=f"{title}, in theory", rows=tuple(rows))


def _system_rows(system: str, printed: tuple[Gain, ...]) -> Iterator[ComparisonRow]:
    topology = {
        "MI250 16+16": lambda: mi250(2),
        "MI250 8+8": lambda: half_boxes(2),
        "DGXA100(2)": lambda: dgx_a100(2),
        "DGXH100(16)": lambda: dgx_h100(16),
    }[system]()
    yield _row(system, "algbw of an allgather, optimum", "GB/s", exactly(_algbw(topology)), None)
    if system.startswith("DGX"):
        over = ring_time(topology, 8) / find_optimum(Network.of(topology)).inverse_rate
        note = "the ring of all GPUs in order, in theory"
        yield _row(system, "allgather over the ring", "", exactly(over), None, note)
    ratio = cache(lambda quantity: _baseline_ratio(quantity, topology))
    for quantity, value in printed:
        told, note = ratio(quantity.removesuffix(", mean")), ""
        if not isinstance(told, str):
            note = f"{MEASURED}; ours in theory, by what is mapped on shortest routes"
        name = f"algbw of an {quantity}".replace("an red", "a red")
        yield _row(system, name, "", told, value, note)


def _baseline_ratio(quantity: str, topology: Topology) -> tuple[Fraction, Fraction] | str:
    """How much longer than the optimum a baseline takes in theory; words for what is not built.

    NCCL's allreduce is its ring or its tree, whichever takes less; Blink's phases run at once.
    """
    collective = Collective(quantity.split(" over ")[0])
    if "TACCL" in quantity:
        return "solver, not built"
    if "Blink" in quantity:
        made = map_baseline("blink", topology, collective)
        times = [min(made.together, made.inverse_rate) / made.total]
    else:
        names = ["nccl-ring"] + ["nccl-tree"] * (collective is Collective.ALLREDUCE)
        found = [map_baseline(name, topology, collective) for name in names]
        times = [made.inverse_rate / made.total for made in found]
    return exactly(min(times) / phase_bound(topology, collective))


def _algbw(topology: Topology) -> Fraction:
    return find_optimum(Network.of(topology)).algbw


def _row(
    subject: str,
    quantity: str,
    unit: str,
    ours: tuple[Fraction, Fraction] | str,
    published: float | str | None,
    note: str = "",
) -> ComparisonRow:
    told = note or ("" if published is None else MEASURED)
    return ComparisonRow(
        subject=subject, quantity=quantity, unit=unit, ours=ours, published=published,
        note=told, compared=False,
    )  # fmt: skip
