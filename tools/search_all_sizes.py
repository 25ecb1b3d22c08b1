"""Goes through all sizes with an effort of one, and ships what is found.

    python -m tools.search_all_sizes search --db FILE [--largest N] --rows simplex4 duplex3 ...
    python -m tools.search_all_sizes search --db FILE --sizes 89,4 50,3,duplex ...
    python -m tools.search_all_sizes collect --db FILE [FILE ...]

`search` is a sweep into a database for which no finds of such a search ship yet; interrupted, it
goes on where it was. `collect` ships, of each size in the databases, the quickest allreduce and
what else is on the frontier of allreduces in few steps; where a port is left free, all graphs with
a node split off, too, which no search makes again then. Graphs are proved by the evaluator of all
graphs and added to generators/data/searched_graphs.txt, costs of deferred schedules to
deferred_costs.txt, and the sizes to searched_sizes.txt. A search with an effort of one takes these
in place of a search.
"""

import argparse
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from db.rows import CandidateRow
from db.store import Store
from expansions.build import build
from expansions.canonical import expand
from expansions.cost import Cost
from expansions.deferred_costs import DeferredCost, read_deferred_cost, write_deferred_cost
from expansions.parser import parse
from expansions.recipe import Application, Base, Graft, Recipe
from expansions.searched_graphs import searched_profile
from expansions.splitting_off import first_pairings
from generators import deferred_costs, searched_graphs, searched_sizes
from generators.errors import InvalidInput
from tools.find_graphs import FILE_PATH, place_of_line, prove_line, read_row
from tools.find_lifts import LARGEST, LiftSize, read_size
from topofinder.api.sweep import fill_sizes
from topofinder.finder.base_candidates import SHIPPED, evaluate_recipe, shipped_pair
from topofinder.finder.base_scope import Scope, base_properties
from topofinder.finder.enumeration import Pools
from topofinder.model.candidate import Candidate, LinkMode, Method, cost_lower_bound
from topofinder.schedules.bfb.profile_kernels import profile_by_bits

SMALLEST = 2
MOST_COMPARED = 64
"""Nodes up to which what is found is compared with what no search need find."""
MOST_PAIRINGS = 240
"""Pairings that are tried where one makes parallel links."""
MOST_STEPS = 4
"""What is shipped takes at most so many times the fewest steps."""
FOLDER = FILE_PATH.parent


class _Unsearched(Scope):
    """All but the graphs that long searches found."""

    def recipes_at(self, n: int, d: int, links: LinkMode) -> tuple[Recipe, ...]:
        """None."""
        return ()

    def splits_off(self, n: int, d: int, links: LinkMode) -> bool:
        """Always: what is split off need not ship then."""
        return True


UNSEARCHED = _Unsearched()


class Find(NamedTuple):
    """What ships of a size: graphs by their recipes, and costs of deferred schedules.

    Without `whole` something else is better that cannot ship: the size does not count as gone
    through, and a search looks for it again.
    """

    size: LiftSize
    graphs: tuple[Recipe, ...]
    deferred: tuple[DeferredCost, ...]
    whole: bool = True


def empty_searched_sizes() -> None:
    """From here on, in this process, no size counts as gone through."""
    for module in (searched_sizes, deferred_costs):
        module.FILE = os.devnull
    searched_sizes.searched_ranges.cache_clear()


def search(db: Path, sizes: Iterable[LiftSize], jobs: int = 1) -> None:
    """Sweep some sizes with an effort of one, those of a link mode that come together at once.

    Workers, for more than one of `jobs`, do not look for what counts as gone through.
    """
    empty_searched_sizes()
    for (links, _), group in groupby(sizes, key=lambda one: (one.links, one.d)):
        fill_sizes([(one.n, one.d) for one in group], links, db, jobs=jobs, effort=1)


def row_sizes(names: Iterable[str], largest: int = LARGEST) -> Iterator[LiftSize]:
    """All sizes of some rows.

    >>> [one.key for one in row_sizes(["simplex2", "duplex3"], 3)]
    ['2,2,simplex', '3,2,simplex', '2,3,duplex', '3,3,duplex']
    """
    for d, links in map(read_row, names):
        yield from (LiftSize(n, d, links) for n in range(SMALLEST, largest + 1))


def finds_in(db: Path) -> Iterator[Find]:
    """What is to ship of each size that was gone through with an effort."""
    with Store(db, create=False) as store:
        for links in LinkMode:
            for n, d in sorted(store.finished_sizes(links.value, effort=1)):
                pool = store.pool(n, d, links.value) or ()
                found = choose_finds(LiftSize(n, d, links), pool)
                yield drop_needless_graphs(found) if n <= MOST_COMPARED else found


