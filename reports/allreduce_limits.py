"""What no allreduce can beat, beside reduce-scatter + allgather and reduce + broadcast."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class AllreduceLimitRecord:
    """Times for a unit of weight: by cuts (theorem 16), by what hosts send (17), and two ways.

    `cut` is None where none was looked for, `hosts` where switches multicast or combine, `rooted`,
    for reduce and then broadcast, where some node sends more than it receives. `scattered` is the
    best reduce-scatter and then the best allgather by trees, None where that was not looked for.
    """

    cut: Fraction | None
    hosts: Fraction | None
    rooted: Fraction | None
    scattered: Fraction | None

    @property
    def least(self) -> Fraction:
        """No allreduce takes less."""
        return max(each for each in (self.cut, self.hosts) if each is not None)

    @property
    def proof(self) -> str | None:
        """The condition of theorem 19 that makes reduce-scatter + allgather optimal, or None."""
        if self.scattered is None:
            return None
        if self.scattered == self.cut:
            return "theorem 19 a"
        return "theorem 19 b" if self.scattered == self.hosts else None

    def scale(self, factor: Fraction) -> "AllreduceLimitRecord":
        """The same in another unit, of which one of these is `factor`."""
        told = (self.cut, self.hosts, self.rooted, self.scattered)
        cut, hosts, rooted, scattered = (each and each * factor for each in told)
        return AllreduceLimitRecord(cut=cut, hosts=hosts, rooted=rooted, scattered=scattered)


def limit_lines(
    record: AllreduceLimitRecord, unit: str = "", told: Callable[[Fraction], str] = str
) -> list[str]:
    """A line or two for a person; numbers are `told` some way, with a unit behind them.

    >>> print(*limit_lines(AllreduceLimitRecord(cut=Fraction(4), hosts=Fraction(15, 2),
    ...     rooted=Fraction(8), scattered=Fraction(15, 2))), sep="\\n")
    any allreduce: at least 4 by cuts, 15/2 by what hosts send
    reduce-scatter, then allgather by trees: 15/2, optimal (theorem 19 b); reduce, then broadcast: 8
    """
    known = {"cuts": record.cut, "what hosts send": record.hosts}
    limits = [
        f"{told(value)}{unit} by {what}" for what, value in known.items() if value is not None
    ]
    lines = [f"any allreduce: at least {', '.join(limits)}"]
    if record.scattered is not None:
        above = float(100 * (record.scattered / record.least - 1))
        proved = (
            f"optimal ({record.proof})"
            if record.proof
            else f"at most {above:.3g} % above (theorem 19 is not met)"
        )
        line = f"reduce-scatter, then allgather by trees: {told(record.scattered)}{unit}, {proved}"
        if record.rooted is not None:
            line += f"; reduce, then broadcast: {told(record.rooted)}{unit}"
        lines.append(line)
    return lines


def limit_fields(record: AllreduceLimitRecord) -> dict[str, Any]:
    """The same as JSON; fractions are strings."""
    told = {
        "cuts": record.cut,
        "hosts": record.hosts,
        "reduce_scatter_allgather": record.scattered,
        "reduce_broadcast": record.rooted,
    }
    fields = {name: None if value is None else str(value) for name, value in told.items()}
    return fields | {"optimal_by": record.proof}
