"""Works out anew what deferred schedules cost on the graphs that ship.

    python -m tools.defer_all_sizes search --state FILE [--graphs WHICH] --rows simplex4 duplex3 ...
    python -m tools.defer_all_sizes search --state FILE [--graphs WHICH] --sizes 89,4 ...
    python -m tools.defer_all_sizes collect --state FILE [FILE ...]

`search` goes through the sizes that a search with an effort of one need not search
(`generators.searched_sizes`): it defers the graphs whose costs ship (`--graphs known`), besides
the likeliest to be the quickest (`likely`, which it does unasked), or also, where none that takes
up to FEW_STEPS times the fewest steps is NEAR the least bandwidth time, all that do (`few-steps`).
With `frontier` it leaves what ships as it is, and defers all that takes fewer steps than what has
the least bandwidth time. It appends a line a size to the state file; started again, it goes on with
the first size that is not there. `collect` writes generators/data/deferred_costs.txt, with what
states say in place of all that ships at their sizes; of several states the last one counts.
"""

import argparse
from collections.abc import Iterable
from enum import StrEnum
from fractions import Fraction
from pathlib import Path

from expansions import canonical
from expansions.cost import Cost
from expansions.deferred_costs import DeferredCost, deferred_costs, write_deferred_cost
from expansions.lower_bounds import least_bandwidth
from expansions.recipe import Recipe
from generators.deferred_costs import FILE, all_deferred_lines, deferred_lines
from generators.searched_graphs import searched_lines
from generators.searched_sizes import are_finds_shipped
from tools.find_graphs import FILE_PATH
from tools.find_lifts import LARGEST, LiftSize, read_size, read_state, write_line
from tools.search_all_sizes import beats, names_by_size, place_of_cost, row_sizes
from topofinder.finder.deferrals import (
    FEW_STEPS,
    defer_hopeful,
    deferred_candidate,
    evaluate_deferred,
)
from topofinder.finder.enumeration import Pools
from topofinder.finder.exact_refinement import cannot_better
from topofinder.finder.shipped_finds import with_shipped_deferrals
from topofinder.model.candidate import Candidate, LinkMode, Method, cost_lower_bound
from topofinder.model.frontier import useful_candidates

NEAR = Fraction(101, 100)
"""So many times the least bandwidth time are left as they are."""
MOST = 1
"""Likeliest graphs of a size that are deferred."""


class Choice(StrEnum):
    """Which graphs of a size are deferred: `frontier` alone, others beside those before."""

    KNOWN = "known"
    LIKELY = "likely"
    FEW_STEPS = "few-steps"
    FRONTIER = "frontier"


def search(state: Path, sizes: Iterable[LiftSize], choice: Choice = Choice.LIKELY) -> None:
    """Defer graphs at the sizes that the state file lacks."""
    done, pools = {row["key"] for row in read_state(state)}, Pools()
    for size in sizes:
        if size.key in done or not are_finds_shipped(*size):
            continue
        shipped = [one.recipe for one in deferred_costs(*size)]
        if choice is Choice.FRONTIER:
            write_line(state, {"key": size.key, "lines": defer_frontier(size, pools.pool(*size))})
        elif shipped or choice is not Choice.KNOWN:
            write_line(state, {"key": size.key, "lines": defer(size, shipped, choice)})


def defer(size: LiftSize, recipes: Iterable[Recipe], choice: Choice) -> list[str]:
    """The lines of some graphs, and of others by choice: those on the frontier.

    >>> from topofinder.model.candidate import LinkMode
    >>> defer(LiftSize(29, 2, LinkMode.SIMPLEX), [], Choice.LIKELY)
    ['2 29 simplex 5 31/29 5 30/29 #a93d4032']
    """
    pool = Pools().pool(*size)
    better = [one for one in map(evaluate_deferred, recipes) if one.method is Method.DEFERRED]
    if choice is not Choice.KNOWN:
        better += defer_hopeful([*pool, *better], MOST)[1]
    if choice is Choice.FEW_STEPS:
        better += filter(None, map(deferred_candidate, wasteful_graphs(pool, better)))
    everything = [*pool, *better]
    return _write_lines(
        size, (one for one in better if not any(_beats_both(other, one) for other in everything))
    )


def _write_lines(size: LiftSize, kept: Iterable[Candidate]) -> list[str]:
    names = names_by_size(searched_lines(*size)).get(size, {})
    costs = (
        DeferredCost(recipe=one.recipe, forth=one.allgather, back=one.reduce_scatter)
        for one in kept
    )
    return list(dict.fromkeys(write_deferred_cost(size, one, names) for one in costs))


