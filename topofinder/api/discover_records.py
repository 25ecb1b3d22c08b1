"""Finds as rows of the database and back, line graphs of finds among them."""

from collections.abc import Iterable
from fractions import Fraction

from db.discovery_rows import FindRow
from expansions.build import build
from expansions.parser import parse
from expansions.recipe import Base
from generators.errors import InvalidInput
from topofinder.discovery.goal import SearchGoal
from topofinder.discovery.results import DiscoveredGraph
from topofinder.schedules.bfb.evaluation import evaluate


def find_row(goal: SearchGoal, find: DiscoveredGraph) -> FindRow:
    """The row under which a find is stored."""
    return FindRow(
        recipe=find.recipe,
        base=find.recipe,
        links=goal.links.value,
        n=goal.n,
        d=goal.d,
        steps=find.forth.steps,
        bandwidth=find.forth.bandwidth,
        rs_bandwidth=find.back.bandwidth,
        seed=find.seed,
        trials=find.trials,
    )


def find_of(row: FindRow) -> DiscoveredGraph:
    """The find that a row stores; InvalidInput for a row that no search has written."""
    recipe = parse(row.recipe)
    if not isinstance(recipe, Base) or recipe.name != "Cay":
        raise InvalidInput(f"finds: {row.recipe} is no Cayley digraph")
    group, *generators = recipe.arguments
    return DiscoveredGraph(
        group=str(group),
        generators=tuple(g for g in generators if isinstance(g, int)),
        forth=row.allgather,
        back=row.reduce_scatter,
        seed=row.seed,
        trials=row.trials,
    )


def line_row(goal: SearchGoal, find: DiscoveredGraph) -> FindRow:
    """The row of a find's line graph, with its exact cost: theorem 10 may say more than it is."""
    recipe = f"L({find.recipe})"
    graph = build(parse(recipe))
    forth, back = evaluate(graph).cost, evaluate(graph.transpose()).cost
    return FindRow(
        recipe=recipe,
        base=find.recipe,
        links=goal.links.value,
        n=graph.n,
        d=goal.d,
        steps=forth.steps,
        bandwidth=forth.bandwidth,
        rs_bandwidth=back.bandwidth,
        seed=find.seed,
        trials=find.trials,
    )


def best_rows(rows: Iterable[FindRow], both: bool) -> list[FindRow]:
    """The rows that no other beats, fewest steps first; with `both`, by the sum of both ways."""
    kept: list[FindRow] = []
    for row in sorted(set(rows), key=lambda row: (row.steps, _weight(row, both), row.recipe)):
        if not kept or _weight(row, both)[0] < _weight(kept[-1], both)[0]:
            kept.append(row)
    return kept


def _weight(row: FindRow, both: bool) -> tuple[Fraction, Fraction]:
    forth, back = row.bandwidth, row.rs_bandwidth
    return (forth + back if both else forth), back
