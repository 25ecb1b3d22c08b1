"""What is known of one recipe, as text for a person and as JSON for a program."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from db.rows import CandidateRow
from expansions.cost import Cost
from reports.allreduce_limits import AllreduceLimitRecord, limit_fields, limit_lines
from reports.baselines import BaselineRow, baseline_fields, baselines_text
from reports.bounds import bound_fields, source_words
from reports.text import table

LIMITED = "injection limit"
"""What is said to bound T_B where hosts cannot fill their links."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeFacts:
    """A recipe's graph, its lower bounds, and the schedules that are known for it.

    `schedules` are ordered by steps; the last one needs the least bandwidth. `properties` are
    facts of the graph such as "simple"; they and `links` are None where that is not known. An
    `injection` limit of hosts, in rates of a link, is counted in all T_B, and in the bound.
    `allreduce` is what none can beat, in M/B. The `average_distance` is that from one host to
    another, None for large graphs.
    """

    recipe: str
    n: int
    d: int
    links: str | None
    bound: Cost
    diameter: int | None
    schedules: tuple[CandidateRow, ...]
    properties: dict[str, bool | None]
    injection: Fraction | None = None
    allreduce: AllreduceLimitRecord | None = None
    average_distance: Fraction | None = None

    @property
    def main(self) -> CandidateRow:
        """The schedule that needs the least bandwidth."""
        return self.schedules[-1]

    @property
    def limit_decides(self) -> bool:
        """Whether it is the limit of hosts that makes the bound on T_B what it is."""
        if self.injection is None or self.injection >= self.d:
            return False
        return self.bound.bandwidth == limited_bandwidth(self.n, self.d, self.injection)


def limited_bandwidth(n: int, d: int, injection: Fraction) -> Fraction:
    """T_B at least where a host of d links receives no more than `injection` of them bring.

    >>> limited_bandwidth(4, 2, Fraction(3, 2))
    Fraction(1, 1)
    """
    return Fraction(n - 1, n) * d / injection


def recipe_text(facts: RecipeFacts, baselines: Sequence[BaselineRow] | None = None) -> str:
    """A few lines of facts, a table of the schedules, and one of the baselines if given."""
    diameter = "not known" if facts.diameter is None else str(facts.diameter)
    if facts.average_distance is not None:
        diameter += f", average distance {float(facts.average_distance):.3f}"
    links = "links unknown" if facts.links is None else f"{facts.links} links"
    told = [_property_text(name, value) for name, value in facts.properties.items()]
    rows = [_cells(row, facts.bound) for row in facts.schedules]
    sources = source_words(facts.n, facts.d, facts.links, facts.bound.steps)
    if facts.limit_decides:
        sources = sources.split(";")[0] + f"; {LIMITED}"
    columns = ["T_L", "T_B", "T_B exact", "over T_L*", "T_B/T_B*", "RS T_L", "RS T_B", "cost", "by"]
    return "\n".join(
        [
            facts.recipe,
            f"  nodes {facts.n}, degree {facts.d}, diameter {diameter}, {links}",
            *([f"  {', '.join(told)}"] if told else ()),
            f"  lower bounds: T_L {facts.bound.steps} alpha, T_B {facts.bound.bandwidth} M/B "
            f"({sources})",
            *_more_limits(facts),
            "",
            table(columns, rows),
            *([] if baselines is None else ["", baselines_text(baselines)]),
        ]
    )


def _more_limits(facts: RecipeFacts) -> list[str]:
    lines = [] if facts.allreduce is None else limit_lines(facts.allreduce, " M/B")
    if facts.injection is not None:
        most = f"hosts send, and receive, as much as {facts.injection} links at most"
        lines = [f"{most}: T_B counts it", *lines]
    return [f"  {line}" for line in lines]


def _property_text(name: str, value: bool | None) -> str:
    if value is None:
        return f"{name}: unknown"
    return name if value else f"not {name}"


def _cells(row: CandidateRow, bound: Cost) -> list[str]:
    return [
        str(row.steps),
        f"{float(row.bandwidth):.3f}",
        str(row.bandwidth),
        str(row.steps - bound.steps),
        f"{float(_ratio(row, bound)):.3f}",
        str(row.rs_steps),
        f"{float(row.rs_bandwidth):.3f}",
        "exact" if row.exact else "at most",
        row.method,
    ]


def _ratio(row: CandidateRow, bound: Cost) -> Fraction:
    return row.bandwidth / bound.bandwidth


def recipe_fields(
    facts: RecipeFacts, baselines: Sequence[BaselineRow] | None = None
) -> dict[str, Any]:
    """The facts as the fields of a JSON object; fractions are strings."""
    main = facts.main
    found: dict[str, Any] = {
        "recipe": facts.recipe,
        "n": facts.n,
        "d": facts.d,
        "links": facts.links,
        "steps": main.steps,
        "bandwidth": str(main.bandwidth),
        "reduce_scatter": {"steps": main.rs_steps, "bandwidth": str(main.rs_bandwidth)},
        "exact": main.exact,
        "method": main.method,
        "diameter": facts.diameter,
        "average_distance": (
            None if facts.average_distance is None else str(facts.average_distance)
        ),
        "bandwidth_optimal": main.bandwidth_optimal,
        "moore_optimal": main.moore_optimal,
        "bound": bound_fields(facts.n, facts.d, facts.links, facts.bound),
        "properties": dict(facts.properties),
        "schedules": [
            {
                "method": row.method,
                "steps": row.steps,
                "bandwidth": str(row.bandwidth),
                "reduce_scatter": {"steps": row.rs_steps, "bandwidth": str(row.rs_bandwidth)},
                "exact": row.exact,
            }
            for row in facts.schedules
        ],
    }
    if facts.allreduce is not None:
        found["any_allreduce"] = limit_fields(facts.allreduce)
    if facts.injection is not None:
        found["injection"] = str(facts.injection)
    if facts.limit_decides:
        found["bound"]["bandwidth_source"] = LIMITED
    if baselines is not None:
        found["baselines"] = list(map(baseline_fields, baselines))
    return found
