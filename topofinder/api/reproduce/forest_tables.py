"""Tables 1 and 2 and figure 9 of ForestColl: what methods can do, and the boxes of its testbed.

Sources: table 1 of ForestColl (arXiv), whose ticks stand with the text beside it; table 2, and
figure 9 with section 6.2.1, of ForestColl (NSDI 2026). The words on a method that is here
too are found out on examples: BFB and its bound on two graphs, trees on the switched topology of
pipeline schedules.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from expansions.build import build
from expansions.collective import Collective
from expansions.parser import parse
from generators.errors import InvalidInput
from generators.fabrics.mi250 import mi250
from generators.topology import Topology
from reports.reproduced import ComparisonRow, Interval, ReproductionRecord, exactly
from topofinder.api.reproduce.forest_examples import figure_1a
from topofinder.api.reproduce.forest_figures import half_boxes
from topofinder.api.reproduce.sources import Sources
from topofinder.api.schedule_forest import ForestRequest, schedule_forest
from topofinder.api.shared.allreduce_bounds import phase_bound
from topofinder.forests.baselines.register import map_baseline
from topofinder.schedules.bfb.evaluation import evaluate

ABSENT = "no such method here: words of the paper"
SPEED = "words of the paper; seconds are in forest-table3 and table6"
TABLE_2 = {
    "SCCL": ("Fixed-Chunk", "Non-Switch", "NP-hard"),
    "TACCL": ("Heuristic", "Yes", "NP-hard"),
    "TE-CCL": ("Heuristic", "Yes", "NP-hard"),
    "TACOS": ("Greedy", "Yes", "Yes"),
    "BFB": ("Conditional", "Non-Switch", "Yes"),
    "Blink": ("Single-Root", "Non-Switch", "Yes"),
    "MultiTree": ("Greedy", "Yes", "Yes"),
    "TTO": ("Mesh-Only", "Non-Switch", "Yes"),
    "SyCCL": ("Heuristic", "Yes", "NP-hard"),
    "ForestColl": ("Yes", "Yes", "Yes"),
}
TABLE_1 = {
    "SCCL": ("no", "yes", "no"),
    "TACCL": ("yes", "no", "no"),
    "BFB": ("no", "no", "yes"),
    "Blink": ("no", "no", "yes"),
    "ForestColl": ("yes", "yes", "yes"),
}
"""Switches, optimal, scalable."""
NOTES = {
    ("Blink", "Generality"): "ours takes switches, as the paper's Blink+Switch",
    ("Blink", "Switch-based network"): "ours takes switches, as the paper's Blink+Switch",
    ("TACOS", "Optimality"): "our TACOS is beside the paper's in tacos-figure15 to 18",
    ("TACOS", "Generality"): "our TACOS is beside the paper's in tacos-figure15 to 18",
}


def forest_table1(sources: Sources) -> ReproductionRecord:
    """Table 1 of the first version: switches, optimal schedules, scalable run time."""
    yes = {"Yes": "yes", "Non-Switch": "no"}
    ours = {(name, "Switch-based network"): yes[words[1]] for name, words in _found_words().items()}
    ours |= {
        (name, "Optimal schedule"): "yes" if words[0] == "Yes" else "no"
        for name, words in _found_words().items()
    }
    heads = ("Switch-based network", "Optimal schedule", "Scalable runtime")
    rows = tuple(sources.each(list(_word_rows(TABLE_1, heads, ours))))
    title = "Table 1 of ForestColl (arXiv): abilities of methods"
    return ReproductionRecord(name="forest-table1", title=title, rows=rows)


def forest_table2(sources: Sources) -> ReproductionRecord:
    """Table 2: optimality, generality and scalability of ten methods, in words."""
    heads = ("Optimality", "Generality", "Scalability")
    ours = {
        (name, head): word
        for name, words in _found_words().items()
        for head, word in zip(heads, words, strict=False)
    }
    rows = tuple(sources.each(list(_word_rows(TABLE_2, heads, ours))))
    title = "Table 2 of ForestColl: abilities of methods"
    return ReproductionRecord(name="forest-table2", title=title, rows=rows)


def forest_figure9(sources: Sources) -> ReproductionRecord:
    """Figure 9: two boxes of MI250 as the text describes them, and their forests' heights."""
    rows = (*_box_rows(), *sources.each(list(_tree_rows())))
    title = "Figure 9 of ForestColl: two boxes of MI250, with all GPUs and with half of them"
    return ReproductionRecord(name="forest-figure9", title=title, rows=rows)


