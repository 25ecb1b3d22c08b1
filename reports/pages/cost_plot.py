"""T_L against T_B as an SVG for web pages: its marks lead to rows of tables and tell their values.

Upwards stands by how much T_B exceeds its bound, on a logarithmic axis, so that costs which differ
by a hundredth of a percent stand apart; what meets the bound stands on a line of its own. Colours
are those of the page, dark or light, and letters have 12 pixels or more where it is 360 wide.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from math import ceil, floor, log10

from expansions.cost import Cost
from reports.text import plain

WIDTH, HEIGHT = 360, 280
LEFT, RIGHT, TOP, BOTTOM = 62, 346, 34, 238
"""The edges of the plot; above it the values of a point are shown, below it its scale."""
AT_BOUND = 222
"""How far down those stand that meet the bound of T_B."""
ABOVE = 204
"""How far down the least of the others may stand."""
WIDE = 8
"""From this ratio of the most to the fewest steps on, T_L is logarithmic as well."""
MOST_TICKS = 6
LETTER, LINE = 7.6, 12.5
"""Width and height of a letter of a mark."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CostPoint:
    """A cost under a mark, such as "F1"; `words` tell its values, `row` the id of its table row."""

    mark: str
    cost: Cost
    words: str
    row: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CostSeries:
    """Points that look alike; those that are `joined` are a frontier."""

    label: str
    points: Sequence[CostPoint]
    joined: bool = False


def cost_plot(series: Sequence[CostSeries], bound: Cost, words: str) -> str:
    """The figure, with a legend below; `words` say what it shows to those who cannot see it."""
    drawn = [one for one in series if one.points]
    axes = _Axes.of([point.cost for one in drawn for point in one.points], bound)
    parts = [
        f'<svg class="costs" viewBox="0 0 {WIDTH} {HEIGHT}" role="group" '
        f'aria-label="{_safe(words)}">\n',
        *axes.lines(),
        *(_steps(one, place, axes) for place, one in enumerate(drawn) if one.joined),
        *_points(drawn, axes),
        "</svg>\n",
    ]
    keys = "".join(
        f'<li><svg viewBox="-6 -6 12 12" aria-hidden="true">{_symbol(place, 0, 0)}</svg> '
        f"{_safe(one.label)}</li>"
        for place, one in enumerate(drawn)
    )
    return "".join(parts) + f'<ul class="legend">{keys}</ul>\n'


@dataclass(frozen=True, slots=True, kw_only=True)
class _Axes:
    """Where costs stand; `least` and `most` are decades of T_B/T_B* - 1, None where all meet it."""

    bound: Cost
    fewest: int
    last: int
    least: int | None
    most: int

    @classmethod
    def of(cls, costs: Sequence[Cost], bound: Cost) -> "_Axes":
        steps = [bound.steps, *(cost.steps for cost in costs)]
        gaps = [log10(gap) for cost in costs if (gap := _gap(cost, bound)) > 0]
        least = floor(min(gaps)) if gaps else None
        most = max(ceil(max(gaps)), floor(min(gaps)) + 1) if gaps else 0
        return cls(bound=bound, fewest=min(steps), last=max(steps), least=least, most=most)

    def x(self, steps: float) -> float:
        low, high = LEFT + 12, RIGHT - 14
        if self.last == self.fewest:
            return (low + high) / 2
        if self.last >= WIDE * self.fewest:
            share = log10(steps / self.fewest) / log10(self.last / self.fewest)
        else:
            share = (steps - self.fewest) / (self.last - self.fewest)
        return low + share * (high - low)

    def y(self, cost: Cost) -> float:
        gap = _gap(cost, self.bound)
        return self.height(log10(gap)) if gap > 0 else AT_BOUND

    def height(self, decade: float) -> float:
        share = (decade - (self.least or 0)) / (self.most - (self.least or 0) or 1)
        return ABOVE - share * (ABOVE - TOP - 8)

    def lines(self) -> Iterator[str]:
        """Grid, ticks and names of both axes."""
        for y, name in self._up():
            yield f'<path class="grid" d="M{LEFT} {y:.1f}H{RIGHT}"/>'
            yield f'<text x="{LEFT - 5}" y="{y + 4:.1f}" text-anchor="end">{name}</text>\n'
        for steps in self._across():
            x = self.x(steps)
            yield f'<path class="grid" d="M{x:.1f} {TOP}V{BOTTOM}"/>'
            yield f'<text x="{x:.1f}" y="{BOTTOM + 15}" text-anchor="middle">{steps:,}</text>\n'
        least = self.x(self.bound.steps)
        yield f'<path class="bound" d="M{least:.1f} {TOP}V{BOTTOM}M{LEFT} {AT_BOUND}H{RIGHT}"/>\n'
        middle = (LEFT + RIGHT) / 2
        yield (
            f'<text x="{middle}" y="{HEIGHT - 9}" text-anchor="middle">T_L [alpha]; dashed: '
            "lower bounds</text>\n"
        )
        yield f'<text x="2" y="{TOP - 8}">T_B above its bound</text>\n'

    def _up(self) -> Iterator[tuple[float, str]]:
        yield AT_BOUND, "0 %"
        if self.least is not None:
            every = ceil((self.most - self.least) / MOST_TICKS)
            for decade in range(self.least, self.most + 1, every):
                yield self.height(decade), f"{100 * 10.0**decade:,.12g} %"

    def _across(self) -> Iterator[int]:
        if self.last >= WIDE * self.fewest:
            yield self.fewest
            ticks = [d * 10**p for p in range(len(str(self.last))) for d in (1, 2, 5)]
            yield from (tick for tick in ticks if 1.4 * self.fewest < tick <= self.last)
            return
        every = ceil((self.last - self.fewest + 1) / (MOST_TICKS + 1))
        yield from range(self.fewest, self.last + 1, every)


