"""Graphs of others on the frontier of their size: the recipe that holds all their arcs, and a cost.

A graph that no family or expansion has is a graft of a ring with as many ports: the switches say
where every arc leads. So it is parsed, built, costed and scheduled like all others, with the hosts
as its file numbers them. A two-way graph with one port left free is the splitting off of such a
graft of one node more.
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

    Raises InvalidInput, in a line, for graphs that are not regular, but for one port left free of
    duplex links, that are not strongly connected, have self-loops, switches or unequal links; for
    one-way graphs where `links` are duplex; and where the text would be longer than recipes may be.

    >>> from generators.families.circulant import circulant
    >>> str(recipe_of_graph(circulant(5, (1, 2)), LinkMode.DUPLEX))
    'BiGraft(BiRing(4,5);~0.6.10.2.18)'
    >>> from expansions.splitting_off import split_off
    >>> str(recipe_of_graph(split_off(circulant(6, (1, 3)), 0), LinkMode.DUPLEX))
    'SplitOff(BiGraft(Match(BiRing(2,6));~4.14),0)'
    """
    from expansions.tokens import LONGEST_SWITCHES

    two_way = topology.is_bidirectional
    if links is LinkMode.DUPLEX and not two_way:
        raise InvalidInput("links: the graph is not two-way, as duplex links are")
    _require_plain(topology, links)
    found = (_graft_of_ring if topology.is_regular else _split_off_graft)(topology)
    if len(str(found)) > LONGEST_SWITCHES:
        raise InvalidInput(
            f"arcs: {topology.arcs} of {topology.n} hosts take {len(str(found))} characters as a "
            f"recipe, of which at most {LONGEST_SWITCHES} are read"
        )
    return found


def _require_plain(topology: Topology, links: LinkMode) -> None:
    """Refuse what is no wiring of alike hosts by alike links, of duplex ones but for one port."""
    from expansions.arc_order import require_equal_links
    from generators.connectivity import unreachable_pair

    require_equal_links(topology)
    if topology.has_loops:
        raise InvalidInput("arcs: a self-loop joins no hosts")
    if not topology.is_regular:
        _require_one_free_port(topology, links)
    pair = unreachable_pair(topology)
    if pair is not None:
        raise InvalidInput(f"not strongly connected: node {pair[0]} cannot reach node {pair[1]}")


def _require_one_free_port(topology: Topology, links: LinkMode) -> None:
    """Refuse graphs of unequal hosts, unless one alone has a port left, where circuits take two."""
    if links is not LinkMode.DUPLEX:
        raise InvalidInput("arcs: hosts have unequal numbers of links, in or out")
    free = topology.n * topology.degree - topology.arcs
    if free > 1:
        short = int((topology.out_degrees < topology.degree).sum())
        raise InvalidInput(
            f"arcs: {free} of {topology.degree} ports a host are left free, at {short} hosts; one "
            "may be, where hosts and ports are odd in number"
        )


def _graft_of_ring(topology: Topology) -> Recipe:
    """The recipe of a regular graph."""
    from expansions.graft import graft_of_arcs
    from expansions.parser import parse

    two_way = topology.is_bidirectional
    base = parse(_ring(topology.n, topology.degree, two_way))
    return graft_of_arcs("BiGraft" if two_way else "Graft", base, (), (), topology)


def _split_off_graft(topology: Topology) -> Recipe:
    """The recipe of a two-way graph with one port left free."""
    from expansions.canonical import expand
    from expansions.splitting_off import pinch
    from expansions.tokens import LARGEST_INT

    larger, pairing = pinch(topology)
    if pairing > LARGEST_INT:
        raise InvalidInput(
            f"arcs: of a host with {topology.degree} ports the recipe has a number above "
            f"{LARGEST_INT}, the greatest that is read"
        )
    return expand("SplitOff", (_graft_of_ring(larger),), (pairing,))


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
