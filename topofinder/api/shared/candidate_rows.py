"""Candidates as rows of the database and back."""

import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, get_args

from db.named_graphs import GraphOfOthers, graphs_parameter
from db.rows import EFFORT, CandidateRow, FrontierRow, SizeRow
from expansions.recipe import Recipe, family
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from topofinder.model.candidate import Candidate, LinkMode, Method, cost_lower_bound
from topofinder.model.frontier import frontier

ENGINE = 16
"""Version of the search. It grows whenever an answer can change; stored answers are then redone."""

OWN_NAMES = frozenset(
    (
        *("BiRing", "C", "Cay", "Chords", "Coset", "CyclePrefix", "DBJ", "DBJMod"),
        *("Diamond", "DirC", "DistReg", "DoubleBinaryTree", "H", "K", "Kautz", "Lift"),
        *("Mesh", "MultiK", "Pi", "Q", "ShiftedRing", "Small", "Torus", "TwistedQ"),
        *("TwistedTorus", "TwistedTorus3", "UniRing"),
        *("Bi", "BiGraft", "Graft", "L", "Match", "SplitOff", "T", "x"),
    )
)
"""Families and expansions that are entered without any plugin; a test compares the registers."""

_GROUP = re.compile(r"\b(Cay|Coset|Lift)\([^;]*;")
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")

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
    return CandidateRow(engine=ENGINE, **candidate_fields(candidate, links))


def candidate_fields(candidate: Candidate, links: LinkMode) -> dict[str, Any]:
    """The fields of that row by name, but for the engine's and who wrote it when."""
    facts: dict[str, Any] = {name: getattr(candidate, name) for name in _FITNESS}
    if candidate.loads is not None:
        facts["loads"] = [[str(load) for load in side] for side in candidate.loads]
    return {
        "recipe": str(candidate.recipe),
        "links": links.value,
        "method": candidate.method.value,
        "n": candidate.n,
        "d": candidate.d,
        "steps": candidate.allgather.steps,
        "bandwidth": candidate.allgather.bandwidth,
        "rs_steps": candidate.reduce_scatter.steps,
        "rs_bandwidth": candidate.reduce_scatter.bandwidth,
        "exact": candidate.exact,
        "diameter": candidate.diameter,
        "bandwidth_optimal": candidate.bandwidth_optimal,
        "moore_optimal": candidate.moore_optimal,
        "family": family(candidate.recipe),
        "facts": facts,
    }


def candidate_of(row: CandidateRow, recipe: Recipe | None = None) -> Candidate:
    """The candidate that a row stores; its `recipe` is parsed unless it is given.

    Raises InvalidInput for a row that this program has not written.
    """
    from expansions.parser import parse
    from expansions.size import size

    with _name_damaged(row):
        recipe = recipe or parse(row.recipe)
        if size(recipe) != (row.n, row.d):
            raise ValueError(recipe)
        return Candidate(
            recipe=recipe,
            n=row.n,
            d=row.d,
            allgather=row.allgather,
            reduce_scatter=row.reduce_scatter,
            exact=row.exact,
            diameter=row.diameter,
            **_fitness(row),
        )


def require_readable(row: CandidateRow, written: Collection[str] = ()) -> None:
    """Refuse a row that this version cannot use: of another engine's, only what an answer shows.

    `written` are the identities that the file states. One is a hash of recipe, links and method:
    where this engine's row is found under its own, these are as a search wrote them, and a recipe
    of topofinder's own names is not parsed again, which takes numpy and all families.
    Raises InvalidInput that tells what is not known.
    """
    if row.engine == ENGINE and row.id in written and has_own_names(row.recipe):
        _require_facts(row)
        return
    if row.engine == ENGINE:
        candidate_of(row)
        return
    if row.method not in set(Method):
        raise InvalidInput(
            f"the method {excerpt(row.method)} of {excerpt(row.recipe)} is not known"
        )
    from expansions.parser import parse
    from expansions.size import size

    try:
        known = size(parse(row.recipe)) == (row.n, row.d)
    except InvalidInput:
        known = False
    if not known:
        raise InvalidInput(f"the recipe {excerpt(row.recipe)} is not known")


def has_own_names(recipe: str) -> bool:
    """Whether every name in the text of a recipe is one of topofinder's own.

    >>> has_own_names("L^2(Diamond) x Cay(Z8:Z2[3];1,2)*3"), has_own_names("L(Moeb(4))")
    (True, False)
    """
    return OWN_NAMES.issuperset(_WORD.findall(_GROUP.sub("", recipe)))


def _require_facts(row: CandidateRow) -> None:
    with _name_damaged(row):
        _fitness(row)


@contextmanager
def _name_damaged(row: CandidateRow) -> Iterator[None]:
    """Name the row in any error that its content leads to."""
    try:
        yield
    except (AttributeError, ArithmeticError, KeyError, TypeError, ValueError):
        raise InvalidInput(f"the candidate {excerpt(row.recipe)} is damaged or unknown") from None


def _fitness(row: CandidateRow) -> dict[str, Any]:
    """The fields of a candidate that are stored as words and facts, each of its kind."""
    loads = row.facts.get("loads")
    for name in _FITNESS:
        _require_kind(row.facts[name], Candidate.__dataclass_fields__[name].type)
    return {
        "method": Method(row.method),
        "loads": loads and tuple(tuple(map(_load, side)) for side in loads),
        **{name: row.facts[name] for name in _FITNESS},
    }


def _load(text: str) -> Fraction:
    """A load as `candidate_fields` writes it, read in a third of the time that Fraction takes."""
    over, _, under = text.partition("/")
    return Fraction(int(over), int(under or 1))


def _require_kind(value: object, kind: Any) -> None:
    """Refuse a fact of another type than the candidate's; a bool is no int here."""
    kinds = get_args(kind) or (kind,)
    if type(value) not in kinds:
        raise TypeError(value)


def size_row(
    n: int,
    d: int,
    links: LinkMode,
    pool: Iterable[Candidate],
    effort: int = 0,
    graphs: Iterable[GraphOfOthers] = (),
) -> SizeRow:
    """One finished size: its frontier, and the pool that larger sizes draw on.

    Of the `graphs` that were merged by name, those stay that are on the frontier.
    """
    kept = list(pool)
    # By identity: to hash a candidate takes longer than to write it down.
    rows = {id(candidate): candidate_row(candidate, links) for candidate in kept}
    bound = cost_lower_bound(n, d, links)
    members = tuple(rows[id(candidate)] for candidate in frontier(kept))
    best = {row.recipe for row in members}
    named = graphs_parameter(one for one in graphs if one.recipe in best)
    return SizeRow(
        frontier=FrontierRow(
            n=n,
            d=d,
            links=links.value,
            engine=ENGINE,
            bound_steps=bound.steps,
            bound_bandwidth=bound.bandwidth,
            parameters=({EFFORT: effort} if effort else {}) | named,
            members=members,
        ),
        pool=tuple(rows.values()),
    )
