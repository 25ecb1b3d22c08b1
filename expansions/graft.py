"""Grafts: a regular graph of nearly the right size, edited by hand-countable changes.

`Graft(G;-17.5,+3.88,~4.97)` removes nodes, inserts nodes and switches arcs, in this order:

- `-v.p` removes node v and joins the arcs into it to those out of it by permutation number p
  (`expansions.graft_ranks`). Nodes have their numbers in G, and go from the greatest down; in the
  end the nodes after them move down.
- `+a.b` puts a new last node on the d arcs with these numbers: each is cut, and led over the node.
- `~a.b.c` turns the heads of arcs round: a takes the head of b, b that of c, c that of a.

Arcs are numbered by tail, then head, as they are before a step. `BiGraft` edits circuits of a
two-way graph, numbered by their lower, then their higher end: `-v.p` joins the neighbours by
matching number p, `+a.b` cuts d/2 circuits, and `~` takes along the arcs that return. Where d is
odd, nodes come and go in pairs: `-u.v.p` with u > v, and two new nodes on d circuits.

No theorem tells what a graft costs: the graph is evaluated. The same graph from the same removals
and insertions has one canonical recipe, found by rebuilding it: that is what is kept.
"""

from functools import lru_cache, partial

import numpy as np

from expansions.arc_order import require_equal_links
from expansions.build import build
from expansions.graft_edits import (
    SHIFT,
    EditedGraph,
    Edits,
    heads,
    require_counts,
    switch_cycles,
    tails,
)
from expansions.properties import properties
from expansions.recipe import EditList, Graft, Recipe
from expansions.register import Expansion, register_expansion
from expansions.size import Size, size
from generators.connectivity import unreachable_pair
from generators.errors import InvalidInput
from generators.registry import GraphProperties, require
from generators.topology import Int64Array, Topology

MOST_NODES = 1 << 13
MOST_ARCS = 1 << 17
"""Of the graph inside: it is built whenever a graft is read."""

ONE_WAY, TWO_WAY = "Graft", "BiGraft"


def edit_graph(topology: Topology, *edits: EditList, duplex: bool = False) -> Topology:
    """The graph after removals, insertions and switches; arcs by tail, then head.

    Raises InvalidInput for graphs that are not regular, have loops or unequal links (or, with
    `duplex`, are not two-way), for impossible edits, and where the result is not strongly
    connected.

    >>> from generators.families.complete import complete
    >>> edit_graph(complete(4), ((3, 3),)).head.tolist()
    [1, 1, 2, 0, 2, 2, 0, 0, 1]
    """
    return _apply(topology, Edits(*edits), duplex)[0]


def graft(symbol: str, inner: Recipe, *edits: EditList) -> Recipe:
    """The canonical recipe of these edits. Raises InvalidInput as `edit_graph`.

    >>> from expansions.base_graphs import base_graph
    >>> str(graft("Graft", base_graph("K", (4,)), ((3, 3),), (), ()))
    'Graft(K(4);-3.3)'
    """
    recipe = Graft(symbol, inner, *edits)
    size(recipe)
    _require_fit(recipe)
    kept = _canonical_edits(recipe)
    require(any(kept), f"{recipe.symbol}: the edits change nothing")
    return Graft(symbol, inner, *kept)


def graft_of_arcs(
    symbol: str, inner: Recipe, removals: EditList, insertions: EditList, result: Topology
) -> Recipe:
    """The graft of `inner` whose graph has the arcs of `result`: removals and insertions, and then
    the switches that the arcs still take.

    Where nothing is left to edit it is `inner` itself. Raises InvalidInput for a result of other
    nodes or degrees than these edits leave.

    >>> from expansions.parser import parse
    >>> grown = build(parse("Graft(K(5);-4.7,~0.10)"))
    >>> str(graft_of_arcs("Graft", parse("K(5)"), ((4, 7),), (), grown))
    'Graft(K(5);-4.7,~0.10)'
    """
    duplex = symbol == TWO_WAY
    edited, before = _edit_nodes(build(inner), Edits(removals, insertions), duplex)
    after = links_of(result, duplex=duplex)
    fits = edited.n == result.n and all(
        np.array_equal(np.sort(end(edited.arcs())), np.sort(end(links_of(result, duplex=False))))
        for end in (tails, heads)
    )
    require(fits, "result: has other nodes or degrees than removals and insertions leave")
    cycles = switch_cycles(edited.links, after, duplex=duplex)
    kept = Edits(before.removals, before.insertions, cycles)
    return graft(symbol, inner, *kept) if any(kept) else inner


