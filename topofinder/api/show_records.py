"""What is known of one recipe: its graph, its bounds, its schedules, its gains."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from db.rows import CandidateRow
from expansions.build import build
from expansions.cost import Cost
from expansions.parser import parse
from expansions.properties import properties
from expansions.recipe import Base, Recipe
from expansions.size import size
from generators.connectivity import LARGEST_TRANSITIVE, average_distance
from generators.errors import InvalidInput
from generators.memory import require_memory
from generators.topology import Topology
from reports.baselines import BaselineRow
from reports.improvements import ImprovementRow, improvement_fields, improvements_text
from reports.recipe import RecipeFacts, limited_bandwidth, recipe_fields, recipe_text
from topofinder.api.shared.allreduce_bounds import bandwidth_record, recipe_record
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.candidate_rows import ENGINE, candidate_row
from topofinder.finder.base_graph_gains import MOST_NODES, improvements
from topofinder.finder.base_scope import base_properties
from topofinder.finder.prediction import best_known
from topofinder.model.candidate import LinkMode, cost_lower_bound
from topofinder.model.host_costs import HostCosts
from topofinder.schedules.bfb.evaluation import evaluate
from topofinder.schedules.bfb.schedule import bfb_schedule
from topofinder.schedules.row_limits import ROW_BYTES
from topofinder.simulation.alpha_beta import simulate

INSPECTED = 1 << 16
"""Largest number of nodes that is built to look at the graph where no theorem tells."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class RecipeAnswer(Answer):
    """What is known of a recipe; `baselines` are those of its size, None where nobody asked."""

    facts: RecipeFacts
    baselines: tuple[BaselineRow, ...] | None = None

    def summary(self) -> dict[str, Any]:
        """The recipe, its size, and the cost of the schedule that needs the least bandwidth."""
        facts = self.facts
        cost = {"steps": facts.main.steps, "bandwidth": str(facts.main.bandwidth)}
        return {"recipe": facts.recipe, "n": facts.n, "d": facts.d, **cost}

    def to_dict(self) -> dict[str, Any]:
        """The fields that `show --json` prints."""
        return recipe_fields(self.facts, self.baselines)

    def __str__(self) -> str:
        return recipe_text(self.facts, self.baselines)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class BaseGraphGains(Answer):
    """The frontier points of up to MOST_NODES nodes that a base graph adds."""

    recipe: str
    links: LinkMode
    rows: tuple[ImprovementRow, ...]

    def summary(self) -> dict[str, Any]:
        """The base graph, and how many points it adds."""
        return {"recipe": self.recipe, "links": str(self.links), "points": len(self.rows)}

    def to_dict(self) -> list[dict[str, object]]:
        """What `show --beats --json` prints: the fields of every point."""
        return list(map(improvement_fields, self.rows))

    def __str__(self) -> str:
        return improvements_text(self.rows, self.links.value, MOST_NODES)

    def table_rows(self) -> list[dict[str, Any]]:
        """A line for each point."""
        names = ("n", "d", "recipe", "steps", "bandwidth")
        return [{name: fields[name] for name in names} for fields in self.to_dict()]


def recipe_facts(recipe: Recipe) -> RecipeFacts:
    """Facts of a recipe, costs and bounds exact.

    Where it is not known whether all circuits are two-way, the lower bound is the one for digraphs,
    which holds in any case. Raises Unsupported where neither a theorem nor an evaluation gives a
    cost.
    """
    schedules = best_known(recipe)
    n, d = size(recipe)
    told = _properties(recipe)
    two_way = told["two-way"]
    links = LinkMode.DUPLEX if two_way else LinkMode.SIMPLEX
    return RecipeFacts(
        recipe=str(recipe),
        n=n,
        d=d,
        links=None if two_way is None else links.value,
        bound=cost_lower_bound(n, d, links),
        diameter=next((c.diameter for c in schedules if c.diameter is not None), None),
        schedules=tuple(candidate_row(candidate, links) for candidate in schedules),
        properties=told,
        allreduce=recipe_record(recipe),
        average_distance=average_distance(build(recipe)) if n <= LARGEST_TRANSITIVE else None,
    )