def choose_finds(size: LiftSize, pool: Sequence[CandidateRow]) -> Find:
    """New graphs on the frontier of allreduces, its deferred schedules, and what is split off."""
    most = MOST_STEPS * cost_lower_bound(*size).steps
    rows = [row for row in pool if row.exact and row.steps <= most]
    best = [row for row in rows if not any(beats(other, row) for other in rows)]
    split = [row for row in pool if _is_split_off(parse(row.recipe))]
    needed = tuple(map(_graph_of, best))
    graphs = dict.fromkeys((*needed, *map(split_with_plain_links, split)))
    new = [one for one in graphs if not is_found_again(one, size)]
    shipping = tuple(filter(can_ship, new))
    left_out = set(new).difference(shipping)
    return Find(
        size=size,
        graphs=shipping,
        deferred=tuple(_deferred_cost(row) for row in best if row.method == Method.DEFERRED),
        whole=size.n <= MOST_COMPARED or not left_out.intersection(needed),
    )


def _graph_of(row: CandidateRow) -> Recipe:
    """The graph, by another pairing where a node split off makes parallel links."""
    recipe = parse(row.recipe)
    return split_with_plain_links(row) if _is_split_off(recipe) else _plain(recipe)


def is_found_again(recipe: Recipe, size: LiftSize) -> bool:
    """Whether a search without an effort has a graph: it may drop one that a matching is added to.

    >>> is_found_again(parse("L(K(4,4))"), LiftSize(32, 4, LinkMode.SIMPLEX))
    True
    """
    if not (isinstance(recipe, Application) and recipe.symbol == "Match"):
        return is_shipped(recipe)
    return is_shipped(recipe) and any(one.recipe == recipe for one in Pools().pool(*size))


def drop_needless_graphs(find: Find) -> Find:
    """Without graphs that cost no less than some that no search need find.

    >>> graphs = parse("Match(BiRing(2,4))"), parse("K(4)")
    >>> find = Find(LiftSize(4, 3, LinkMode.DUPLEX), graphs, ())
    >>> drop_needless_graphs(find).graphs
    ()
    """
    n, d, links = find.size
    plain = Pools(scope=UNSEARCHED).pool(n, d, links)
    named = {str(one.recipe) for one in find.deferred}
    kept = [
        recipe
        for recipe in find.graphs
        if named & {str(recipe), f"T({recipe})"}
        or not any(_costs_no_more(one, evaluate_recipe(recipe)) for one in plain)
    ]
    return find._replace(graphs=tuple(kept))


def _costs_no_more(one: Candidate, other: Candidate) -> bool:
    return one.allgather.weakly_beats(other.allgather) and one.reduce_scatter.weakly_beats(
        other.reduce_scatter
    )


def beats(one: Candidate | CandidateRow, other: Candidate | CandidateRow) -> bool:
    """Whether an allreduce costs less on one than on another, and nothing more.

    >>> first, second = (evaluate_recipe(parse(text)) for text in ("K(3,3)", "BiRing(2,6)"))
    >>> beats(first, second), beats(second, first), beats(first, first)
    (True, False, False)
    """
    ours, theirs = one.allreduce, other.allreduce
    return ours.weakly_beats(theirs) and ours != theirs


def _deferred_cost(row: CandidateRow) -> DeferredCost:
    return DeferredCost(
        recipe=parse(row.recipe),
        forth=Cost(row.steps, row.bandwidth),
        back=Cost(row.rs_steps, row.rs_bandwidth),
    )


def _plain(recipe: Recipe) -> Recipe:
    """The graph of which this may be the transpose: a search has both."""
    if isinstance(recipe, Application) and recipe.symbol == "T":
        return recipe.parts[0]
    return recipe


def _is_split_off(recipe: Recipe) -> bool:
    return isinstance(recipe, Application) and recipe.symbol == "SplitOff"


def split_with_plain_links(row: CandidateRow) -> Recipe:
    """A graph with a node split off, by another pairing where this one makes parallel links.

    Of the first MOST_PAIRINGS the first that costs no more; the graph itself where none does.
    """
    recipe = parse(row.recipe)
    if not isinstance(recipe, Application) or has_plain_links(recipe):
        return recipe
    cost = Cost(row.steps, row.bandwidth)
    for pairing in first_pairings(row.d, MOST_PAIRINGS):
        with suppress(InvalidInput):  # a node would be joined to itself
            other = expand(recipe.symbol, recipe.parts, (pairing,))
            if has_plain_links(other) and evaluate_recipe(other).allgather.weakly_beats(cost):
                return other
    return recipe


def can_ship(recipe: Recipe) -> bool:
    """Whether a graph has no self-loops, and no parallel links where no family tells of them.

    >>> can_ship(parse("MultiK(3,3)")), can_ship(parse("L(UniRing(2,4))||2"))
    (True, False)
    """
    if isinstance(recipe, Base):
        return base_properties(recipe).loop_free is True
    return has_plain_links(recipe)


