"""Finds the grafts and other expanded graphs that ship with topofinder.

    python -m tools.find_graphs search --state FILE [--hours H] [--largest N] --rows simplex2 ...
    python -m tools.find_graphs search --state FILE [--hours H] --sizes 89,4 50,3,duplex ...
    python -m tools.find_graphs lines --state FILE [--hours H] [--tries N] --rows simplex8 ...
    python -m tools.find_graphs spare --state FILE [--effort N] [--lists N] --sizes 911,6,duplex ...
    python -m tools.find_graphs collect --state FILE

`search` goes through the sizes up to 2000 that nothing that ships is near the bound of, evenly
spread, with an effort of EFFORT each, and appends what it finds to the state file, a line a size;
started again, it goes on with the first size that is not there. One-way graphs of small sizes come
first best: line graphs of what ships there are bases of grafts at larger ones. Every line depends
on its size and on what ships, not on time. With --sizes it goes through these alone, near the
bound or not. `lines` goes through the sizes of one-way rows that d does not divide, and looks for
grafts of line graphs with thinned roots, which take a second a size. `spare` goes through the
sizes that take two steps more than the bound, or more, in ascending order, and looks for grafts of
Cayley digraphs with paths to spare that take fewer; orders are looked through once. `collect`
proves what is better than what ships by the evaluator of all graphs, and writes
generators/data/searched_graphs.txt.
"""

import argparse
import time
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial
from itertools import chain, zip_longest
from pathlib import Path

from expansions.cost import Cost
from expansions.parser import parse
from expansions.recipe import Application, Recipe
from expansions.searched_graphs import searched_line
from expansions.size import size
from generators.cost_profile import text_digest
from generators.searched_graphs import FILE, all_searched_lines
from tools.find_lifts import LARGEST, NEAR, LiftSize, read_size, read_state, write_line
from tools.profile_lifts import profile_graph
from topofinder.discovery.grafts.line_roots import find_line_grafts
from topofinder.finder.effort import Gains, find_gains, known_times, pool_with_gains
from topofinder.finder.effort_work import MORE_WORK, least_time, time_bound
from topofinder.finder.enumeration import Pools
from topofinder.finder.graft_bases import line_bases_above
from topofinder.finder.size_searches import evaluation_work
from topofinder.finder.spare_grafts import TRIALS, spare_grafts
from topofinder.model.candidate import Candidate, LinkMode, cost_lower_bound

EFFORT = 8
TRIES = 64
"""Grafts of line graphs that are evaluated at a size."""
LINES_NEAR = Fraction(51, 50)
"""No line graphs are grafted where what ships takes no more times the lower bound."""
LEAST = 17
"""Smaller sizes are all solved otherwise."""
GOLDEN = 0.6180339887
MOST_STEPS = 4
"""Graphs of low T_B are kept up to so many times the fewest steps."""
FILE_PATH = Path(__file__).parents[1] / "generators" / "data" / FILE


def spread_sizes(d: int, links: LinkMode, largest: int = LARGEST) -> list[LiftSize]:
    """All sizes of a row, in an order whose first parts are spread evenly.

    >>> [one.n for one in spread_sizes(2, LinkMode.SIMPLEX)[:4]]
    [1597, 610, 1220, 233]
    """
    found = [LiftSize(n, d, links) for n in range(max(d + 2, LEAST), largest + 1)]
    return sorted(found, key=lambda one: one.n * GOLDEN % 1)


def search(asked: LiftSize, effort: int = EFFORT, near: Fraction = NEAR) -> list[Recipe]:
    """Graphs of a size that are quicker, or of lower T_B, than all that ship there.

    None where what ships takes no more than `near` times the bound.
    """
    pools = Pools()
    plain = pools.pool(*asked)
    known = least_time(plain)
    if known is not None and known <= near * time_bound(*asked):
        return []
    gains = find_gains(*asked, effort, known_times(pools, *asked))
    found = pool_with_gains(pools, *asked, gains)
    return list(dict.fromkeys(_new_recipes(asked, gains, found)))


def search_lines(asked: LiftSize, tries: int) -> list[Recipe]:
    """Grafts of line graphs of a few nodes more, as few steps and as good as any that is known.

    None where what ships takes no more than LINES_NEAR times the bound, or d divides n.
    """
    n, d, _ = asked
    pools = Pools()
    plain = pools.pool(*asked)
    known = least_time(plain)
    if n % d == 0 or (known is not None and known <= LINES_NEAR * time_bound(*asked)):
        return []
    steps = cost_lower_bound(*asked).steps
    bases = [one.recipe for one in line_bases_above(n, d) if one.forth.steps == steps]
    found = find_line_grafts(n, d, bases=bases, tries=tries) if bases else []
    costs = [one.allreduce for one in plain]
    return [
        one.recipe
        for one in found
        if not any(cost.weakly_beats(Cost(one.steps, one.bandwidth)) for cost in costs)
    ]