def _word_rows(
    printed: Mapping[str, tuple[str, ...]], heads: tuple[str, ...], ours: dict[tuple[str, str], str]
) -> Iterator[ComparisonRow]:
    here = {name for name, _ in ours}
    for name, words in printed.items():
        for head, word in zip(heads, words, strict=True):
            own = ours.get((name, head), "not told")
            other = NOTES.get((name, head), SPEED if name in here else ABSENT)
            compared = (name, head) in ours and (name, head) not in NOTES
            note = "" if compared else other
            yield ComparisonRow(
                subject=name, quantity=head, unit="", ours=own, published=word, note=note,
                compared=compared,
            )  # fmt: skip


def _found_words() -> dict[str, tuple[str, str]]:
    """Optimality and generality of the methods that are here too, as found on the examples."""
    switched, line = figure_1a(), build(parse("L(K(4,4))"))
    reached = [_bfb_loss(graph) == 0 for graph in (build(parse("Torus(3,3)")), line)]
    gather = phase_bound(switched, Collective.ALLGATHER)
    trees = schedule_forest(ForestRequest(subject=switched))
    optimal = trees.inverse_rate / trees.total == gather
    return {
        "BFB": ("Conditional" if set(reached) == {True, False} else "", _takes_switches(switched)),
        "Blink": ("Single-Root" if _has_one_root("blink", switched) else "", "Yes"),
        "MultiTree": ("Greedy" if _is_above("multitree", switched) else "", "Yes"),
        "ForestColl": ("Yes" if optimal else "", "Yes"),
    }


def _bfb_loss(topology: Topology) -> Fraction:
    """How much longer a BFB allgather takes than the best trees, relatively."""
    bound = phase_bound(topology, Collective.ALLGATHER) * topology.degree
    return evaluate(topology).cost.bandwidth / bound - 1


def _takes_switches(topology: Topology) -> str:
    try:
        evaluate(topology)
    except InvalidInput:
        return "Non-Switch"
    return "Yes"


def _is_above(name: str, topology: Topology) -> bool:
    """Whether an allreduce by such trees takes longer than the best trees."""
    made = map_baseline(name, topology, Collective.ALLREDUCE)
    return made.inverse_rate / made.total > phase_bound(topology, Collective.ALLREDUCE)


def _has_one_root(name: str, topology: Topology) -> bool:
    made = map_baseline(name, topology, Collective.ALLREDUCE)
    return sum(map(bool, made.weight)) == 1


def _box_rows() -> Iterator[ComparisonRow]:
    topology = mi250(2)
    names, room, out = topology.names or (), Fraction(), Fraction()
    near: dict[int, dict[int, Fraction]] = {}
    arcs = zip(topology.tail.tolist(), topology.head.tolist(), topology.capacity or (), strict=True)
    for u, v, capacity in arcs:
        if names[u] == "gpu0.0" and v in topology.switches:
            room = capacity
        elif names[u].startswith("gpu0.") and v in topology.switches:
            out += capacity
        elif names[u].startswith("gpu0."):
            own = near.setdefault(u, {})
            own[v] = own.get(v, Fraction()) + capacity
    degrees = sorted({len(each) for each in near.values()})
    links = {sum(each.values(), Fraction()) / 50 for each in near.values()}
    box = "MI250(2)"
    yield _row(box, "GPUs of a box", "", exactly(len(near)), 16)
    told = " or ".join(map(str, degrees))
    yield _row(box, "GPUs that a GPU is linked to", "", told, "3 or 4")
    yield _row(box, "links of 50 GB/s of a GPU", "", (min(links), max(links)), 7)
    yield _row(box, "to the network, a GPU", "GB/s", exactly(room), 16)
    yield _row(box, "to the network, a box", "GB/s", exactly(out + room), 256)


def _tree_rows() -> Iterator[ComparisonRow]:
    for name, topology in {"16+16": mi250(2), "8+8": half_boxes(2)}.items():
        made = schedule_forest(ForestRequest(subject=topology))
        [phase] = made.phases
        hosts = topology.n - len(topology.switches)
        yield _row(name, "GPUs", "", exactly(hosts), 32 if name == "16+16" else 16)
        optimal = "yes" if made.inverse_rate == made.optimum else "no"
        yield _row(name, "forest is optimal", "", optimal, "yes")
        yield _row(
            name, "height of the highest tree", "", exactly(int(phase.trees.heights().max()))
        )


def _row(
    subject: str,
    quantity: str,
    unit: str,
    ours: Interval | str,
    published: float | str | None = None,
) -> ComparisonRow:
    return ComparisonRow(
        subject=subject, quantity=quantity, unit=unit, ours=ours, published=published
    )
