"""Candidates as rows of the database and back."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, get_args

from db.rows import CandidateRow, FrontierRow, SizeRow
from expansions.parser import parse
from expansions.recipe import family
from expansions.size import size
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from topofinder.model.candidate import Candidate, LinkMode, Method, cost_lower_bound
from topofinder.model.frontier import frontier

ENGINE = 3
"""Version of the search. It grows whenever an answer can change; stored answers are then redone."""

_FITNESS = (
    "balanced",
    "simple",
    "loop_free",
    "two_way",
    "symmetric",
    "even_return",
    "cycle",
    "line_exact",
)


def candidate_row(candidate: Candidate, links: LinkMode) -> CandidateRow:
    """The row under which a candidate is stored, its fitness for expansions among the facts."""
    facts: dict[str, Any] = {name: getattr(candidate, name) for name in _FITNESS}
    if candidate.loads is not None:
        facts["loads"] = [[str(load) for load in side] for side in candidate.loads]
    return CandidateRow(
        recipe=str(candidate.recipe),
        links=links.value,
        method=candidate.method.value,
        n=candidate.n,
        d=candidate.d,
        steps=candidate.allgather.steps,
        bandwidth=candidate.allgather.bandwidth,
        rs_steps=candidate.reduce_scatter.steps,
        rs_bandwidth=candidate.reduce_scatter.bandwidth,
        engine=ENGINE,
        exact=candidate.exact,
        diameter=candidate.diameter,
        bandwidth_optimal=candidate.bandwidth_optimal,
        moore_optimal=candidate.moore_optimal,
        family=family(candidate.recipe),
        facts=facts,
    )


def candidate_of(row: CandidateRow) -> Candidate:
    """The candidate that a row stores.

    Raises InvalidInput for a row that this program has not written.
    """
    try:
        return _candidate(row)
    except (AttributeError, ArithmeticError, KeyError, TypeError, ValueError):
        raise InvalidInput(f"the candidate {excerpt(row.recipe)} is damaged or unknown") from None


def require_readable(row: CandidateRow) -> None:
    """Refuse a row that this version cannot use: of another engine's, only what an answer shows.

    Raises InvalidInput that tells what is not known.
    """
    if row.engine == ENGINE:
        candidate_of(row)
        return
    if row.method not in set(Method):
        raise InvalidInput(
            f"the method {excerpt(row.method)} of {excerpt(row.recipe)} is not known"
        )
    try:
        known = size(parse(row.recipe)) == (row.n, row.d)
    except InvalidInput:
        known = False
    if not known:
        raise InvalidInput(f"the recipe {excerpt(row.recipe)} is not known")


def _candidate(row: CandidateRow) -> Candidate:
    facts, recipe = dict(row.facts), parse(row.recipe)
    if size(recipe) != (row.n, row.d):
        raise ValueError(recipe)
    loads = facts.pop("loads", None)
    for name in _FITNESS:
        _require_kind(facts[name], Candidate.__dataclass_fields__[name].type)
    return Candidate(
        recipe=recipe,
        n=row.n,
        d=row.d,
        method=Method(row.method),
        allgather=row.allgather,
        reduce_scatter=row.reduce_scatter,
        exact=row.exact,
        diameter=row.diameter,
        loads=loads and tuple(tuple(map(Fraction, side)) for side in loads),
        **{name: facts[name] for name in _FITNESS},
    )


def _require_kind(value: object, kind: Any) -> None:
    """Refuse a fact of another type than the candidate's; a bool is no int here."""
    kinds = get_args(kind) or (kind,)
    if type(value) not in kinds:
        raise TypeError(value)


def size_row(n: int, d: int, links: LinkMode, pool: Iterable[Candidate]) -> SizeRow:
    """One finished size: its frontier, and the pool that larger sizes draw on."""
    kept = list(pool)
    # By identity: to hash a candidate takes longer than to write it down.
    rows = {id(candidate): candidate_row(candidate, links) for candidate in kept}
    bound = cost_lower_bound(n, d, links)
    return SizeRow(
        frontier=FrontierRow(
            n=n,
            d=d,
            links=links.value,
            engine=ENGINE,
            bound_steps=bound.steps,
            bound_bandwidth=bound.bandwidth,
            members=tuple(rows[id(candidate)] for candidate in frontier(kept)),
        ),
        pool=tuple(rows.values()),
    )