def search_spare(asked: LiftSize, effort: int, lists: int) -> list[Recipe]:
    """Grafts of digraphs with paths to spare that take fewer steps than all that ships.

    So many `lists` of generators are tried at each order. None where what ships takes at most a
    step more than the bound.
    """
    known = min((one.allgather.steps for one in Pools().pool(*asked)), default=0)
    fewest = cost_lower_bound(*asked).steps
    budget = effort * MORE_WORK // evaluation_work(*asked)
    found: list[Recipe] = []
    for steps in range(known - 1, fewest, -1):
        grafts = spare_grafts(*asked, steps, budget=budget, trials=lists)
        if not grafts:
            break
        found = [min(grafts, key=lambda one: one.time).recipe]
    return found


def _new_recipes(asked: LiftSize, gains: Gains, found: Iterable[Candidate]) -> Iterator[Recipe]:
    """Of the quickest and of that of lowest T_B in few steps, those that an effort found."""
    kept = list(found)
    own = {one for one in (*gains.lifts, *gains.grafts) if size(one) == asked[:2]}
    few = [
        one for one in kept if one.allgather.steps <= MOST_STEPS * cost_lower_bound(*asked).steps
    ]
    best = [
        min(kept, key=lambda one: least_time([one]) or 0, default=None),
        min(few, key=lambda one: one.allgather.bandwidth, default=None),
    ]
    for one in filter(None, best):
        recipe = one.recipe
        if isinstance(recipe, Application) and recipe.symbol == "T":
            [recipe] = recipe.parts
        if recipe in own:
            yield recipe


def run(
    state: Path,
    seconds: float,
    sizes: Iterable[LiftSize],
    search_size: Callable[[LiftSize], list[Recipe]] = search,
) -> None:
    """Search the sizes that the state file lacks until the time is up."""
    started = time.monotonic()
    done = {row["key"] for row in read_state(state)}
    for asked in sizes:
        if asked.key in done:
            continue
        if time.monotonic() - started > seconds:
            break
        found = search_size(asked)
        write_line(state, {"key": asked.key, "recipes": list(map(str, found))})
        print(asked.key, len(found), flush=True)


def collect(state: Path) -> list[str]:
    """The lines of the new file: what ships already, and what is in the state file, proved."""
    found = [parse(text) for row in read_state(state) for text in row["recipes"]]
    lines = dict.fromkeys(all_searched_lines())
    lines.update(dict.fromkeys(prove_line(one) for one in found if not searched_line(one)))
    return sorted(lines, key=place_of_line)


def prove_line(recipe: Recipe, parallel: bool = False) -> str:
    """The line of a graph, by evaluating it; raises as `profile_graph` does."""
    return f"{profile_graph(recipe, text_digest(str(recipe)), parallel)} {recipe}"


def place_of_line(line: str) -> tuple[object, ...]:
    """Where a line stands in the file: by degree, link mode and size, the quickest first.

    >>> place_of_line("a06710f0 2 5 simplex 2,2 = 2 2 K(5)")
    (2, False, 5, 4, 8, 'K(5)')
    """
    _, d, n, links, forth, back, _, _, recipe = line.split(" ", 8)
    loads = [list(map(int, one.split(","))) for one in (forth, forth if back == "=" else back)]
    steps, total = sum(map(len, loads)), sum(map(sum, loads))
    return int(d), links != "simplex", int(n), steps, total, recipe


def read_row(text: str) -> tuple[int, LinkMode]:
    """Degree and link mode.

    >>> read_row("simplex12")
    (12, <LinkMode.SIMPLEX: 'simplex'>)
    """
    links = text.rstrip("0123456789")
    return int(text.removeprefix(links)), LinkMode(links)


def _spread_rows(names: Iterable[str], largest: int) -> Iterator[LiftSize]:
    """The sizes of some rows by turns."""
    rows = (spread_sizes(*read_row(row), largest) for row in names)
    return filter(None, chain.from_iterable(zip_longest(*rows)))


def main() -> None:
    """Search, or collect, as the command line says."""
    parser = argparse.ArgumentParser(description="Find the expanded graphs that ship.")
    parser.add_argument("what", choices=["search", "lines", "spare", "collect"])
    parser.add_argument("--state", type=Path, default=Path("searched_graphs.jsonl"))
    parser.add_argument("--hours", type=float, default=1.0)
    parser.add_argument("--rows", nargs="+", default=["simplex2"], help="such as simplex2 duplex3")
    parser.add_argument("--largest", type=int, default=LARGEST, help="nodes")
    parser.add_argument("--sizes", type=read_size, nargs="+", help="such as 89,4 50,3,duplex")
    parser.add_argument("--effort", type=int, default=EFFORT)
    parser.add_argument("--lists", type=int, default=TRIALS, help="generators of an order, spare")
    parser.add_argument("--tries", type=int, default=TRIES, help="graphs of a size, of lines")
    asked = parser.parse_args()
    if asked.what == "collect":
        lines = collect(asked.state)
        FILE_PATH.write_text("".join(f"{line}\n" for line in lines), encoding="ascii")
        return
    sizes = asked.sizes or _spread_rows(asked.rows, asked.largest)
    way = partial(search, effort=asked.effort, near=Fraction(0) if asked.sizes else NEAR)
    if asked.what == "lines":
        way = partial(search_lines, tries=asked.tries)
    elif asked.what == "spare":
        sizes = sorted(sizes)
        way = partial(search_spare, effort=asked.effort, lists=asked.lists)
    run(asked.state, asked.hours * 3600, sizes, way)


if __name__ == "__main__":
    main()
