"""What no allreduce can beat, beside reduce-scatter + allgather and reduce + broadcast."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class AllreduceLimitRecord:
    """Times for a unit of weight: by cuts (theorem 16), by what hosts send (17), and two ways.

    `hosts` is None where switches multicast or combine, `rooted`, for reduce and then broadcast,
    where some node sends more than it receives. `scattered` is reduce-scatter and then allgather.
    """

    cut: Fraction
    hosts: Fraction | None
    rooted: Fraction | None
    scattered: Fraction

    @property
    def proof(self) -> str | None:
        """The condition of theorem 19 that makes reduce-scatter + allgather optimal, or None."""
        if self.scattered == self.cut:
            return "theorem 19 a"
        return "theorem 19 b" if self.scattered == self.hosts else None


def limit_lines(record: AllreduceLimitRecord) -> list[str]:
    """Two lines for a person.

    >>> print(*limit_lines(AllreduceLimitRecord(cut=Fraction(4), hosts=Fraction(15, 2),
    ...     rooted=Fraction(8), scattered=Fraction(15, 2))), sep="\\n")
    any allreduce: at least 4 by cuts, 15/2 by what hosts send
    reduce-scatter, then allgather: 15/2, optimal (theorem 19 b); reduce, then broadcast: 8
    """
    least = record.cut if record.hosts is None else max(record.cut, record.hosts)
    sent = "" if record.hosts is None else f", {record.hosts} by what hosts send"
    above = float(100 * (record.scattered / least - 1))
    proved = f"optimal ({record.proof})" if record.proof else f"at most {above:.3g} % above that"
    rooted = "" if record.rooted is None else f"; reduce, then broadcast: {record.rooted}"
    return [
        f"any allreduce: at least {record.cut} by cuts{sent}",
        f"reduce-scatter, then allgather: {record.scattered}, {proved}{rooted}",
    ]


def limit_fields(record: AllreduceLimitRecord) -> dict[str, Any]:
    """The same as JSON; fractions are strings."""
    return {
        "cuts": str(record.cut),
        "hosts": None if record.hosts is None else str(record.hosts),
        "reduce_scatter_allgather": str(record.scattered),
        "reduce_broadcast": None if record.rooted is None else str(record.rooted),
        "optimal_by": record.proof,
    }
