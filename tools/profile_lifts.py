"""Writes what the annealed lifts that ship cost step by step: generators/data/lift_profiles.txt.

    python -m tools.profile_lifts

It is to be run after `python -m tools.find_lifts collect`, and takes some seconds: lifts that have
a line already keep it, others are evaluated, both ways.
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from expansions.build import build
from expansions.properties import properties
from expansions.recipe import Base, Recipe
from generators.cost_profile import CostProfile, common_unit
from generators.lifts.annealed import AnnealedLift, all_annealed_lifts
from generators.lifts.profiles import FILE, lift_profile, profile_digest
from topofinder.finder.base_candidates import both_ways
from topofinder.schedules.bfb.evaluation import Evaluation

FILE_PATH = Path(__file__).parents[1] / "generators" / "data" / FILE


def find_profile(one: AnnealedLift) -> CostProfile:
    """The profile of a lift, by evaluating its graph."""
    recipe = Base("Lift", (one.group, one.rows))
    return profile_graph(recipe, profile_digest(one.group, one.rows))


def profile_graph(recipe: Recipe, digest: str, parallel: bool = False) -> CostProfile:
    """What breadth-first broadcast costs on a graph, by evaluating all of its nodes.

    Raises ValueError for self-loops that are not known of, and for parallel links but in base
    graphs; with `parallel` these are let pass.

    >>> profile_graph(Base("BiRing", (2, 5)), "").forth
    (2, 2)
    """
    graph = replace(build(recipe), translation=None, orbits=None)
    plain = parallel or graph.is_simple or isinstance(recipe, Base)
    if not plain or (graph.has_loops and properties(recipe).loop_free is not False):
        raise ValueError(f"{recipe} has loops or parallel links")
    forth, back = both_ways(graph, graph.is_bidirectional)
    return CostProfile(
        digest=digest,
        n=forth.n,
        d=forth.d,
        two_way=graph.is_bidirectional,
        forth=_loads(forth),
        back=_loads(back),
        line_exact=min(forth.line_exact, back.line_exact),
        cycle=forth.cycle,
    )


def _loads(one: Evaluation) -> tuple[int, ...]:
    unit = common_unit(one.d)
    return tuple(int(load * unit) for load in one.loads)


def profile_lines(lifts: Iterable[AnnealedLift]) -> list[str]:
    """The lines of these lifts, in their order; refuses two of one digest."""
    found = [str(lift_profile(one.group, one.rows) or find_profile(one)) for one in lifts]
    if len({line[:8] for line in found}) < len(found):
        raise ValueError("two lifts have one digest")
    return found


def main() -> None:
    """Write the file."""
    lines = profile_lines(all_annealed_lifts())
    FILE_PATH.write_text("".join(f"{line}\n" for line in lines), encoding="ascii")


if __name__ == "__main__":
    main()