def defer_frontier(size: LiftSize, pool: list[Candidate]) -> list[str]:
    """The lines that ship of a size, and of graphs that are better deferred than all is.

    >>> from topofinder.model.candidate import LinkMode
    >>> size = LiftSize(207, 4, LinkMode.SIMPLEX)
    >>> [line[:27] for line in defer_frontier(size, Pools().pool(*size))]
    ['4 207 simplex 5 70/69 5 211', '4 207 simplex 7 206/207 7 2']
    """
    known = with_shipped_deferrals(pool, size.links)
    found = list(filter(None, map(deferred_candidate, hopeful_graphs(known, size.links))))
    if not found:
        return deferred_lines(*size)
    turned = [canonical.transpose(one.recipe) for one in found if _is_dearer_than_transpose(one)]
    found += map(evaluate_deferred, turned)
    kept = useful_candidates([*known, *found])
    return _write_lines(size, (one for one in kept if one.method is Method.DEFERRED))


def hopeful_graphs(known: list[Candidate], links: LinkMode) -> list[Candidate]:
    """The candidates that take fewer steps than all that has the least bandwidth time.

    One of each graph that is not deferred yet, as it is or transposed.

    >>> hopeful = hopeful_graphs(Pools().pool(207, 4), LinkMode.SIMPLEX)
    >>> [str(one.recipe)[:9] for one in hopeful]
    ['Pi(4,207)', 'Lift(Z23;', 'DirC(1) x', 'DirC(1) x']
    """
    found = list[Candidate]()
    done = {one.recipe for one in known if one.method is Method.DEFERRED}
    for one in known:
        both = {one.recipe, canonical.transpose(one.recipe)}
        if not done & both and not any(cannot_better(_hope(one, links), it) for it in known):
            done |= both
            found.append(one)
    return found


def _hope(one: Candidate, links: LinkMode) -> Cost:
    """What a deferred schedule takes at best."""
    least = cost_lower_bound(one.n, one.d, links).bandwidth
    return Cost(one.diameter or one.allgather.steps, least)


def _is_dearer_than_transpose(one: Candidate) -> bool:
    """Whether its transpose is the cheaper allgather fabric.

    What that costs is worked out on the graph of its recipe, whose nodes may have another order.
    """
    return not one.allgather.weakly_beats(one.reduce_scatter)


def _beats_both(one: Candidate, other: Candidate) -> bool:
    """Whether an allreduce costs less, and an allgather no more."""
    return beats(one, other) and one.allgather.weakly_beats(other.allgather)


def wasteful_graphs(pool: list[Candidate], deferred: list[Candidate]) -> list[Candidate]:
    """The candidates of few steps that take more than the least bandwidth, one a graph.

    None where one that is known, deferred or not, is NEAR the least.

    >>> pool = Pools().pool(491, 2)
    >>> [one.allgather.steps for one in wasteful_graphs(pool, [])]
    [9, 11]
    """
    known = [*pool, *deferred]
    fewest = min((one.allgather.steps for one in known), default=0)
    few = [one for one in known if one.allgather.steps <= FEW_STEPS * fewest]
    if min(map(_waste, few), default=Fraction(1)) <= NEAR:
        return []
    done = {one.recipe for one in deferred}
    found = {one.recipe: one for one in few if _waste(one) > 1 and one.recipe not in done}
    return list(found.values())


def _waste(one: Candidate) -> Fraction:
    """The bandwidth time of an allreduce over the least that any graph takes (theorem 4)."""
    return one.allreduce.bandwidth / (2 * least_bandwidth(one.n, one.d, two_way=one.two_way))


def collect(states: Iterable[Path]) -> list[str]:
    """The lines of the new file."""
    found = {row["key"]: row["lines"] for state in states for row in read_state(state)}
    kept = [line for line in all_deferred_lines() if _key(line) not in found]
    return sorted({*kept, *(line for lines in found.values() for line in lines)}, key=place_of_cost)


def _key(line: str) -> str:
    d, n, links, _ = line.split(" ", 3)
    return f"{n},{d},{links}"


def main() -> None:
    """Search, or collect, as the command line says."""
    parser = argparse.ArgumentParser(description="Ship what deferred schedules cost.")
    parser.add_argument("what", choices=["search", "collect"])
    parser.add_argument("--state", type=Path, nargs="+", required=True)
    parser.add_argument("--rows", nargs="+", default=["simplex4"], help="such as simplex2 duplex3")
    parser.add_argument("--largest", type=int, default=LARGEST, help="nodes")
    parser.add_argument("--sizes", type=read_size, nargs="+", help="such as 89,4 50,3,duplex")
    parser.add_argument(
        "--graphs",
        type=Choice,
        choices=list(Choice),
        default=Choice.LIKELY,
        help="which are deferred",
    )
    asked = parser.parse_args()
    if asked.what == "collect":
        lines = collect(asked.state)
        (FILE_PATH.parent / FILE).write_text("".join(f"{line}\n" for line in lines), "ascii")
    else:
        sizes = asked.sizes or row_sizes(asked.rows, asked.largest)
        search(asked.state[0], sizes, asked.graphs)


if __name__ == "__main__":
    main()
