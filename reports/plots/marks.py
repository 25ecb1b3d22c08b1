"""Short marks beside points, each where it hides neither a point nor another mark."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes

SIZE = 7.0
"""Points (1/72 inch): the height of a mark's letters."""
WIDE = 0.64
"""Width of a letter over that height; digits and capitals of DejaVu Sans are no wider."""
POINT = 4.0
"""Half the side of the square that a point covers."""

Box = tuple[float, float, float, float]
"""Left, bottom, right and top, in points."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedPoint:
    """A point of a plot in the units of its axes, and its mark."""

    mark: str
    x: float
    y: float
    colour: str


def write_marks(axes: Axes, points: Sequence[MarkedPoint]) -> None:
    """Write all marks; points of one colour in one place share theirs, as "B8, B9".

    Call it last: places are those of the finished layout.
    """
    figure = axes.get_figure(root=True)
    if figure is None or not points:
        return
    figure.draw_without_rendering()
    scale = 72 / figure.dpi
    left, bottom, right, top = (scale * end for end in axes.bbox.extents)
    shared = list(_merge_labels(points))
    places = [tuple(scale * axes.transData.transform((one.x, one.y))) for one in shared]
    taken = [(x - POINT, y - POINT, x + POINT, y + POINT) for x, y in places]
    for one, (x, y) in zip(shared, places, strict=True):
        box = choose_box(_beside(x, y, one.mark), taken, (left, bottom, right, top))
        taken.append(box)
        axes.annotate(
            one.mark,
            (one.x, one.y),
            xytext=(box[0] - x, box[1] - y),
            textcoords="offset points",
            fontsize=SIZE,
            color=one.colour,
            annotation_clip=False,
        )


def choose_box(offered: Iterable[Box], taken: Sequence[Box], inside: Box) -> Box:
    """The first box that covers the least of what is taken and does not leave `inside`.

    >>> choose_box([(0, 0, 2, 2), (3, 0, 5, 2)], [(1, 1, 2, 2)], (0, 0, 9, 9))
    (3, 0, 5, 2)
    """

    def cost(box: Box) -> float:
        area = (box[2] - box[0]) * (box[3] - box[1])
        return sum(_common(box, other) for other in taken) + 2 * (area - _common(box, inside))

    return min(offered, key=cost)


def _merge_labels(points: Sequence[MarkedPoint]) -> Iterator[MarkedPoint]:
    named: dict[tuple[float, float, str], list[str]] = {}
    for one in points:
        named.setdefault((one.x, one.y, one.colour), []).append(one.mark)
    for (x, y, colour), marks in named.items():
        yield MarkedPoint(mark=", ".join(marks), x=x, y=y, colour=colour)


def _beside(x: float, y: float, mark: str) -> Iterator[Box]:
    """Boxes around a point, the nearest first; in each ring the upper right one is preferred."""
    width, height = WIDE * SIZE * len(mark), SIZE
    for gap in (POINT, 2.5 * POINT, 4 * POINT):
        lefts = (x + gap, x - gap - width, x - width / 2)
        bottoms = (y + gap, y - gap - height, y - height / 2)
        for across, up in ((0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1), (0, 2), (1, 2)):
            left, bottom = lefts[across], bottoms[up]
            yield left, bottom, left + width, bottom + height


def _common(one: Box, other: Box) -> float:
    """The area that two boxes share."""
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    return max(width, 0) * max(height, 0)
