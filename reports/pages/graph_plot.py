"""A graph as an SVG for web pages, written at once: hosts on a circle, or the matrix as a bitmap.

It shows what `reports.plots.drawing` draws, in a hundredth of the time and a third of the letters,
for the many pages of an atlas. Letters have 12 pixels or more where it is 560 wide.
"""

from base64 import b64encode
from collections.abc import Iterator
from html import escape
from struct import pack
from zlib import compress, crc32

import numpy as np

from generators.topology import BoolArray
from reports.plots.figure import COLOURS, GREY
from reports.plots.graphs import CELLS, NUMBERED, RULED, SWITCH_FILL, GraphShape, lines_between
from reports.size_report import CIRCLE
from reports.text import plain

SIDE, RADIUS = 360, 160
"""Units of the picture, and of its circle."""
EDGE, WHOLE = 30, 320
"""Where the matrix begins, and how long its sides are."""
LETTERS = 8.4


def graph_plot(shape: GraphShape, words: str, name: str) -> str:
    """The element; `words` say what it shows, `name` makes its ids its own."""
    drawn = _matrix(shape) if shape.n > CIRCLE else _circle(shape, name)
    label = escape(plain(words), quote=True)
    return (
        f'<svg viewBox="0 0 {SIDE} {SIDE}" role="img" aria-label="{label}" '
        f'font-size="{LETTERS}" text-anchor="middle">{"".join(drawn)}</svg>'
    )


def _circle(shape: GraphShape, name: str) -> Iterator[str]:
    """Circuits as one path, one-way arcs as another with heads, then the hosts."""
    places = SIDE / 2 + RADIUS * shape.places * (1, -1)
    dot = max(2.0, min(8.0, 230 / shape.n))
    paths: dict[bool, list[str]] = {True: [], False: []}
    for line in lines_between(shape.tail.tolist(), shape.head.tolist()):
        along = places[line.v] - places[line.u]
        length = float(np.hypot(*along))
        start, end = (places[line.u] + dot * along / length, places[line.v] - dot * along / length)
        middle = (start + end) / 2 - line.bend * np.array([along[1], -along[0]])
        curve = f"Q{_place(middle)} {_place(end)}" if line.bend else f"L{_place(end)}"
        paths[line.two_way].append(f"M{_place(start)}{curve}")
    ink = f'fill="none" stroke="{COLOURS[0]}" stroke-width=".8"'
    if paths[True]:
        yield f'<path {ink} d="{"".join(paths[True])}"/>'
    if paths[False]:
        yield (
            f'<marker id="{name}-head" viewBox="0 0 6 6" refX="6" refY="3" markerWidth="7" '
            f'markerHeight="7" orient="auto"><path fill="{COLOURS[0]}" d="M0 0L6 3L0 6z"/></marker>'
        )
        mark = f'marker-end="url(#{name}-head)"'
        yield from (f'<path {ink} {mark} d="{path}"/>' for path in paths[False])
    switches = frozenset(shape.switches)
    yield '<g stroke="#333">'
    for node, (x, y) in enumerate(places.tolist()):
        fill = SWITCH_FILL if node in switches else "#fff"
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{dot:.1f}" fill="{fill}"/>'
    yield "</g>"
    if shape.n <= NUMBERED:
        for node, (x, y) in enumerate(places.tolist()):
            yield f'<text x="{x:.1f}" y="{y + 3:.1f}">{node}</text>'


def _place(point: np.ndarray) -> str:
    x, y = point.tolist()
    return f"{x:.1f} {y:.1f}"


def _matrix(shape: GraphShape) -> Iterator[str]:
    """The bitmap in its frame; a mark in row u and column v is an arc from u to v."""
    cells = min(shape.n, CELLS)
    marked: BoolArray = np.zeros((cells, cells), dtype=bool)
    row = shape.rows
    marked[row[shape.tail] * cells // shape.n, row[shape.head] * cells // shape.n] = True
    coded = b64encode(bitmap(marked)).decode()
    yield (
        f'<image x="{EDGE}" y="{EDGE}" width="{WHOLE}" height="{WHOLE}" '
        f'style="image-rendering:pixelated" href="data:image/png;base64,{coded}"/>'
    )
    if shape.block is not None and 1 < shape.n // shape.block <= RULED:
        at = [EDGE + WHOLE * k / shape.n for k in range(shape.block, shape.n, shape.block)]
        lines = "".join(f"M{k:.1f} {EDGE}v{WHOLE}M{EDGE} {k:.1f}h{WHOLE}" for k in at)
        yield f'<path stroke="{GREY}" stroke-width=".4" d="{lines}"/>'
    yield f'<path fill="none" stroke="#333" d="M{EDGE} {EDGE}h{WHOLE}v{WHOLE}h-{WHOLE}z"/>'
    by = "" if shape.blocks is None else ", by orbit of a symmetry"
    middle = EDGE + WHOLE / 2
    yield f'<text x="{middle}" y="18">to host{by}</text>'
    yield f'<text x="18" y="{middle}" transform="rotate(-90 18 {middle})">from host{by}</text>'
    if not by:
        ends = ((EDGE + 3, 0), (EDGE + WHOLE - 8, shape.n - 1))
        yield from (f'<text x="{at}" y="27">{host}</text>' for at, host in ends)


def bitmap(marked: BoolArray) -> bytes:
    """A PNG of one bit a cell, black where it is marked.

    >>> bitmap(np.eye(3, dtype=bool))[:8]
    b'\\x89PNG\\r\\n\\x1a\\n'
    """
    height, width = marked.shape
    packed = np.packbits(~marked, axis=1)
    rows = np.hstack([np.zeros((height, 1), dtype=np.uint8), packed]).tobytes()
    head = pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", compress(rows, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        pack(">I", len(body)) + kind + body + pack(">I", crc32(kind + body)) for kind, body in parts
    )
