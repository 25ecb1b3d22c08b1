"""The columns of a query's answer: a name, a unit, an exact value, and how people read it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor
from operator import attrgetter
from typing import Any

from db.query_rows import MatchRow
from db.throughput_rows import ThroughputRow
from db.training_rows import TrainingRow
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from reports.bounds import free_ports_of
from reports.query_row import FoundCandidate
from reports.resilience import FailureRow, ResilienceRow
from reports.text import ID_SHOWN, cut_recipe
from reports.units import down_text, up_text

Value = int | str | bool | Fraction | None

MICRO, MILLI = 10**6, 10**3


Stored = Mapping[str | None, Sequence[Any]]
"""The fields of many rows, each of them in the order of the rows."""


def stored_fields(found: Sequence[FoundCandidate]) -> Stored:
    """All fields of the rows at once, which is quicker than one by one.

    >>> stored_fields([])
    {}
    """
    columns = zip(*(each.row for each in found), strict=True)
    return dict(zip(MatchRow._fields, columns, strict=True)) if found else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryColumn:
    """One column. `value` is what rows are ordered by and programs read.

    `field` names the field of `MatchRow` that `value` is, if it is one.
    People read what `text` makes of `shown`, which is `value` where it is not given; a text
    that is shown as it is needs neither. Where every row has a fraction, `rounded` gives the
    nearest float, quickly. `needs` says what must be known for the column to hold anything.
    """

    name: str
    unit: str
    meaning: str
    value: Callable[[FoundCandidate], Any]
    field: str | None = None
    text: Callable[[Any], str] | None = None
    shown: Callable[[FoundCandidate], Any] | None = None
    rounded: Callable[[FoundCandidate], float] | None = None
    needs: str | None = None

    @property
    def head(self) -> str:
        """The name with its unit."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name

    def texts(self, found: Sequence[FoundCandidate], stored: Stored | None = None) -> Sequence[str]:
        """What people read of each row. What rows have in common is told once.

        Fractions count as the same only where they are one object, for their hashes take long.
        Fields are taken from `stored` where that is given.
        """
        if stored and self.field in stored:
            values = stored[self.field]
        else:
            values = list(map(self.shown or self.value, found))
        if self.text is None:
            return values
        names = list(map(id, values)) if any(isinstance(v, Fraction) for v in values) else values
        known = {
            name: self.text(value) for name, value in dict(zip(names, values, strict=True)).items()
        }
        return [known[name] for name in names]


def column(name: str, source: str = "column") -> QueryColumn:
    """The column of that name; InvalidInput names the choices.

    >>> column("bandwidth").head
    'bandwidth [M/B]'
    """
    if name not in COLUMNS:
        raise InvalidInput(
            f"{source}: no column {excerpt(name)}; the choices are {', '.join(COLUMNS)}"
        )
    return COLUMNS[name]


def _word(name: str, meaning: str) -> QueryColumn:
    """A column of texts, none of them missing."""
    return QueryColumn(name=name, unit="", meaning=meaning, field=name, value=_field(name))


def _number(name: str, unit: str, meaning: str) -> QueryColumn:
    """A column of whole numbers, of truths, or of texts that may be missing."""
    return QueryColumn(
        name=name, unit=unit, meaning=meaning, field=name, value=_field(name), text=_cell_text
    )


def _field(name: str) -> Callable[[FoundCandidate], Any]:
    return attrgetter(f"row.{name}")


def _cell_text(value: Value) -> str:
    if value is True or value is False:
        return "yes" if value else "no"
    return "" if value is None else str(value)


def _bandwidth(name: str, meaning: str) -> QueryColumn:
    value = _field(name)
    return QueryColumn(
        name=name, unit="M/B", meaning=meaning, field=name, value=value, text=_four_digits,
        rounded=lambda found: _nearest(value(found)),
    )  # fmt: skip


def _nearest(ratio: Fraction) -> float:
    return ratio.numerator / ratio.denominator


def _four_digits(ratio: Fraction | float) -> str:
    return f"{_nearest(ratio) if isinstance(ratio, Fraction) else ratio:.4f}"


