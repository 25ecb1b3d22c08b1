"""Plots: nothing hides anything else, all names are told, and no markup is left in a tick."""

import re
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch
from matplotlib.text import Annotation

from expansions.cost import Cost
from generators.topology import IntArray
from reports.plots.best_times import best_times_figure
from reports.plots.drawing import drawing_figure
from reports.plots.figure import COLOURS, GREY, blank, plot_style, svg
from reports.plots.frontier import Series, frontier_figure
from reports.plots.graphs import GraphShape
from reports.plots.marks import MarkedPoint, choose_box, write_marks
from reports.plots.scatter import DashedLine, PlotPanel, scatter_figure
from reports.plots.times import Curve, times_figure
from reports.range_page import kind_words
from reports.size_report import WiringDrawing


def graph(n: int, tail: IntArray, head: IntArray) -> GraphShape:
    return GraphShape(n=n, tail=tail, head=head)


def cost(steps: int, bandwidth: str = "1") -> Cost:
    return Cost(steps, Fraction(bandwidth))


def shown(figure: Figure) -> list[str]:
    """All texts of the SVG that a reader sees."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg(figure, "t"))


def boxes(figure: Figure, axes_number: int) -> list[tuple[float, float, float, float]]:
    figure.draw_without_rendering()
    notes = [n for n in figure.axes[axes_number].texts if isinstance(n, Annotation)]
    return [note.get_window_extent().extents for note in notes]


def apart(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]


@pytest.mark.parametrize("most", [9, 63, 1023])
def test_ticks_of_steps_are_plain_numbers(most: int) -> None:
    """Of a range of about one decade matplotlib would label minor ticks too, in TeX."""
    rivals = Series(label="baselines (B)", points=[("B1", cost(most))])
    ours = Series(label="frontier (F)", points=[("F1", cost(4)), ("F2", cost(6))], joined=True)
    texts = shown(frontier_figure("N = 64", [ours, rivals], cost(4, "63/64")))
    assert not any("$" in text or "mathdefault" in text for text in texts)
    ticks = {text for text in texts if re.fullmatch(r"[\d,]+", text)}
    assert {"4", "5", "6"} <= ticks
    assert {"F1", "F2", "B1", "T_L [alpha]", "T_B [M/B]", "lower bounds"} <= set(texts)


def test_baselines_have_a_panel_of_their_own() -> None:
    ours = Series(label="frontier (F)", points=[("F1", cost(5, "2")), ("F2", cost(6))], joined=True)
    alone = frontier_figure("N", [ours], cost(5))
    assert len(alone.axes) == 1
    both = frontier_figure("N", [ours, Series(label="B", points=[("B1", cost(999))])], cost(5))
    near, far = both.axes
    assert near.get_xlim()[1] < 10 < 999 < far.get_xlim()[1]


def test_one_value_of_steps_has_no_fractions_around_it() -> None:
    ours = Series(label="frontier (F)", points=[("F1", cost(2, "11/12"))], joined=True)
    axes = frontier_figure("N = 12", [ours], cost(2, "11/12")).axes[0]
    axes.figure.draw_without_rendering()  # type: ignore[union-attr]
    assert [text.get_text() for text in axes.get_xticklabels()] == ["1", "2", "3"]


@given(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)), min_size=1, max_size=8))
@settings(max_examples=15, deadline=None)
def test_marks_do_not_overlap(points: list[tuple[int, int]]) -> None:
    with plot_style():
        figure, axes = blank("")
        axes.set_xlim(0, 7)
        axes.set_ylim(0, 7)
        marked = [
            MarkedPoint(mark=f"B{place}", x=x, y=y, colour=COLOURS[0])
            for place, (x, y) in enumerate(points)
        ]
        write_marks(axes, marked)
        assert all(apart(*pair) for pair in combinations(boxes(figure, 0), 2))
    written = [name for note in axes.texts for name in note.get_text().split(", ")]
    assert sorted(written) == sorted(one.mark for one in marked)


def test_the_free_box_is_chosen_over_the_near_one() -> None:
    inside = (0.0, 0.0, 10.0, 10.0)
    assert choose_box([(8, 8, 12, 9), (1, 1, 5, 2)], [], inside) == (1, 1, 5, 2)
    assert choose_box([(1, 1, 5, 2), (1, 4, 5, 5)], [(0, 0, 2, 2)], inside) == (1, 4, 5, 5)


def test_crossings_are_where_the_curves_meet() -> None:
    """5 and 6 steps of 10 us with T_B 2 and 1 at 1 byte a us meet at M = 10 bytes: not shown;
    at a bandwidth of 2**20 bytes in 10 us they meet at 1 MiB."""
    curves = [
        Curve(label="F1", costs=[cost(5, "2")]),
        Curve(label="F2", costs=[cost(6)]),
        Curve(label="B1", costs=[cost(500)], baseline=True),
    ]
    alpha, bandwidth = Fraction(1, 10**5), Fraction(2**20 * 10**5)
    figure = times_figure("t", curves, cost(5), alpha, bandwidth, [Fraction(2**20)])
    times, shares = figure.axes
    first, second = (line.get_ydata() for line in shares.lines[:2])
    sizes = np.asarray(shares.lines[0].get_xdata())
    assert ((np.asarray(first) < np.asarray(second)) == (sizes < 2**20 * (1 - 1e-9))).all()
    assert "1 MiB" in shown(figure)
    assert times.get_ylabel() == "time [us]"
    assert shares.get_ylim()[1] < 4  # the baseline, 100 times as slow, does not flatten the rest


def test_best_times_have_the_bound_as_a_dashed_grey_line() -> None:
    sizes = [Fraction(2**power) for power in range(12, 31, 2)]
    bound = [(size, size / 10**10) for size in sizes]
    curves = {"F1 a": [(size, 2 * spent) for size, spent in bound], "F2 b": bound[3:]}
    figure = best_times_figure("t", curves, bound)
    for axes, scale in zip(figure.axes, (1e6, None), strict=True):
        first, second, least = axes.lines
        assert [line.get_label() for line in axes.lines] == [*curves, "lower bound"]
        assert (least.get_color(), least.get_linestyle()) == (GREY, "--")
        assert len(np.asarray(second.get_xdata())) == len(bound) - 3
        ratio = np.asarray(first.get_ydata()) / np.asarray(least.get_ydata())
        assert np.allclose(ratio, 2)
        if scale is not None:
            expected = [scale * float(spent) for _, spent in bound]
            assert np.allclose(np.asarray(least.get_ydata()), expected)
    named = {"4 KiB", "64 KiB", "1 MiB", "16 MiB", "256 MiB"}
    assert named <= set(shown(figure))
    assert "1 GiB" not in shown(figure)  # every second size is named where there are many


def test_what_is_far_off_does_not_flatten_the_best() -> None:
    """The best is at most 1.05 times the bound, another candidate starts at three times."""
    curves = [Curve(label="F1", costs=[cost(5, "21/20")]), Curve(label="F2", costs=[cost(15)])]
    figure = times_figure("t", curves, cost(5), Fraction(1, 10**5), Fraction(10**10))
    low, high = figure.axes[1].get_ylim()
    assert low < 1
    assert 1.05 < high < 1.3


def test_families_beyond_the_colours_are_told_as_others() -> None:
    groups = {f"family {place}": [(place + 2.0, 1.0)] * (place + 1) for place in range(11)}
    panel = PlotPanel(
        title="t", up="time [us]", groups=groups, lines=[DashedLine(label="bound", points=[])]
    )
    figure = scatter_figure([panel], "N [hosts]")
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names[:2] == ["family 10 (11)", "family 9 (10)"]
    assert names[-2:] == ["others (10)", "bound"]
    assert len({line.get_color() for line in figure.axes[0].lines[:8]}) == 8


def test_the_same_family_has_the_same_colour_in_plots_side_by_side() -> None:
    order = ["a", "b", "c"]
    for groups in ({"b": [(1.0, 1.0)]}, {"c": [(1.0, 1.0)], "b": [(1.0, 2.0)]}):
        panel = PlotPanel(title="", up="", groups=groups)
        lines = scatter_figure([panel], "", order=order).axes[0].lines
        assert lines[0].get_color() == COLOURS[1]


def test_panels_share_colours_and_a_legend() -> None:
    first = PlotPanel(
        title="1 MiB", up="time [us]", groups={"a": [(1.0, 1.0)] * 3, "b": [(2.0, 1.0)]}
    )
    other = PlotPanel(
        title="100 MiB", up="time [us]", groups={"b": [(2.0, 9.0)], "c": [(3.0, 9.0)]}
    )
    figure = scatter_figure([first, other], "N [hosts]")
    assert [axes.get_title() for axes in figure.axes] == ["1 MiB", "100 MiB"]
    colours = [{line.get_label(): line.get_color() for line in axes.lines} for axes in figure.axes]
    assert colours[0]["b"] == colours[1]["b"]
    assert sorted(text.get_text() for text in figure.legends[0].get_texts()) == ["a", "b", "c"]


def test_every_size_has_a_point_in_a_plot() -> None:
    groups = {"a": [(float(n), 1.0) for n in range(5, 99)], "b": [(4.0, 2000.0)]}
    axes = scatter_figure([PlotPanel(title="t", up="us", groups=groups)], "N").axes[0]
    assert sum(len(np.asarray(line.get_xdata())) for line in axes.lines) == 95
    assert "2,000" in [text.get_text() for text in axes.get_yticklabels()]


def test_a_long_title_is_broken_into_lines() -> None:
    arcs = np.arange(5, dtype=np.int32)
    name = "F1 Cay(Z2^4:Z4[(0,1,1,0),(1,1,1,1),(0,1,0,1),(1,1,0,1)];2,5,12,63)"
    for n in (5, 64):
        figure = drawing_figure(name, graph(n, arcs, np.roll(arcs, 1)))
        title = figure.axes[0].get_title()
        assert title.replace("\n", "") == name
        assert max(map(len, title.split("\n"))) <= 44


def test_a_drawing_has_a_line_for_each_circuit() -> None:
    """Two circuits between 0 and 1, a one-way pair of arcs from 1 to 2, one back, a loop."""
    tail = np.array([0, 1, 0, 1, 1, 1, 2, 2], dtype=np.int32)
    head = np.array([1, 0, 1, 0, 2, 2, 1, 2], dtype=np.int32)
    patches = drawing_figure("t", graph(3, tail, head)).axes[0].patches
    drawn = [patch for patch in patches if isinstance(patch, FancyArrowPatch)]
    kinds = [type(patch.get_arrowstyle()).__name__ for patch in drawn]
    assert kinds == ["Curve", "Curve", "Curve", "CurveFilledB"]
    bends = [patch.get_connectionstyle().rad for patch in drawn]  # type: ignore[attr-defined]
    assert len(set(bends[:2])) == len(set(bends[2:])) == 2


def test_a_cut_is_filled_and_what_leaves_it_has_another_colour() -> None:
    """Hosts 0 and 1 are inside: of 1 to 2, 2 to 1 (one circuit), 3 to 0 and 0 to 1 one leaves."""
    tail, head = np.array([1, 2, 3, 0], dtype=np.int32), np.array([2, 1, 0, 1], dtype=np.int32)
    axes = drawing_figure("t", graph(4, tail, head), inside=(0, 1)).axes[0]
    colours = {patch.get_edgecolor()[:3] for patch in axes.patches}
    assert len(axes.patches) == 3
    assert len(colours) == 2
    wide = [patch.get_linewidth() for patch in axes.patches]
    assert sorted(wide) == [0.7, 0.7, 1.4]
    fills = [line.get_markerfacecolor() for line in axes.lines]
    assert fills[0] == fills[1] != fills[2] == fills[3]


def test_a_wiring_tells_what_its_cut_leaves_to_an_allgather() -> None:
    """Of a ring of four one-way links 3 shards leave over 1 arc: T_B is 3/4."""
    ends = np.arange(4, dtype=np.int32)
    ring = WiringDrawing(
        mark="F1", n=4, tail=ends, head=np.roll(ends, -1), inside=(0, 1, 2), exiting=1
    )
    assert ring.least_bandwidth == Fraction(3, 4)


def test_letters_of_families_are_spelled() -> None:
    assert kind_words("LDBi") == "LDBi: line graph, degree, two-way"
    for word in ("Diamond", "Cayley", "circulant", "H"):
        assert kind_words(word) == word
