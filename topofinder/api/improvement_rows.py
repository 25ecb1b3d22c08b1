"""What a base graph adds to the frontiers, as rows of a report."""

from expansions.parser import parse
from expansions.recipe import Base
from generators.errors import InvalidInput
from reports.improvements import ImprovementRow
from topofinder.finder.base_graph_gains import MOST_NODES, improvements
from topofinder.finder.promises import promise_of
from topofinder.model.candidate import LinkMode

__all__ = ["MOST_NODES", "improvement_rows"]


def improvement_rows(
    text: str, links: LinkMode = LinkMode.SIMPLEX, most: int = MOST_NODES
) -> tuple[ImprovementRow, ...]:
    """The frontier points up to `most` nodes that a base graph, given as a recipe, adds.

    Raises InvalidInput for a recipe that is no base graph, or one that is not two-way where
    links are duplex.

    >>> [(row.n, row.recipe) for row in improvement_rows("Small(4,14,2)", LinkMode.DUPLEX, 100)]
    [(14, 'Small(4,14,2)')]
    """
    base = parse(text)
    if not isinstance(base, Base):
        raise InvalidInput(f"--beats: a base graph is needed, not {text}")
    if links is LinkMode.DUPLEX and not promise_of(base).bidirectional:
        raise InvalidInput(f"--beats: {text} has one-way arcs, which duplex links have not")
    return tuple(
        ImprovementRow(
            n=found.n,
            d=found.d,
            recipe=str(found.point.recipe),
            cost=found.point.allgather,
            published=found.published,
            previous=found.previous,
        )
        for found in improvements(base, links, most)
    )