def _exactly(name: str, of: str, meaning: str) -> QueryColumn:
    return replace(_bandwidth(of, meaning), name=name, text=str)


def _over_bound(found: FoundCandidate) -> Fraction:
    """T_B over T_B*, (n - 1)/n but for a port left free; 1 for one node, which sends nothing."""
    n = found.row.n
    return found.row.bandwidth * _ports_used(found) * n / (n - 1) if n > 1 else Fraction(1)


def _ports_used(found: FoundCandidate) -> Fraction | int:
    """Of the ports of the host that has the fewest: (d - 1)/d where one is left free."""
    n, d = found.row.n, found.row.d
    return Fraction(d - 1, d) if free_ports_of(n, d, found.row.links) else 1


def _over_bound_rounded(found: FoundCandidate) -> float:
    n, bandwidth = found.row.n, found.row.bandwidth
    if free_ports_of(n, found.row.d, found.row.links):
        return float(_over_bound(found))
    return bandwidth.numerator * n / (bandwidth.denominator * (n - 1)) if n > 1 else 1.0


def _excess(found: FoundCandidate) -> int | None:
    row = found.row
    return None if row.bound_steps is None else row.steps - row.bound_steps


def _rate(
    name: str, meaning: str, end: Callable[[ThroughputRow], Fraction], told: Callable[..., str]
) -> QueryColumn:
    def value(found: FoundCandidate) -> Fraction | None:
        return None if found.rate is None else end(found.rate)

    def rate_text(rate: Fraction | None) -> str:
        return "" if rate is None else told(rate)

    unit = "link rates"
    return QueryColumn(
        name=name, unit=unit, meaning=meaning, value=value, text=rate_text, needs="throughput"
    )


def _exchange(end: int) -> Callable[[FoundCandidate], Fraction | None]:
    """The least (0) or the most (1) microseconds of the all-to-alls."""
    return lambda found: None if found.exchange is None else found.exchange[end] * MICRO


def _exchange_time(name: str, meaning: str, end: int) -> QueryColumn:
    """The least is rounded down and the most up, so that both are certain."""
    whole = ceil if end else floor

    def microseconds_text(spent: Fraction | None) -> str:
        return "" if spent is None else f"{whole(10 * spent) / 10:.1f}"

    return QueryColumn(
        name=name,
        unit="us",
        meaning=meaning,
        value=_exchange(end),
        text=microseconds_text,
        needs="all-to-alls",
    )


def _iteration(name: str, meaning: str, part: Callable[[TrainingRow], Fraction]) -> QueryColumn:
    """A time of a training's iteration, in milliseconds."""

    def value(found: FoundCandidate) -> Fraction | None:
        return None if found.iteration is None else part(found.iteration) * MILLI

    def milliseconds_text(spent: Fraction | None) -> str:
        return "" if spent is None else f"{float(spent):.3f}"

    return QueryColumn(
        name=name, unit="ms", meaning=meaning, value=value, text=milliseconds_text, needs="training"
    )


def _worst(row: FailureRow) -> Fraction | None:
    """None where some failure cuts hosts off."""
    return None if row.parted else row.worst


def _after(
    name: str, meaning: str, part: Callable[[ResilienceRow], Fraction | None]
) -> QueryColumn:
    """T_B of an allreduce by trees, worked out after failures."""

    def value(found: FoundCandidate) -> Fraction | None:
        return None if found.failures is None else part(found.failures)

    def bandwidth_text(bandwidth: Fraction | None) -> str:
        return "" if bandwidth is None else _four_digits(bandwidth)

    return QueryColumn(
        name=name, unit="M/B", meaning=meaning, value=value, text=bandwidth_text, needs="failures"
    )


def _time(found: FoundCandidate) -> Fraction | None:
    seconds = found.seconds
    return None if seconds is None else seconds * MICRO


def _rounded_time(found: FoundCandidate) -> float:
    return found.scaled[0] * MICRO / found.scaled[1] if found.scaled else 0.0


