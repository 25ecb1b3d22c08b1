"""What is stored, as frozen rows of plain ints, strs and Fractions, checked when they are made.

`version` and `created` say who wrote a row and when. They are no part of what it says, so two
rows that differ in them alone are equal.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from db.identity import candidate_id
from db.named_graphs import GraphOfOthers, read_graphs
from db.values import document, flag, integer, ratio, text
from expansions.collective_costs import CountedCosts
from generators.errors import InvalidInput
from generators.version import __version__

LINKS = ("simplex", "duplex")
"""Link modes: each circuit carries one direction, or both."""

EFFORT = "effort"
"""The parameter of a search that says how long lifts were looked for."""

_OPTIONAL = {"diameter", "bandwidth_optimal", "moore_optimal", "family", "created"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateRow(CountedCosts):
    """One recipe costed by one method. Steps count alpha, bandwidths count M/B.

    `exact` is False where the cost is an upper bound; `None` means not known. `facts` holds any
    further properties as JSON. `engine` is the version of the algorithm that found the cost.

    >>> ring = CandidateRow(recipe="BiRing(2,3)", links="duplex", method="bfb", n=3, d=2, steps=1,
    ...     bandwidth=Fraction(2, 3), rs_steps=1, rs_bandwidth=Fraction(2, 3), engine=1)
    >>> ring.allreduce
    Cost(steps=2, bandwidth=Fraction(4, 3))
    """

    recipe: str
    links: str
    method: str
    n: int
    d: int
    steps: int
    bandwidth: Fraction
    rs_steps: int
    rs_bandwidth: Fraction
    engine: int
    exact: bool = True
    diameter: int | None = None
    bandwidth_optimal: bool | None = None
    moore_optimal: bool | None = None
    family: str | None = None
    facts: Mapping[str, Any] = field(default_factory=dict, hash=False)
    version: str = field(default=__version__, compare=False)
    created: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        for name in ("recipe", "method", "version", "family", "created"):
            _settle(self, name, text)
        for name in ("steps", "rs_steps", "diameter", "engine"):
            _settle(self, name, integer)
        for name in ("exact", "bandwidth_optimal", "moore_optimal"):
            _settle(self, name, flag)
        for name in ("bandwidth", "rs_bandwidth"):
            _settle(self, name, ratio)
        _settle(self, "facts", document)
        _settle_size(self)

    @property
    def id(self) -> str:
        """The primary key, see `db.identity.candidate_id`."""
        return candidate_id(self.recipe, self.links, self.method)


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontierRow:
    """The Pareto frontier of one finished size (n, d, links), best steps first.

    The bounds are the least steps and bandwidth that any graph of the size can reach.
    `parameters` holds, as JSON, what changes the answer of the search: EFFORT, a number above 0,
    and the graphs that were merged by name (`db.named_graphs`).

    >>> FrontierRow(n=3, d=2, links="duplex", engine=1, bound_steps=1,
    ...     bound_bandwidth=Fraction(2, 3)).members
    ()
    """

    n: int
    d: int
    links: str
    engine: int
    bound_steps: int
    bound_bandwidth: Fraction
    members: tuple[CandidateRow, ...] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)
    version: str = field(default=__version__, compare=False)
    created: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        for name in ("version", "created"):
            _settle(self, name, text)
        for name in ("engine", "bound_steps"):
            _settle(self, name, integer)
        _settle(self, "bound_bandwidth", ratio)
        _settle(self, "parameters", document)
        read_graphs(self.parameters)
        _settle_size(self)
        object.__setattr__(self, "members", _members(self, "frontier", self.members))

    @property
    def effort(self) -> int:
        """How long lifts were looked for, 0 for not at all."""
        effort = self.parameters.get(EFFORT, 0)
        return effort if type(effort) is int else 0

    @property
    def graphs(self) -> tuple[GraphOfOthers, ...]:
        """The graphs that were merged by name."""
        return read_graphs(self.parameters)

    @property
    def names(self) -> dict[str, str]:
        """Their names by recipe."""
        return {one.recipe: one.name for one in self.graphs}


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeRow:
    """All that is saved of one size at once: its frontier and, where one is kept, its pool.

    The pool lists the candidates kept for further expansion; `None` means that none is kept.
    """

    frontier: FrontierRow
    pool: tuple[CandidateRow, ...] | None = None

    def __post_init__(self) -> None:
        if self.pool is not None:
            object.__setattr__(self, "pool", _members(self.frontier, "pool", self.pool))


def _members(
    size: FrontierRow, name: str, members: tuple[CandidateRow, ...]
) -> tuple[CandidateRow, ...]:
    """`members` as a tuple, each of the size's n, d, links and engine and none twice."""
    members = tuple(members)
    for row in members:
        for key in ("n", "d", "links", "engine"):
            if getattr(row, key) != getattr(size, key):
                offered = f"{getattr(row, key)} of {row.recipe}"
                raise InvalidInput(f"{name}: {key} is {getattr(size, key)}, not {offered}")
    keys = [(row.recipe, row.method) for row in members]
    if len(set(keys)) < len(keys):
        twice = next(key for key in keys if keys.count(key) > 1)
        raise InvalidInput(f"{name}: {twice[0]} by {twice[1]} is listed twice")
    return members


def _settle(row: object, name: str, check: Any) -> None:
    """Put the checked value of a field in its place; a field left at None stays None."""
    value = getattr(row, name)
    if value is None and name in _OPTIONAL:
        return
    settled = check(name, value)
    if settled is not value:
        object.__setattr__(row, name, settled)


def _settle_size(row: CandidateRow | FrontierRow) -> None:
    """Check n, d and links, which every row has."""
    for name in ("n", "d"):
        object.__setattr__(row, name, integer(name, getattr(row, name), 1))
    if row.links not in LINKS:
        raise InvalidInput(f"links must be simplex or duplex, not {row.links!r}")
