"""Which of the digraphs that were found ship: what nothing else beats, computed anew.

Of one size and link mode a digraph is kept if its allgather, or its allreduce, is beaten neither by
another digraph of the size nor by what a search reaches without any of them. Its loads, forth and
back, come from the evaluation of the graph that its recipe builds.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import groupby
from math import lcm
from typing import Any, NamedTuple

from expansions.build import build
from expansions.cost import Cost
from expansions.parser import parse
from expansions.recipe import Base
from generators.cayley.catalogue import ShippedDigraph, all_digraphs
from generators.cayley.notation import parse_group
from topofinder.finder.base_scope import Scope
from topofinder.finder.enumeration import Pools
from topofinder.model.candidate import LinkMode
from topofinder.schedules.bfb.evaluation import Evaluation, evaluate

SEED = 1


class OfferedDigraph(NamedTuple):
    """A digraph as a line of the state file tells it."""

    forth: Cost
    back: Cost
    group: str
    generators: tuple[int, ...]
    trials: int

    @property
    def allreduce(self) -> Cost:
        """Reduce-scatter, then allgather."""
        return self.forth + self.back

    def needless(self, forth: Cost, allreduce: Cost) -> bool:
        """Whether something with these costs leaves this digraph no use."""
        return forth.weakly_beats(self.forth) and allreduce.weakly_beats(self.allreduce)


def collect_catalogue(rows: list[dict[str, Any]], keys: set[str]) -> list[ShippedDigraph]:
    """The catalogue, by degree, size and cost, from the lines of a state file with such keys."""
    cayley = (Base("Cay", one.arguments) for one in all_digraphs())
    pools = Pools(scope=Scope(without=frozenset(cayley)))
    chosen: dict[str, ShippedDigraph] = {}
    ordered = sorted((row for row in rows if row["key"] in keys), key=_size)
    for (d, n, links), of_size in groupby(ordered, key=_size):
        offered = sorted({one for row in of_size for one in _offered_digraphs(row)}, key=_rank)
        for one in _useful(offered, pools, n, d, LinkMode(links)):
            shipped = prove_digraph(one)
            chosen.setdefault(f"{shipped.group};{shipped.generators}", shipped)
    return sorted(chosen.values(), key=catalogue_place)


def _useful(
    offered: list[OfferedDigraph], pools: Pools, n: int, d: int, links: LinkMode
) -> Iterator[OfferedDigraph]:
    known = [(c.allgather, c.allreduce) for c in pools.pool(n, d, links)]
    for one in offered:
        if not any(one.needless(*costs) for costs in known):
            known.append((one.forth, one.allreduce))
            yield one


def prove_digraph(one: OfferedDigraph) -> ShippedDigraph:
    """The line of a digraph, from the evaluation of its graph; ValueError if costs differ."""
    group = parse_group(one.group)
    graph = build(parse(f"Cay({one.group};{','.join(map(str, one.generators))})"))
    forth, back = evaluate(graph), evaluate(graph.transpose())
    if (forth.cost, back.cost) != (one.forth, one.back):
        raise ValueError(f"{one}: evaluation gives {forth.cost}, {back.cost}")
    kind = "2" * graph.is_bidirectional + "a" * group.is_abelian
    return ShippedDigraph(
        n=graph.n,
        group=str(group),
        generators=one.generators,
        forth=_loads(forth),
        back=_loads(back),
        line_exact=min(forth.line_exact, back.line_exact),
        cycle=forth.cycle,
        kind=kind or "-",
        seed=SEED,
        trials=one.trials,
    )


def _loads(found: Evaluation) -> tuple[int, ...]:
    """Loads of the busiest links in units of 1/lcm(1..d) of a shard, all of them whole."""
    scaled = [load * lcm(*range(1, found.d + 1)) for load in found.loads]
    if any(load.denominator > 1 for load in scaled):
        raise ValueError(f"loads {found.loads} are no multiples of 1/lcm(1..{found.d})")
    return tuple(int(load) for load in scaled)


def _offered_digraphs(row: dict[str, Any]) -> Iterator[OfferedDigraph]:
    for find in row["finds"]:
        forth, back = (Cost(find["steps"], Fraction(find[way])) for way in ("forth", "back"))
        yield OfferedDigraph(forth, back, find["group"], tuple(find["generators"]), find["trials"])


def _rank(one: OfferedDigraph) -> tuple[object, ...]:
    return one.forth, one.back, len(one.group), one.group, one.generators


def _size(row: dict[str, Any]) -> tuple[int, int, str]:
    return row["d"], row["n"], row["links"]


def catalogue_place(one: ShippedDigraph) -> tuple[object, ...]:
    """What the lines of the catalogue are sorted by: degree, size and cost."""
    return one.d, one.n, len(one.forth), sum(one.forth), sum(one.back), one.group, one.generators