def _gap(cost: Cost, bound: Cost) -> Fraction:
    return cost.bandwidth / bound.bandwidth - 1 if bound.bandwidth else Fraction()


def _steps(one: CostSeries, place: int, axes: _Axes) -> str:
    points = [(axes.x(point.cost.steps), axes.y(point.cost)) for point in one.points]
    (x, y), rest = points[0], points[1:]
    path = f"M{x:.1f} {y:.1f}" + "".join(f"H{x:.1f}V{y:.1f}" for x, y in rest)
    return f'<path class="step s{place}" d="{path}"/>\n'


def _points(drawn: Sequence[CostSeries], axes: _Axes) -> Iterator[str]:
    """The symbols with their marks, each where it hides least; those in one place share a mark."""
    from reports.plots.marks import choose_box

    placed: dict[tuple[int, float, float], list[CostPoint]] = {}
    for place, one in enumerate(drawn):
        for point in one.points:
            key = place, axes.x(point.cost.steps), axes.y(point.cost)
            placed.setdefault(key, []).append(point)
    taken = [(x - 4, y - 4, x + 4, y + 4) for _, x, y in placed]
    for (place, x, y), some in placed.items():
        mark = ", ".join(point.mark for point in some)
        box = choose_box(_beside(x, y, mark), taken, (LEFT, TOP, RIGHT, BOTTOM))
        taken.append(box)
        told = _safe("; ".join(point.words for point in some))
        tip = _safe(some[0].words if len(some) == 1 else f"{mark}: the same cost")
        yield (
            f'<a href="#{_safe(some[0].row)}" aria-label="{told}" class="p{place}">'
            f"<title>{told}</title>{_symbol(place, x, y)}"
            f'<text x="{box[0]:.1f}" y="{box[3] - 3:.1f}">{_safe(mark)}</text>'
            f'<text class="tip" x="2" y="12">{tip}</text></a>\n'
        )


def _beside(x: float, y: float, mark: str) -> Iterator[tuple[float, float, float, float]]:
    width = LETTER * len(mark)
    for gap in (6, 14, 22):
        for left in (x + gap, x - gap - width, x - width / 2):
            for top in (y - gap - LINE, y + gap, y - LINE / 2):
                if left != x - width / 2 or top != y - LINE / 2:
                    yield left, top, left + width, top + LINE


def _symbol(place: int, x: float, y: float) -> str:
    shapes = (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5"/>',
        f'<path d="M{x - 4:.1f} {y - 4:.1f}h8v8h-8z"/>',
        f'<path d="M{x:.1f} {y - 5:.1f}l5 9h-10z"/>',
        f'<path d="M{x:.1f} {y - 5:.1f}l5 5l-5 5l-5 -5z"/>',
    )
    return f'<g class="symbol s{place}">{shapes[place % len(shapes)]}</g>'


def _safe(text: str) -> str:
    return escape(plain(text), quote=True)
