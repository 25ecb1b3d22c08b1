"""Evaluates what searches keep at all sizes whose finds ship, so that they need not.

    python -m tools.evaluate_all_sizes --rows simplex6 duplex12 ... [--jobs N]

A search evaluates generalized Kautz graphs, rings with chords, products of any two graphs, expanded
graphs whose own schedule may cost less than their theorem says, and what it splits off. Where all
finds ship (`Scope.is_settled`) this goes through a row as a search would, with all pairs of sizes
in products, and graphs that cost the same, and adds those that are kept to
generators/data/evaluated_graphs.txt, each with what breadth-first broadcast costs on it; what a row
has is written when it is done. To be run again, for all rows, when other finds ship.
"""

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path

from joblib import Parallel, delayed

from expansions.cost import Cost
from expansions.recipe import Application, Base, Recipe
from expansions.searched_graphs import searched_profile
from generators.searched_graphs import EVALUATED
from tools.find_graphs import FILE_PATH, place_of_line, prove_line, read_row
from tools.find_lifts import LARGEST
from topofinder.finder.base_candidates import Bases
from topofinder.finder.base_scope import EVALUATED_FAMILIES, MOST_EVALUATED, Scope
from topofinder.finder.enumeration import Pools, PoolSize
from topofinder.finder.prediction import predict
from topofinder.model.candidate import Candidate, LinkMode, Method


class EvaluatingScope(Scope):
    """What a search draws on, all of which it evaluates."""

    def __init__(self) -> None:
        super().__init__(splits=None)

    def is_settled(self, n: int, d: int, links: LinkMode) -> bool:
        """Never."""
        return False


class EvaluatingPools(Pools):
    """Pools of all that can be evaluated; as factors of products graphs that cost the same, too."""

    def __init__(self) -> None:
        super().__init__(scope=EvaluatingScope())
        self.settled = Pools()
        self._factor_graphs: dict[PoolSize, list[Candidate]] = {}

    def factor_graphs(self, links: LinkMode, n: int, d: int, below: int | None) -> list[Candidate]:
        """All that a search reaches that evaluates nothing where finds ship."""
        size = (n, d, links)
        if size not in self._factor_graphs:
            self._factor_graphs[size] = self.settled.all_candidates(*size)
        return self._factor_graphs[size]


def evaluated_recipes(pools: EvaluatingPools, n: int, d: int, links: LinkMode) -> Iterator[Recipe]:
    """The graphs of a pool that were evaluated, and are kept for what no theorem tells.

    Those too that a search lacks which evaluates nothing, as it does not go through all products.

    >>> kept = evaluated_recipes(EvaluatingPools(), 129, 6, LinkMode.SIMPLEX)
    >>> [str(recipe) for recipe in kept]
    ['Pi(6,129)', 'Cay(Z43;1,10)*3']
    """
    for candidate in pools.pool(n, d, links):
        lacks = not any(one.beats(candidate) for one in pools.settled.pool(n, d, links))
        if candidate.method is Method.BFB and (lacks or _is_evaluated(candidate, pools.bases)):
            yield _plain(candidate)


def _plain(candidate: Candidate) -> Recipe:
    """The graph of which this may be the transpose: a search has both."""
    recipe = candidate.recipe
    if isinstance(recipe, Application) and recipe.symbol == "T":
        return recipe.parts[0]
    return recipe


def _is_evaluated(candidate: Candidate, bases: Bases) -> bool:
    recipe = _plain(candidate)
    if isinstance(recipe, Base):
        return recipe.name in EVALUATED_FAMILIES
    if searched_profile(recipe) is not None:
        return False
    exact = (one for one in predict(recipe, bases) if one.exact and one.method is Method.BFB)
    return all(_both_costs(one) != _both_costs(candidate) for one in exact)


def _both_costs(candidate: Candidate) -> set[Cost]:
    return {candidate.allgather, candidate.reduce_scatter}


def find_lines(row: str) -> list[str]:
    """The lines of a row, proved."""
    d, links = read_row(row)
    pools = EvaluatingPools()
    sizes = ((n, d, links) for n in range(MOST_EVALUATED + 1, LARGEST + 1))
    kept = dict.fromkeys(
        recipe
        for size in sizes
        if Scope().is_settled(*size)
        for recipe in evaluated_recipes(pools, *size)
    )
    return [prove_line(recipe, parallel=True) for recipe in kept]


def write_lines(found: Iterable[str], path: Path = FILE_PATH.parent / EVALUATED) -> None:
    """Add lines to those of a file."""
    before = path.read_text(encoding="ascii").splitlines() if path.exists() else ()
    lines = dict.fromkeys((*before, *found))
    text = "".join(f"{line}\n" for line in sorted(lines, key=place_of_line))
    path.write_text(text, encoding="ascii")


def main() -> None:
    """Read the command line and go through the rows."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", nargs="+", required=True, help="such as simplex6 duplex12")
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args()
    workers = Parallel(n_jobs=asked.jobs, return_as="generator_unordered")
    for lines in workers(delayed(find_lines)(row) for row in asked.rows):
        write_lines(lines)


if __name__ == "__main__":
    main()