_LISTED = (
    _number("n", "nodes", "number of hosts"),
    _number("d", "ports", "ports of a host"),
    _word("links", "simplex or duplex circuits"),
    _number("steps", "alpha", "T_L of an allgather"),
    _bandwidth("bandwidth", "T_B of an allgather, rounded"),
    _exactly("bandwidth_exact", "bandwidth", "T_B of an allgather"),
    _number("rs_steps", "alpha", "T_L of a reduce-scatter"),
    _bandwidth("rs_bandwidth", "T_B of a reduce-scatter, rounded"),
    _exactly("rs_bandwidth_exact", "rs_bandwidth", "T_B of a reduce-scatter"),
    _number("bound_steps", "alpha", "least T_L of any graph of the size"),
    QueryColumn(
        name="excess_steps", unit="alpha", meaning="T_L above the least of the size",
        value=_excess, text=_cell_text,
    ),
    QueryColumn(
        name="bandwidth_ratio", unit="T_B*", meaning="T_B over the least of the size, rounded",
        value=_over_bound, rounded=_over_bound_rounded,
        shown=_over_bound_rounded, text=_four_digits,
    ),
    _number("diameter", "hops", "longest distance of two hosts"),
    QueryColumn(
        name="cost", unit="", meaning="exact, or at most: an upper bound",
        value=lambda found: "exact" if found.row.exact else "at most",
    ),
    _number("bandwidth_optimal", "", "whether T_B is the least possible"),
    _number("moore_optimal", "", "whether T_L is the least possible"),
    _number("on_frontier", "", "whether it is on the frontier of its size"),
    QueryColumn(
        name="time", unit="us", meaning="time of the workload's collectives", needs="workload",
        value=_time, rounded=_rounded_time, shown=_rounded_time, text="{:.1f}".format,
    ),
    _rate("alltoall_lower", "all-to-all throughput, at least", lambda rate: rate.lower, down_text),
    _rate("alltoall_upper", "all-to-all throughput, at most", lambda rate: rate.upper, up_text),
    _exchange_time("alltoall_least", "time of the workload's all-to-alls, at least", 0),
    _exchange_time("alltoall_most", "time of the workload's all-to-alls, at most", 1),
    _iteration("iteration", "one iteration of a training, at most", lambda row: row.seconds[1]),
    _iteration("iteration_least", "the same, at least", lambda row: row.seconds[0]),
    _iteration("compute", "what it computes", lambda row: row.compute),
    _iteration("exposed", "its collectives that no computation hides", lambda row: row.exposed[1]),
    _iteration("exchanged", "what its all-to-alls take, at most", lambda row: row.exchange[1]),
    QueryColumn(
        name="training", unit="", meaning="id of the training, by its first digits in tables",
        value=lambda found: found.training, text=_cell_text, needs="training",
        shown=lambda found: (found.training or "")[:ID_SHOWN],
    ),
    _after("trees", "T_B of an allreduce by low trees", lambda row: row.intact),
    _after("link_lost", "the same after the worst loss of a link", lambda row: _worst(row.links)),
    _after("link_lost_least", "what no trees beat then", lambda row: row.links.bound),
    _after("host_lost", "the same after the worst loss of a host", lambda row: _worst(row.hosts)),
    _word("method", "what found the cost"),
    _number("family", "", "what the recipe is built from and with"),
    QueryColumn(
        name="name", unit="", meaning="name under which the graph was merged",
        value=lambda found: found.name, text=_cell_text,
    ),
    QueryColumn(
        name="id", unit="", meaning="identity of the candidate, by its first digits in tables",
        value=_field("id"), shown=lambda found: found.row.id[:ID_SHOWN],
    ),
    QueryColumn(
        name="recipe", unit="", meaning="the topology; long ones are cut in tables, with the id",
        value=_field("recipe"), shown=lambda found: cut_recipe(found.row.recipe, found.row.id),
    ),
)  # fmt: skip

COLUMNS = {each.name: each for each in _LISTED}
"""All columns by name, in the order in which they are shown."""