def has_plain_links(recipe: Recipe) -> bool:
    """Whether a graph has neither self-loops nor parallel links.

    >>> has_plain_links(parse("K(4)")), has_plain_links(parse("UniRing(2,4)"))
    (True, False)
    """
    graph = build(recipe)
    return graph.is_simple and not graph.has_loops


def is_shipped(recipe: Recipe) -> bool:
    """Whether a search without an effort comes across a graph: what it is made of ships.

    >>> is_shipped(parse("L(K(4,4))")), is_shipped(parse("Graft(L(K(4,4));-3.7)"))
    (True, False)
    """
    if searched_profile(recipe) is not None:
        return True
    if _is_split_off(recipe):
        return False
    if isinstance(recipe, Base):
        return recipe.name not in SHIPPED or shipped_pair(recipe) is not None
    return not isinstance(recipe, Graft) and all(map(is_shipped, recipe.parts))


def collect(databases: Iterable[Path], folder: Path = FOLDER) -> None:
    """Write the three files, with what ships already; of several databases the last one counts."""
    profile_by_bits.load()  # thousands of graphs are proved
    finds = list({find.size: find for db in databases for find in finds_in(db)}.values())
    lines = dict.fromkeys(searched_graphs.all_searched_lines())
    for find in finds:
        for recipe in find.graphs:
            lines[prove_line(recipe)] = None
    _write(folder / searched_graphs.FILE, sorted(lines, key=place_of_line))
    named = names_by_size(lines)
    known = {_rename_graph(line, named): None for line in deferred_costs.all_deferred_lines()}
    for find in finds:
        names = named.get(find.size, {})
        known.update((write_deferred_cost(find.size, one, names), None) for one in find.deferred)
    _write(folder / deferred_costs.FILE, sorted(known, key=place_of_cost))
    sizes = {find.size for find in finds if find.whole} | set(
        map(LiftSize._make, searched_sizes.all_sizes())
    )
    _write(folder / searched_sizes.FILE, _size_lines(sizes))


def _rename_graph(line: str, named: Mapping[tuple[int, int, str], Mapping[str, str]]) -> str:
    """The line of a cost, by the digest of its graph where that ships by now."""
    d, n, links, *_, name = line.split(" ", 7)
    size = int(n), int(d), links
    names = named.get(size, {})
    plain = name[2:-1] if name.startswith("T(") else name
    if plain not in names.values():
        return line
    return write_deferred_cost(size, read_deferred_cost(line), names)


def _write(path: Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="ascii")


def names_by_size(lines: Iterable[str]) -> dict[tuple[int, int, str], dict[str, str]]:
    """Recipes of lines by size and digest.

    >>> names_by_size(["0a 2 5 simplex 2,2 = 2 2 K(5)"])
    {(5, 2, 'simplex'): {'0a': 'K(5)'}}
    """
    found: dict[tuple[int, int, str], dict[str, str]] = {}
    for line in lines:
        digest, d, n, links, *_, recipe = line.split(" ", 8)
        found.setdefault((int(n), int(d), links), {})[digest] = recipe
    return found


def place_of_cost(line: str) -> tuple[object, ...]:
    """Where a line of a deferred cost stands in its file."""
    d, n, links, *costs = line.split(" ", 7)
    return int(d), links != "simplex", int(n), costs


def _size_lines(sizes: Iterable[LiftSize]) -> Iterator[str]:
    rows: dict[tuple[int, LinkMode], list[int]] = {}
    for n, d, links in sorted(sizes, key=lambda one: (one.d, one.links != LinkMode.SIMPLEX, one.n)):
        rows.setdefault((d, LinkMode(links)), []).append(n)
    for (d, links), found in rows.items():
        yield f"{links} {d} {searched_sizes.join_ranges(found)}"


def main() -> None:
    """Search, or collect, as the command line says."""
    parser = argparse.ArgumentParser(description="Ship what an effort of one finds at all sizes.")
    parser.add_argument("what", choices=["search", "collect"])
    parser.add_argument("--db", type=Path, nargs="+", required=True)
    parser.add_argument("--rows", nargs="+", default=["simplex4"], help="such as simplex2 duplex3")
    parser.add_argument("--largest", type=int, default=LARGEST, help="nodes")
    parser.add_argument("--sizes", type=read_size, nargs="+", help="such as 89,4 50,3,duplex")
    parser.add_argument("--jobs", type=int, default=1, help="more search only what does not ship")
    asked = parser.parse_args()
    if asked.what == "collect":
        collect(asked.db)
    else:
        sizes = asked.sizes or row_sizes(asked.rows, asked.largest)
        search(asked.db[0], sizes, asked.jobs)


if __name__ == "__main__":
    main()
