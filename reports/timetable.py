"""A timetable that was made or read, as text and as JSON."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from reports.allreduce_limits import AllreduceLimitRecord, limit_fields, limit_lines
from reports.method_times import MethodTime, method_time_fields, method_time_lines
from reports.units import rate_text, size_words, time_text


@dataclass(frozen=True, slots=True, kw_only=True)
class TimetableRecord:
    """A timetable: what it runs on, how long it takes, and where it is kept.

    `sends` are those of all nodes, `stored_sends` those in the file: fewer where translations make
    the others; likewise `chunks`. `alpha` (seconds) and `rate` (bytes a second) are what latency 1
    and capacity 1 stand for, `size` all bytes. `time` is that of the collective with the
    seconds that hosts add, its `overhead`; `bound` is what nothing beats, `making` the seconds it
    took to make. `use` is the share of busy arcs in equal spans of time. `bounds` are those of each
    kind that were worked out, by name; `trials` what every maker reached, `methods` what every
    schedule method would take. `limits` are seconds that the bytes of an allreduce take at least,
    by trees or not.
    """

    subject: str
    recipe: str | None
    damage: str | None
    collective: str
    root: str | None
    method: str | None
    model: str
    nodes: int
    hosts: int
    chunks: int
    chunk_bytes: Fraction
    sends: int
    stored_sends: int
    routes: int
    alpha: Fraction
    rate: Fraction
    size: Fraction
    tick: Fraction
    makespan: int
    bound: Fraction | None
    seed: int | None
    use: tuple[Fraction, ...]
    digest: str
    making: float | None = None
    file: str | None = None
    bounds: tuple[tuple[str, Fraction], ...] = ()
    trials: tuple[MethodTime, ...] = ()
    methods: tuple[MethodTime, ...] = ()
    limits: AllreduceLimitRecord | None = None
    overhead: Fraction = Fraction()

    @property
    def time(self) -> Fraction:
        """Of the collective, in seconds."""
        return self.makespan * self.tick + self.overhead

    @property
    def gap(self) -> Fraction | None:
        """How much longer than the bound it takes, relatively; None where that is not known."""
        if self.bound is None or not self.bound:
            return None
        return self.time / self.bound - 1

    @property
    def mean_use(self) -> Fraction:
        """The share of busy arcs over the whole time."""
        return sum(self.use, Fraction()) / len(self.use)


def timetable_text(record: TimetableRecord) -> str:
    """Some lines for a person.

    >>> record = TimetableRecord(subject="UniRing(1,4)", recipe="UniRing(1,4)", damage=None,
    ...     collective="allgather", root=None, method="rounds", model="pipelined", nodes=4, hosts=4,
    ...     chunks=4, chunk_bytes=Fraction(1000), sends=12, stored_sends=3, routes=0,
    ...     alpha=Fraction(1, 10**6), rate=Fraction(10**9), size=Fraction(4000),
    ...     tick=Fraction(1, 10**6), makespan=6, bound=Fraction(3, 10**6), seed=7,
    ...     use=(Fraction(1, 2), Fraction(1)), digest="ab", making=0.1, file="a.npz")
    >>> print(timetable_text(record))
    allgather on UniRing(1,4) by rounds: 6.0 us, bound 3.0 us, gap 100 %
      3.906 KiB in all, alpha 1.0 us, links of 8 Gbps, pipelined
      4 chunks of 1000 B, 12 sends (the 3 of node 0, translated)
      links busy 75 %; over 2 equal spans of time: 50 100 %
      written to a.npz
    """
    what = record.collective if record.root is None else f"{record.collective}, root {record.root},"
    subject = f"{record.subject} {record.damage}" if record.damage else record.subject
    by = record.method or "an unknown method"
    lines = [
        f"{what} on {subject} by {by}: {time_text(record.time)}{_bound_text(record)}",
        f"  {size_words(record.size)} in all, alpha {time_text(record.alpha)}, "
        f"links of {rate_text(record.rate)}, {record.model}",
        f"  {record.chunks} chunks of {size_words(record.chunk_bytes)}, {_sends_text(record)}",
        f"  links busy {_percent(record.mean_use)}; over {len(record.use)} equal spans of time: "
        f"{' '.join(str(round(100 * share)) for share in record.use)} %",
    ]
    if record.overhead:
        lines.append(f"  hosts add {time_text(record.overhead)} to each of the times")
    if record.bounds:
        known = ", ".join(f"{name} {time_text(value)}" for name, value in record.bounds)
        lines.append(f"  bounds: {known}")
    if record.limits is not None:
        told = limit_lines(record.limits, told=time_text)
        lines += ["  bytes alone, without latency:", *(f"    {line}" for line in told)]
    lines += [f"  {line}" for line in method_time_lines(record.methods)]
    if record.file is not None:
        read = record.making is None
        lines.append(f"  content {record.digest}" if read else f"  written to {record.file}")
    return "\n".join(lines)


def _bound_text(record: TimetableRecord) -> str:
    if record.bound is None:
        return ""
    if record.time == record.bound:
        return ", which nothing beats"
    gap = "" if record.gap is None else f", gap {_percent(record.gap)}"
    return f", bound {time_text(record.bound)}{gap}"


def _sends_text(record: TimetableRecord) -> str:
    routes = f" over {record.routes} routes" if record.routes else ""
    if record.stored_sends == record.sends:
        return f"{record.sends} sends{routes}"
    return f"{record.sends} sends (the {record.stored_sends} of node 0, translated)"


def _percent(share: Fraction) -> str:
    return f"{float(100 * share):.3g} %"


def timetable_fields(record: TimetableRecord) -> dict[str, Any]:
    """The fields of a timetable in JSON: exact fractions are strings, other times seconds."""
    found: dict[str, Any] = {
        "recipe": record.recipe,
        "damage": record.damage,
        "collective": record.collective,
        "root": record.root,
        "method": record.method,
        "model": record.model,
        "n": record.hosts,
        "nodes": record.nodes,
        "chunks": record.chunks,
        "chunk_bytes": str(record.chunk_bytes),
        "sends": record.sends,
        "stored_sends": record.stored_sends,
        "routes": record.routes,
        "alpha": str(record.alpha),
        "rate": str(record.rate),
        "size": str(record.size),
        "tick": str(record.tick),
        "makespan": record.makespan,
        "runtime": float(record.time),
        "runtime_exact": str(record.time),
        "bound_seconds": None if record.bound is None else float(record.bound),
        "bound_exact": None if record.bound is None else str(record.bound),
        "gap": None if record.gap is None else float(record.gap),
        "optimal": None if record.bound is None else record.time == record.bound,
        "utilisation": float(record.mean_use),
        "utilisation_over_time": [float(share) for share in record.use],
        "seed": record.seed,
        "digest": record.digest,
        "file": record.file,
    }
    if record.overhead:
        found["epsilon"] = str(record.overhead)
    if record.making is not None:
        found["seconds"] = round(record.making, 6)
        found["bounds"] = {name: str(value) for name, value in record.bounds}
        found["trials"] = method_time_fields(record.trials)
    if record.limits is not None:
        found["any_allreduce"] = limit_fields(record.limits)
    if record.methods:
        found["methods"] = method_time_fields(record.methods)
    return found
