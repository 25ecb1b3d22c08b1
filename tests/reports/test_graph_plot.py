"""A graph as an SVG that is written at once: read back, it has the arcs of the graph, no others."""

import re
from base64 import b64decode
from collections import Counter
from zlib import crc32, decompress

import numpy as np
import pytest

import topofinder as tf
from reports.pages.graph_plot import graph_plot
from topofinder.api.shared.drawings import graph_shape

PLACE = r"(-?[\d.]+) (-?[\d.]+)"


def plot_of(recipe: str, name: str = "F1") -> str:
    return graph_plot(graph_shape(tf.build(recipe).topology), f"The graph <{recipe}>", name)


def arcs_of(recipe: str) -> Counter[tuple[int, int]]:
    graph = tf.build(recipe).topology
    arcs = Counter(zip(graph.tail.tolist(), graph.head.tolist(), strict=True))
    return Counter({(u, v): count for (u, v), count in arcs.items() if u != v})


def drawn_arcs(svg: str) -> Counter[tuple[int, int]]:
    """The arcs of a circle, each end at the host that is nearest to it."""
    hosts = np.array(re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', svg), dtype=float)

    def host(x: str, y: str) -> int:
        return int(np.argmin(np.hypot(*(hosts - (float(x), float(y))).T)))

    found: Counter[tuple[int, int]] = Counter()
    for head, text in re.findall(r'stroke-width=".8"( marker-end="[^"]*")? d="([^"]*)"', svg):
        lines = re.findall(rf"M{PLACE}(?:L|Q{PLACE} ){PLACE}", text)
        assert len(lines) == text.count("M")
        for x, y, _, _, to_x, to_y in lines:
            u, v = host(x, y), host(to_x, to_y)
            found[u, v] += 1
            if not head:
                found[v, u] += 1
    return found


@pytest.mark.parametrize(
    "recipe",
    ["Torus(4,4)", "Small(4,16)", "UniRing(1,4)||2", "Diamond", "L(K(2,2))", "C(40,{1,7})"],
)
def test_a_circle_has_the_arcs_of_its_graph(recipe: str) -> None:
    svg = plot_of(recipe)
    assert drawn_arcs(svg) == arcs_of(recipe)
    named = re.findall(r"<text [^>]*>(\d+)</text>", svg)
    n = tf.build(recipe).topology.n
    assert named == ([str(host) for host in range(n)] if n <= 29 else [])
    curves = re.findall(r"M[^MLzQ]*Q[^M\"]*", svg)
    assert len(set(curves)) == len(curves), "parallel arcs stand apart"


def pixels(png: bytes) -> np.ndarray:
    """The cells that are black; each part of the file agrees with its sum."""
    parts, at = {}, 8
    while at < len(png):
        length = int.from_bytes(png[at : at + 4], "big")
        kind, body = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        assert int.from_bytes(png[at + 8 + length : at + 12 + length], "big") == crc32(kind + body)
        parts[kind], at = body, at + 12 + length
    width, height = (int.from_bytes(parts[b"IHDR"][4 * k : 4 * k + 4], "big") for k in (0, 1))
    assert list(parts) == [b"IHDR", b"IDAT", b"IEND"]
    rows = decompress(parts[b"IDAT"])
    line = 1 + (width + 7) // 8
    black = np.zeros((height, width), dtype=bool)
    for row in range(height):
        assert rows[row * line] == 0
        for column in range(width):
            bit = rows[row * line + 1 + column // 8] >> (7 - column % 8) & 1
            black[row, column] = not bit
    return black


@pytest.mark.parametrize("recipe", ["C(60,{1,7})", "Torus(8,6)", "L^3(C(16,{3,4}))"])
def test_a_matrix_has_a_cell_for_each_arc(recipe: str) -> None:
    graph = tf.build(recipe).topology
    black = pixels(b64decode(re.findall(r'base64,([^"]*)"', plot_of(recipe))[0]))
    rows, cells = graph_shape(graph).rows, min(graph.n, 512)
    wanted = np.zeros((cells, cells), dtype=bool)
    for u, v in zip(graph.tail.tolist(), graph.head.tolist(), strict=True):
        wanted[rows[u] * cells // graph.n, rows[v] * cells // graph.n] = True
    assert np.array_equal(black, wanted)


def test_pictures_are_labelled_and_their_ids_their_own() -> None:
    first, second = plot_of("Small(4,16)"), plot_of("Small(4,16)", "F2")
    assert 'role="img" aria-label="The graph &lt;Small(4,16)&gt;"' in first
    assert re.findall(r'id="([^"]*)"', first + second) == ["F1-head", "F2-head"]
    assert plot_of("Small(4,16)") == first
