"""The throughput of one graph, and a certificate that was checked, as text and as JSON."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from generators.formats.quantities import number_text
from reports.units import down_text, rate_text, size_text, span_text, up_text

LEAST_GAP = 5e-6
"""A smaller gap is told as this, since it is no 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ThroughputTime:
    """How long `size` takes at `bandwidth` a host: from `least` to `most` seconds.

    `bandwidth` is None where the links have rates of their own.
    """

    size: Fraction
    bandwidth: Fraction | None
    least: Fraction
    most: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutesRecord:
    """Routes in a file: `rate` is what they reach, the largest load of an arc its inverse.

    `routing` is paths, single or flows; hops are means over what is sent; `loss` is how far `rate`
    is below the lower bound of the throughput.
    """

    file: str
    routing: str
    rows: int | None
    rate: Fraction
    loss: Fraction
    mean_hops: float | None = None
    most_hops: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ThroughputRecord:
    """A throughput interval, how it was found, and the bounds that hold beside it.

    `hop_bound` is that of the graph's distances, `moore_bound` that of any graph of as many nodes
    and ports, where it applies.
    """

    subject: str
    recipe: str | None
    n: int
    d: int
    demand: str
    lower: Fraction
    upper: Fraction
    method: str
    seconds: float
    hop_bound: Fraction
    moore_bound: Fraction | None
    interrupted: bool = False
    timed: ThroughputTime | None = None
    certificate: str | None = None
    routed: RoutesRecord | None = None

    @property
    def gap(self) -> Fraction:
        """How far the bounds are apart, relative to the upper one."""
        return 1 - self.lower / self.upper


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What a certificate proves; `violation` is None for one that holds."""

    recipe: str | None
    n: int
    demand: str
    lower: Fraction | None
    upper: Fraction | None
    violation: str | None
    digest: str


def throughput_text(found: ThroughputRecord) -> str:
    """Some lines for a person.

    >>> print(throughput_text(ThroughputRecord(subject="K(3)", recipe="K(3)", n=3, d=2,
    ...     demand="uniform", lower=Fraction(1), upper=Fraction(1), method="hops", seconds=0.01,
    ...     hop_bound=Fraction(1), moore_bound=Fraction(1))))
    K(3): all-to-all, uniform demand, 3 nodes, degree 2
      f = 1 = 1.000000e+00, by hops in 0.01 s
      bounds: hop distances 1.000000e+00, Moore 1.000000e+00
    """
    lines = [
        f"{found.subject}: all-to-all, {found.demand} demand, {found.n} nodes, degree {found.d}",
        f"  {interval_text(found.lower, found.upper)}, by {found.method} in {found.seconds:.2f} s"
        + (", interrupted" if found.interrupted else ""),
    ]
    moore = "" if found.moore_bound is None else f", Moore {up_text(found.moore_bound)}"
    lines.append(f"  bounds: hop distances {up_text(found.hop_bound)}{moore}")
    if found.timed is not None:
        lines.append(f"  {_timed_text(found.timed)}")
    if found.certificate is not None:
        lines.append(f"  certificate written to {found.certificate}")
    if found.routed is not None:
        lines.append(f"  {_routed_text(found.routed)}")
    return "\n".join(lines)


def progress_text(lower: Fraction, upper: Fraction, method: str, seconds: float) -> str:
    """The interval so far, and what has found it in how long.

    >>> progress_text(Fraction(1, 3), Fraction(2, 5), "equilibrium", 7.2)
    'f in [3.333333e-01, 4.000000e-01], gap 16.667%, equilibrium, 7 s'
    """
    return f"{interval_text(lower, upper)}, {method}, {seconds:.0f} s"


def interval_text(lower: Fraction, upper: Fraction) -> str:
    """An interval, rounded outwards; a value where its ends meet.

    >>> interval_text(Fraction(1, 3), Fraction(2, 5)), interval_text(Fraction(1, 2), Fraction(1, 2))
    ('f in [3.333333e-01, 4.000000e-01], gap 16.667%', 'f = 1/2 = 5.000000e-01')
    """
    if lower == upper:
        # A fraction of many digits tells a person less than its value.
        exact = f"{lower} = " if lower.denominator < 10**9 else ""
        return f"f = {exact}{float(lower):.6e}"
    gap = max(float(1 - lower / upper), LEAST_GAP)
    return f"f in [{down_text(lower)}, {up_text(upper)}], gap {100 * gap:.3f}%"


def _timed_text(timed: ThroughputTime) -> str:
    rate = "link rates" if timed.bandwidth is None else rate_text(timed.bandwidth)
    return f"{size_text(timed.size)} a node at {rate}: {span_text(timed.least, timed.most)}"


def _routed_text(routed: RoutesRecord) -> str:
    load = f"largest link load {float(1 / routed.rate):.6g}, rate {down_text(routed.rate)}"
    if routed.routing == "flows":
        return f"flows of every source written to {routed.file}; {load}"
    hops = f"{routed.mean_hops:.3f} hops on average, {routed.most_hops} at most"
    what = "paths" if routed.routing == "paths" else "pairs on one path each"
    loss = f", loss {100 * float(routed.loss):.3f}%" if routed.routing == "single" else ""
    return f"{routed.rows} {what} written to {routed.file}: {hops}; {load}{loss}"


def throughput_fields(found: ThroughputRecord) -> dict[str, Any]:
    """The fields that `throughput --json` promises; fractions are strings, times are seconds."""
    fields: dict[str, Any] = {
        "recipe": found.recipe,
        "n": found.n,
        "d": found.d,
        "demand": found.demand,
        **_interval_fields(found.lower, found.upper),
        "method": found.method,
        "seconds": round(found.seconds, 6),
        "interrupted": found.interrupted,
        "bound": {
            "hops": str(found.hop_bound),
            "moore": None if found.moore_bound is None else str(found.moore_bound),
        },
        "certificate": found.certificate,
    }
    if found.timed is not None:
        fields["time"] = {
            "size": float(found.timed.size),
            "bandwidth": None if found.timed.bandwidth is None else float(found.timed.bandwidth),
            "least": float(found.timed.least),
            "most": float(found.timed.most),
        }
    if found.routed is not None:
        fields["routes"] = routes_fields(found.routed)
    return fields


def routes_fields(routed: RoutesRecord) -> dict[str, Any]:
    """What a file of routes reaches."""
    return {
        "file": routed.file,
        "routing": routed.routing,
        "rows": routed.rows,
        "rate": str(routed.rate),
        "largest_load": str(1 / routed.rate),
        "loss": float(routed.loss),
        "mean_hops": routed.mean_hops,
        "most_hops": routed.most_hops,
    }


def proof_text(proof: Proof) -> str:
    """One line on a certificate."""
    if proof.violation is not None or proof.lower is None or proof.upper is None:
        return f"not valid: {proof.violation}"
    graph = proof.recipe or f"{proof.n} nodes"
    interval = interval_text(proof.lower, proof.upper)
    return f"valid: {proof.demand} all-to-all on {graph}, {interval}"


def proof_fields(proof: Proof) -> dict[str, Any]:
    """The fields that `verify --json` promises of a certificate."""
    if proof.violation is not None or proof.lower is None or proof.upper is None:
        return {"valid": False, "violation": proof.violation}
    fields = {
        "valid": True,
        "collective": "all-to-all",
        "recipe": proof.recipe,
        "n": proof.n,
        "demand": proof.demand,
        **_interval_fields(proof.lower, proof.upper),
        "digest": proof.digest,
    }
    return fields


def _interval_fields(lower: Fraction, upper: Fraction) -> dict[str, Any]:
    return {
        "lower": number_text("lower", lower),
        "upper": number_text("upper", upper),
        "exact": number_text("lower", lower) if lower == upper else None,
        "gap": float(1 - lower / upper),
    }
