"""Finds as rows of the database and back, line graphs of finds among them."""

from collections.abc import Collection, Iterable
from fractions import Fraction

from db.discovery_rows import FindRow
from expansions.build import build
from expansions.parser import parse
from expansions.recipe import Base
from expansions.size import Size
from generators.errors import InvalidInput
from topofinder.discovery.goal import SearchGoal
from topofinder.discovery.results import DiscoveredGraph
from topofinder.finder.discovery_legs import CostedFind
from topofinder.model.candidate import LinkMode
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


def graph_row(found: CostedFind, nodes: Size, links: LinkMode, seed: int, trials: int) -> FindRow:
    """The row of a lift or graft."""
    recipe = str(found.recipe)
    return FindRow(
        recipe=recipe,
        base=recipe,
        links=links.value,
        n=nodes.n,
        d=nodes.d,
        steps=found.forth.steps,
        bandwidth=found.forth.bandwidth,
        rs_bandwidth=found.back.bandwidth,
        seed=seed,
        trials=trials,
    )


def line_row(goal: SearchGoal, find: DiscoveredGraph) -> FindRow:
    """The row of a find's line graph, with its exact cost: theorem 10 may say more than it is."""
    return evaluated_row(f"L({find.recipe})", find.recipe, goal.links, find.seed, find.trials)


def evaluated_row(recipe: str, base: str, links: LinkMode, seed: int, trials: int) -> FindRow:
    """The row of a graph that is made from a find, with its exact cost."""
    graph = build(parse(recipe))
    forth, back = evaluate(graph).cost, evaluate(graph.transpose()).cost
    return FindRow(
        recipe=recipe,
        base=base,
        links=links.value,
        n=graph.n,
        d=graph.degree,
        steps=forth.steps,
        bandwidth=forth.bandwidth,
        rs_bandwidth=back.bandwidth,
        seed=seed,
        trials=trials,
    )


def is_better(row: FindRow, known: Iterable[FindRow]) -> bool:
    """Whether no known graph is as good: in steps, and in bandwidth one way and both ways."""
    return not any(
        one.steps <= row.steps
        and min(one.bandwidth, one.rs_bandwidth) <= min(row.bandwidth, row.rs_bandwidth)
        and one.bandwidth + one.rs_bandwidth <= row.bandwidth + row.rs_bandwidth
        for one in known
    )


def better_rows(rows: Iterable[FindRow]) -> list[FindRow]:
    """The rows of which no other is as good, in steps, one way and both ways."""
    kept: list[FindRow] = []
    order = sorted(rows, key=lambda row: (row.steps, row.bandwidth + row.rs_bandwidth, row.recipe))
    for row in order:
        if is_better(row, kept):
            kept.append(row)
    return kept


def best_rows(rows: Iterable[FindRow], both: bool, first: Collection[str] = ()) -> list[FindRow]:
    """The rows that no other beats, fewest steps first; with `both`, by the sum of both ways.

    Among equals the recipes of `first` are.
    """
    kept: list[FindRow] = []
    order = lambda row: (row.steps, _weight(row, both), row.recipe not in first, row.recipe)  # noqa: E731
    for row in sorted(set(rows), key=order):
        if not kept or _weight(row, both)[0] < _weight(kept[-1], both)[0]:
            kept.append(row)
    return kept


def _weight(row: FindRow, both: bool) -> tuple[Fraction, Fraction]:
    forth, back = row.bandwidth, row.rs_bandwidth
    return (forth + back if both else forth), back
