"""`topofinder throughput`: a certified interval, with its proof and routes in files."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from numpy.typing import ArrayLike

from db.throughput_rows import ThroughputRow
from expansions.schedule_files.digest import topology_digest
from generators import quantities
from generators.errors import InvalidInput
from generators.formats.container import container_suffix
from generators.host_limits import binding_injection, split_hosts
from generators.topology import Topology
from reports.throughput import (
    RoutesRecord,
    ThroughputRecord,
    ThroughputTime,
    routes_fields,
    throughput_fields,
    throughput_text,
)
from topofinder.alltoall.certify import make_certificate
from topofinder.alltoall.demand.files import read_demand
from topofinder.alltoall.demand.matrix import Demand
from topofinder.alltoall.demand.patterns import canonical_pattern
from topofinder.alltoall.demand.patterns import pattern_demand as named_pattern
from topofinder.alltoall.problem import FlowProblem
from topofinder.alltoall.result import ThroughputBounds, ThroughputProgress
from topofinder.alltoall.routing.paths import decompose_flow
from topofinder.alltoall.routing.single_paths import single_paths
from topofinder.alltoall.solve import DEFAULT_GAP, DEFAULT_SECONDS, bound_throughput
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.file_kinds import explain_wrong_file
from topofinder.api.shared.places import check_places, store_after_all
from topofinder.api.shared.stored_recipes import whole_recipe
from topofinder.api.shared.stored_throughputs import keep_rate
from topofinder.api.shared.subjects import Subject, subject_name, subject_of
from topofinder.api.shared.workloads import read_seconds
from topofinder.exporters.route_files import (
    Routes,
    require_route_suffix,
    require_routing,
    write_routes,
)
from topofinder.model.certificate import Certificate, demand_digest
from topofinder.model.certificate_files import write_certificate
from topofinder.model.file_register import TOPOLOGY
from topofinder.model.workload import link_rate

UNIFORM = "uniform"
MATRIX = "matrix"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Throughput(Answer):
    """How fast every demand of a graph can be sent at once: `lower <= f <= upper`, certainly.

    f is in units of one link for a demand of 1 (LP (3), appendix A.5 of Zhao et al.): a host
    whose ports together send B sends f B / d to every other at once. `recipe` is None for a graph
    without a name, `pattern` is "matrix" for a demand of one's own. `timed` is the time of a size
    of data, `certificate_file` and `routed` tell the files that were asked for. Where hosts have an
    injection limit, `problem` is on the graph in which that is a link (`split_hosts`), and `whole`
    the graph itself.
    """

    subject: str
    recipe: str | None
    pattern: str
    problem: FlowProblem
    answer: ThroughputBounds
    timed: ThroughputTime | None = None
    certificate_file: str | None = None
    routed: RoutesRecord | None = None
    whole: Topology | None = None

    @property
    def topology(self) -> Topology:
        """The graph."""
        return self.whole or self.problem.topology

    @property
    def lower(self) -> Fraction:
        """A rate that can be reached."""
        return self.answer.lower

    @property
    def upper(self) -> Fraction:
        """A rate that nothing can exceed."""
        return self.answer.upper

    @property
    def exact(self) -> Fraction | None:
        """f itself, where both ends meet."""
        return self.answer.exact

    @property
    def certificate(self) -> Certificate:
        """What proves both ends, made anew; `save` puts it into a file."""
        return make_certificate(self.problem, self.answer, self.recipe, self.pattern)

    @property
    def demand_label(self) -> str:
        """`uniform`, a pattern, or `matrix` and the hash of its numbers."""
        return demand_label(self.pattern, self.problem.demand)

    def times(self, size: Fraction, bandwidth: Fraction | None) -> tuple[Fraction, Fraction]:
        """Least and most seconds until all is sent: the interval of the optimum.

        For a uniform all-to-all, each of N hosts has `size` bytes, of which it sends a part of
        1/N to every other, as in the paper. For another demand `size` is what the host sends
        that sends most. Links of capacity 1 have `bandwidth` / d bytes a second; a topology that
        tells the rate of its links itself takes no `bandwidth`. Raises InvalidInput when that is
        missing or given twice.
        """
        unit = exchange_unit(self.problem, size)
        rate = link_rate(self.topology, bandwidth)
        return unit / (self.upper * rate), unit / (self.lower * rate)

    @property
    def record(self) -> ThroughputRecord:
        """What there is to say of it."""
        topology = self.topology
        return ThroughputRecord(
            subject=self.subject,
            recipe=self.recipe,
            n=topology.n,
            d=topology.degree,
            demand=self.demand_label,
            lower=self.lower,
            upper=self.upper,
            method=self.answer.method,
            seconds=self.answer.seconds,
            hop_bound=self.answer.hop_bound,
            moore_bound=self.answer.moore_bound,
            interrupted=self.answer.interrupted,
            timed=self.timed,
            certificate=self.certificate_file,
            routed=self.routed,
        )

    def summary(self) -> dict[str, Any]:
        """The graph, the demand and the interval."""
        ends = {"lower": float(self.lower), "upper": float(self.upper)}
        return {"subject": self.subject, "demand": self.demand_label, **ends}

    def to_dict(self) -> dict[str, Any]:
        """The fields that `throughput --json` prints."""
        return throughput_fields(self.record)

    def __str__(self) -> str:
        return throughput_text(self.record)

    def row(self) -> ThroughputRow:
        """The row under which the database keeps the interval."""
        return ThroughputRow(
            topology=topology_digest(self.problem.topology),
            recipe=self.recipe,
            demand=self.demand_label,
            n=self.topology.n,
            d=self.topology.degree,
            lower=self.lower,
            upper=self.upper,
            method=self.answer.method,
            seconds=self.answer.seconds,
        )


def throughput(
    subject: Subject,
    *,
    pattern: str = UNIFORM,
    demand: str | os.PathLike[str] | ArrayLike | Demand | None = None,
    gap: Fraction | float = DEFAULT_GAP,
    time: float | str = DEFAULT_SECONDS,
    method: str = "auto",
    size: str | None = None,
    bandwidth: str | None = None,
    injection: str | None = None,
    certificate: str | os.PathLike[str] | None = None,
    routes: str | os.PathLike[str] | None = None,
    routing: str = "paths",
    seed: int = 0,
    db: str | os.PathLike[str] | None = None,
    tell: Callable[[ThroughputProgress], None] | None = None,
) -> Throughput:
    """The throughput of a recipe, a topology file or a topology, as a certified interval.

    `demand` is a matrix, or a .csv or .npz file with one; else `pattern` names who sends to whom.
    The interval is closed to the relative `gap`, or as far as `time` seconds allow. `size` and
    `bandwidth`, texts such as "1MiB" and "100Gbps", ask for a time. `certificate` is a file for
    the proof, `routes` one for routes: weighted "paths", a "single" path a pair, chosen with
    `seed`, or "flows". `injection`, a text such as "100Gbps", is what a host sends, and
    receives, at most over all its links; it needs a `bandwidth` unless links have rates of their
    own. `db` keeps the interval. `tell` hears of every better one.

    Raises InvalidInput for graphs that are not strongly connected, for demands that do not fit and
    for options that cannot be read.

    >>> throughput("UniRing(1,4)").exact
    Fraction(1, 6)
    """
    if size is None and injection is None and bandwidth is not None:
        raise InvalidInput("--bandwidth is for the time that a --size takes")
    amount = None if size is None else quantities.size(size, "--size")
    egress = None if bandwidth is None else quantities.rate(bandwidth, "--bandwidth")
    seconds = read_seconds(time)
    proof_file = None if certificate is None else Path(certificate)
    routes_file = None if routes is None else Path(routes)
    _require_files(proof_file, routes_file, routing)
    check_places(db, proof_file, routes_file)
    subject = whole_recipe(subject, db)
    with explain_wrong_file("throughput", subject, TOPOLOGY):
        limit = None if injection is None else quantities.rate(injection, "--injection")
        found = _bound(
            subject, pattern, demand, gap, seconds, method, tell, lambda graph: _limit_hosts(
                graph, limit, egress)
        )  # fmt: skip
    if amount is not None:
        least, most = found.times(amount, egress)
        timed = ThroughputTime(size=amount, bandwidth=egress, least=least, most=most)
        found = replace(found, timed=timed)
    if proof_file or routes_file:
        found = _write(found, proof_file, routes_file, routing, seed)
    store_after_all(db, lambda store: keep_rate(store, found.row()))
    return found


def _require_files(certificate: Path | None, routes: Path | None, routing: str) -> None:
    """Refuse files that are not written under such names, before the work."""
    require_routing(routing)
    if routes is not None:
        require_route_suffix(routes)
    if certificate is not None:
        container_suffix(certificate)


def _bound(
    subject: Subject,
    pattern: str,
    demand: str | os.PathLike[str] | ArrayLike | Demand | None,
    gap: Fraction | float,
    time: float,
    method: str,
    tell: Callable[[ThroughputProgress], None] | None,
    limit: Callable[[Topology], Topology],
) -> Throughput:
    """The interval alone, on the graph with the limit of its hosts."""
    recipe, whole = subject_of(subject)
    label, asked = read_asked(whole, pattern, demand)
    topology = split_hosts(limit(whole))
    if topology.n > whole.n:
        recipe = None  # what is proved is not of its graph
        asked = asked and asked.among(topology.n)
    problem = FlowProblem(topology=topology, demand=asked)
    answer = bound_throughput(
        problem, gap=quantities.part(gap, "gap"), time=time, method=method, tell=tell
    )
    named = None if recipe is None else str(recipe)
    name = named or subject_name(subject)
    return Throughput(
        subject=name, recipe=named, pattern=label, problem=problem, answer=answer,
        whole=whole if topology.n > whole.n else None,
    )  # fmt: skip


def _limit_hosts(topology: Topology, limit: Fraction | None, egress: Fraction | None) -> Topology:
    """The topology with a limit in bytes a second, unless it tells one itself."""
    if limit is None:
        return topology
    if topology.injection is not None:
        raise InvalidInput("--injection: the topology tells it of its hosts itself")
    if topology.unit_rate is None and egress is None:
        raise InvalidInput("--injection needs --bandwidth: the topology tells no rates of links")
    links = limit / link_rate(topology, egress)
    return replace(topology, injection=binding_injection(topology, links))


def _write(
    found: Throughput, certificate: Path | None, routes: Path | None, routing: str, seed: int
) -> Throughput:
    """Write the proof and the routes; the answer then tells of them."""
    proof = found.certificate
    if certificate is not None:
        write_certificate(proof, certificate)
        found = replace(found, certificate_file=str(certificate))
    if routes is not None:
        found = replace(found, routed=write_routed(proof, routes, routing, seed))
    return found


def demand_label(pattern: str, demand: Demand | None) -> str:
    """Under what name the database keeps answers to a demand."""
    if demand is None or pattern != MATRIX:
        return pattern
    return f"{MATRIX} {demand_digest(demand.low, demand.high, demand.unit)}"


def exchange_unit(problem: FlowProblem, size: Fraction) -> Fraction:
    """The bytes that a demand of 1 stands for; see `Throughput.times`."""
    if problem.demand is None:
        return size / len(problem.hosts)
    busiest = int(problem.demand.high.sum(axis=1).max())
    return size / (busiest * problem.demand.unit)


def read_asked(
    topology: Topology, pattern: str, demand: str | os.PathLike[str] | ArrayLike | Demand | None
) -> tuple[str, Demand | None]:
    """The label of what is asked for, and its amounts; None is 1 for every pair of hosts."""
    if demand is not None:
        if pattern != UNIFORM:
            raise InvalidInput(f"pattern: {pattern} and a demand matrix exclude each other")
        if isinstance(demand, str | os.PathLike):
            return MATRIX, read_demand(demand, topology)
        return MATRIX, demand if isinstance(demand, Demand) else Demand.of(demand)
    if pattern == UNIFORM:
        return UNIFORM, None
    asked = named_pattern(pattern, topology)
    return canonical_pattern(pattern), asked


def write_routed(
    certificate: Certificate, file: Path, routing: str = "paths", seed: int = 0
) -> RoutesRecord:
    """Write routes to a .csv or .json file and tell what they reach.

    `routing` is "paths" (weighted paths of every pair), "single" (one path of every pair, chosen
    with `seed`) or "flows" (how much of each source's demands crosses each arc). Raises
    InvalidInput for another one, and for files that cannot be written.
    """
    require_routing(routing)
    if routing == "flows":
        told = RoutesRecord(
            file=str(file), routing=routing, rows=None, rate=certificate.lower, loss=Fraction()
        )
        write_routes(Routes(flows=certificate, facts=_facts(certificate, told)), file)
        return told
    paths = decompose_flow(certificate)
    if routing == "single":
        paths = single_paths(paths, seed)
    rate = paths.rate()
    told = RoutesRecord(
        file=str(file),
        routing=routing,
        rows=len(paths.sink),
        rate=rate,
        loss=max(1 - rate / certificate.lower, Fraction()),
        mean_hops=paths.mean_hops,
        most_hops=int(paths.hops.max()),
    )
    write_routes(Routes(paths=paths, facts=_facts(certificate, told)), file)
    return told


def _facts(certificate: Certificate, told: RoutesRecord) -> dict[str, object]:
    """What heads a JSON document of routes."""
    graph = {"recipe": certificate.recipe, "n": certificate.topology.n}
    facts = {name: value for name, value in routes_fields(told).items() if name != "file"}
    return {**graph, "demand": certificate.demand_label, **facts}