def links_of(topology: Topology, *, duplex: bool) -> Int64Array:
    """The arcs of a graph as `graft_edits` holds them; with `duplex` each circuit once."""
    keys = np.sort((topology.tail.astype(np.int64) << SHIFT) | topology.head)
    return keys[tails(keys) < heads(keys)] if duplex else keys


def _edit_nodes(topology: Topology, edits: Edits, duplex: bool) -> tuple[EditedGraph, Edits]:
    """The graph after removals and insertions, and these in canonical form."""
    _require_editable(topology, duplex)
    require_counts(edits, topology.degree, duplex=duplex)
    links = links_of(topology, duplex=duplex)
    edited = EditedGraph(topology.n, topology.degree, links, duplex=duplex)
    removals = tuple(map(edited.remove, edits.removals))
    return edited, Edits(removals, tuple(map(edited.insert, edits.insertions)))


def _apply(topology: Topology, edits: Edits, duplex: bool) -> tuple[Topology, Edits]:
    edited, kept = _edit_nodes(topology, edits, duplex)
    cycles = edited.switch(edits.switches)
    arcs = edited.arcs()
    made = Topology.from_arcs(edited.n, np.stack([tails(arcs), heads(arcs)], axis=1))
    pair = unreachable_pair(made)
    if pair is not None:
        raise InvalidInput(f"not strongly connected: node {pair[0]} cannot reach node {pair[1]}")
    return made, kept._replace(switches=cycles)


def _require_editable(topology: Topology, duplex: bool) -> None:
    require_equal_links(topology)
    require(topology.is_regular, "a graft takes a graph of nodes of equal degree")
    require(not topology.has_loops, "a graft takes a graph without self-loops")
    require(topology.is_bidirectional or not duplex, f"{TWO_WAY} takes a two-way graph")


def _size(duplex: bool, inner: Size, *edits: EditList) -> Size:
    require(
        inner.n <= MOST_NODES and inner.n * inner.d <= MOST_ARCS,
        f"grafts: of at most {MOST_NODES} nodes and {MOST_ARCS} arcs, not {inner.n} nodes and "
        f"{inner.n * inner.d} arcs",
    )
    changes = Edits(*edits)
    require_counts(changes, inner.d, duplex=duplex)
    step = 2 if duplex and inner.d % 2 else 1
    n = inner.n + step * (len(changes.insertions) - len(changes.removals))
    fewest = inner.n - step * len(changes.removals)
    require(fewest >= 2, f"removals: leave {max(fewest, 0)} nodes; at least 2 are needed")
    return Size(n, inner.d)


@lru_cache(maxsize=1 << 10)
def _canonical_edits(recipe: Graft) -> Edits:
    return _apply(build(recipe.inner), Edits(*recipe.numbers), recipe.symbol == TWO_WAY)[1]


def _properties(duplex: bool, inner: Recipe, *edits: EditList) -> GraphProperties:
    """Regular always; the rest is seen on the graph, which is light."""
    graph = edit_graph(build(inner), *edits, duplex=duplex)
    return GraphProperties(
        regular=True,
        bidirectional=duplex or graph.is_bidirectional,
        simple=graph.is_simple,
        loop_free=True,
    )


def _require_fit(recipe: Graft, *graphs: Topology) -> None:
    """Refuse what is known of the graph inside; graphs are looked at when they are edited."""
    if graphs:
        return
    inner = properties(recipe.inner)
    require(inner.regular is not False, f"{recipe}: the graph inside has nodes of unequal degree")
    require(inner.loop_free is not False, f"{recipe}: the graph inside has self-loops")


for _symbol, _title in ((ONE_WAY, "graft"), (TWO_WAY, "two-way graft")):
    _duplex = _symbol == TWO_WAY
    register_expansion(
        Expansion(
            symbol=_symbol,
            title=_title,
            signature=f"{_symbol}(G;-v.p,+a.b,~a.b)",
            numbers=("removals", "insertions", "switches"),
            size=partial(_size, _duplex),
            build=partial(edit_graph, duplex=_duplex),
            properties=partial(_properties, _duplex),
            edits=True,
            require=_require_fit,
            make=partial(graft, _symbol),
            place=20,
        )
    )