def topology_facts(name: str, topology: Topology) -> RecipeFacts:
    """Facts of a wiring that no recipe names: its best BFB schedule, beside the same bounds.

    Where hosts have unlike numbers of links, d and the egress that T_B counts are those of the host
    with most. An injection limit of hosts lengthens steps, and raises the bound. Raises
    InvalidInput for switches, for links of unequal rates, and where a host cannot reach another.

    >>> from generators.families.ring import two_way_ring
    >>> topology_facts("my ring", two_way_ring(2, 5)).main.allgather
    Cost(steps=2, bandwidth=Fraction(4, 5))
    """
    if topology.capacity is not None or topology.latency is not None:
        raise InvalidInput(
            f"{name}: T_L and T_B are for equal links; ask schedule for seconds, or show --forest"
        )
    try:
        spread, back = map(_limited_cost, (topology, topology.transpose()))
    except InvalidInput as error:
        raise InvalidInput(f"{name}: {error}") from None
    links = LinkMode.DUPLEX if topology.is_bidirectional else LinkMode.SIMPLEX
    n, d = topology.n, topology.degree
    bound = cost_lower_bound(n, d, links)
    if topology.injection is not None:
        least = limited_bandwidth(n, d, topology.injection)
        bound = replace(bound, bandwidth=max(bound.bandwidth, least))
    row = CandidateRow(
        recipe=name,
        links=links.value,
        method="bfb",
        n=n,
        d=d,
        steps=spread.steps,
        bandwidth=spread.bandwidth,
        rs_steps=back.steps,
        rs_bandwidth=back.bandwidth,
        engine=ENGINE,
        diameter=spread.steps,
        bandwidth_optimal=spread.bandwidth == bound.bandwidth,
        moore_optimal=spread.steps == bound.steps,
    )
    return RecipeFacts(
        recipe=name,
        n=n,
        d=d,
        links=links.value,
        bound=bound,
        diameter=spread.steps,
        schedules=(row,),
        properties=_graph_properties(topology),
        injection=topology.injection,
        allreduce=bandwidth_record(topology),
        average_distance=average_distance(topology),
    )


def _limited_cost(topology: Topology) -> Cost:
    """The cost of the best BFB schedule; as its rows are played, where hosts have a limit."""
    limit = topology.injection
    if limit is None or limit >= topology.degree:
        return evaluate(topology).cost
    rows = topology.n * (topology.n - 1)
    require_memory(f"show: the rows of {topology.n} hosts with a limit", ROW_BYTES * rows)
    schedule = bfb_schedule(topology)
    played = simulate(
        topology, schedule, alpha=Fraction(), size=Fraction(1), node_bandwidth=Fraction(1),
        hosts=HostCosts(injection=limit / topology.degree),
    )  # fmt: skip
    return Cost(schedule.steps, played.stepped)


def _properties(recipe: Recipe) -> dict[str, bool | None]:
    known = properties(recipe)
    told = {
        "regular": known.regular,
        "two-way": known.bidirectional,
        "simple": known.simple,
        "free of self-loops": known.loop_free,
        "vertex-transitive": known.transitive,
    }
    if None in told.values() and size(recipe).n <= INSPECTED:
        seen = _graph_properties(build(recipe))
        told = {name: seen[name] if value is None else value for name, value in told.items()}
    return told


def _graph_properties(topology: Topology) -> dict[str, bool | None]:
    return {
        "regular": topology.is_regular,
        "two-way": topology.is_bidirectional,
        "simple": topology.is_simple,
        "free of self-loops": not topology.has_loops,
        "vertex-transitive": True if topology.is_transitive else None,
    }


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
    if links is LinkMode.DUPLEX and not base_properties(base).bidirectional:
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
