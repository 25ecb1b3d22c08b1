"""Graphs of others on the frontier of their size: the recipe that holds all their arcs, and a cost.

A graph that no family or expansion has is a graft of a ring with as many ports: the switches say
where every arc leads. So it is parsed, built, costed and scheduled like all others, with the hosts
as its file numbers them.
"""

from collections.abc import Iterable

from db.named_graphs import GraphOfOthers
from db.rows import SizeRow
from expansions.recipe import Recipe
from generators.errors import InvalidInput
from generators.topology import Topology
from topofinder.api.shared.candidate_rows import candidate_of, size_row
from topofinder.model.candidate import LinkMode
from topofinder.model.frontier import useful_candidates


def recipe_of_graph(topology: Topology, links: LinkMode) -> Recipe:
    """A recipe with exactly these arcs between the same hosts: a graft of a ring.

    Raises InvalidInput, in a line, for graphs that are not regular, not strongly connected, have
    self-loops, switches or unequal links; for one-way graphs where `links` are duplex; and where
    the text would be longer than recipes may be.

    >>> from generators.families.circulant import circulant
    >>> str(recipe_of_graph(circulant(5, (1, 2)), LinkMode.DUPLEX))
    'BiGraft(BiRing(4,5);~0.6.10.2.18)'
    """
    from expansions.graft import graft_of_arcs
    from expansions.parser import parse
    from expansions.tokens import LONGEST_SWITCHES

    two_way = topology.is_bidirectional
    if links is LinkMode.DUPLEX and not two_way:
        raise InvalidInput("links: the graph is not two-way, as duplex links are")
    _require_plain(topology)
    base = parse(_ring(topology.n, topology.degree, two_way))
    found = graft_of_arcs("BiGraft" if two_way else "Graft", base, (), (), topology)
    if len(str(found)) > LONGEST_SWITCHES:
        raise InvalidInput(
            f"arcs: {topology.arcs} of {topology.n} hosts take {len(str(found))} characters as a "
            f"recipe, of which at most {LONGEST_SWITCHES} are read"
        )
    return found


def _require_plain(topology: Topology) -> None:
    """Refuse what is no wiring of alike hosts by alike links."""
    from expansions.arc_order import require_equal_links
    from generators.connectivity import unreachable_pair

    require_equal_links(topology)
    if topology.has_loops:
        raise InvalidInput("arcs: a self-loop joins no hosts")
    if not topology.is_regular:
        raise InvalidInput("arcs: hosts have unequal numbers of links, in or out")
    pair = unreachable_pair(topology)
    if pair is not None:
        raise InvalidInput(f"not strongly connected: node {pair[0]} cannot reach node {pair[1]}")


def _ring(n: int, d: int, two_way: bool) -> str:
    """A graph of every size to switch arcs of: a ring with parallel links, and a matching.

    >>> _ring(6, 3, True), _ring(6, 3, False)
    ('Match(BiRing(2,6))', 'UniRing(3,6)')
    """
    if not two_way or n == 2:
        return f"UniRing({d},{n})"
    return f"Match(BiRing({d - 1},{n}))" if d % 2 else f"BiRing({d},{n})"


def join_graphs(found: SizeRow, graphs: Iterable[GraphOfOthers]) -> SizeRow:
    """The size with these graphs among its candidates, costed by evaluation.

    Those that are not better than the rest are left out. Raises TopofinderError for recipes that
    cannot be read or evaluated.
    """
    from expansions.parser import parse
    from topofinder.finder.base_candidates import evaluate_recipe

    head, offered = found.frontier, sorted(graphs, key=lambda one: one.name)
    own = [candidate_of(row) for row in found.pool or ()]
    costed = [evaluate_recipe(parse(one.recipe)) for one in offered]
    return size_row(
        *(head.n, head.d, LinkMode(head.links)),
        useful_candidates([*own, *costed]),
        head.effort,
        [*head.graphs, *offered],
    )
