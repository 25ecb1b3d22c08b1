"""Tables 8 and 9: distance-regular graphs of degree 4, and what is claimed of base graphs."""

from collections.abc import Iterator
from typing import Any

from expansions.build import build
from expansions.isomorphism import reverse_isomorphism
from expansions.lower_bounds import least_bandwidth, moore_steps, two_way_moore_steps
from expansions.parser import parse
from reports.reproduced import ComparisonRow, ReproductionRecord, exactly
from topofinder.api.reproduce.sources import Sources, read_published

DEGREE = 4
NOTES = {
    "DBJ(4,1)": "self-loops take ports, so T_B is above (N-1)/N",
}


def table8(sources: Sources) -> ReproductionRecord:
    """Table 8: N, T_L, both Moore bounds and its distance from them; T_B is optimal."""
    rows: list[ComparisonRow] = []
    for name, n, steps, *printed in sources.each(read_published()["table8"]):
        row = sources.candidate(f"DistReg(4,{n})")
        least, least_two_way = moore_steps(n, DEGREE), two_way_moore_steps(n, DEGREE)
        bound, over, two_way_bound, over_two_way = printed
        optimal = "yes" if row.bandwidth == least_bandwidth(n) else "no"
        figures: tuple[tuple[str, str, Any, Any], ...] = (
            ("N", "hosts", exactly(row.n), n),
            ("T_L", "alpha", exactly(row.steps), steps),
            ("T_L*", "alpha", exactly(least), bound),
            ("T_L - T_L*", "alpha", exactly(row.steps - least), over),
            ("T_L**", "alpha", exactly(least_two_way), two_way_bound),
            ("T_L - T_L**", "alpha", exactly(row.steps - least_two_way), over_two_way),
            ("bandwidth-optimal", "", optimal, "yes"),
        )
        for quantity, unit, ours, value in figures:
            rows.append(
                ComparisonRow(
                    subject=name,
                    quantity=quantity,
                    unit=unit,
                    ours=ours,
                    published=value,
                    key=sources.key(row),
                )
            )
    title = "Table 8: distance-regular graphs, d = 4"
    return ReproductionRecord(name="table8", title=title, rows=tuple(rows))


def table9(sources: Sources) -> ReproductionRecord:
    """Table 9: the claims on base graphs, each tried on a member of the family."""
    rows = [
        row for line in sources.each(read_published()["table9"]) for row in _claims(sources, *line)
    ]
    title = "Table 9: base graphs, by a member of each family"
    return ReproductionRecord(name="table9", title=title, rows=tuple(rows))


def _claims(
    sources: Sources,
    recipe: str,
    degree: int,
    n: int,
    by_bfb: bool,
    symmetric: bool | None,
    bandwidth: bool,
    steps: int | str | None,
    loops: bool,
    parallel: bool,
) -> Iterator[ComparisonRow]:
    graph, row = build(parse(recipe)), sources.candidate(recipe)
    least = moore_steps(row.n, row.d)
    arcs = list(zip(graph.tail.tolist(), graph.head.tolist(), strict=True))
    proper = [(u, v) for u, v in arcs if u != v]
    told: tuple[tuple[str, Any, Any], ...] = (
        ("degree", exactly(graph.degree), degree),
        ("N", exactly(graph.n), n),
        ("scheduled by BFB", _yes(row.method == "bfb"), _yes(by_bfb)),
        ("reverse-symmetric", _yes(reverse_isomorphism(graph) is not None), _yes(symmetric)),
        ("bandwidth-optimal", _yes(row.bandwidth == least_bandwidth(row.n)), _yes(bandwidth)),
        ("T_L", _steps(row.steps, least, steps), steps),
        ("self-loops", _yes(graph.has_loops), _yes(loops)),
        ("parallel arcs", _yes(len(set(proper)) < len(proper)), _yes(parallel)),
    )
    for quantity, ours, value in told:
        note = NOTES.get(recipe, "") if quantity == "bandwidth-optimal" else ""
        unit = {"T_L": "alpha", "N": "hosts"}.get(quantity, "")
        yield ComparisonRow(
            subject=recipe,
            quantity=quantity,
            unit=unit,
            ours=ours,
            published=value,
            note=note,
            key=sources.key(row),
        )


def _steps(steps: int, least: int, claim: int | str | None) -> Any:
    """T_L in the terms of the claim: a number, or how it stands to the Moore bound."""
    if claim is None or isinstance(claim, int):
        return exactly(steps)
    if claim == "T_L* + 1":  # which is claimed at most
        return claim if steps <= least + 1 else f"{steps}"
    return "optimal" if steps == least else "no"


def _yes(value: bool | None) -> str | None:
    return None if value is None else ("yes" if value else "no")
