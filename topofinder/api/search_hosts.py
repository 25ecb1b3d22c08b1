"""`topofinder search --gpus`: the frontier over fabrics of hosts with several accelerators."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd
from os import PathLike
from typing import Any

from db.store import Store
from expansions.degree_diameter import least_diameter
from expansions.hosts import HostFabric, host_wiring
from expansions.parser import parse
from generators import quantities
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.hosts.host_files import is_host_file, read_host_file
from generators.hosts.notation import read_hosts
from generators.hosts.template import HostTemplate, run_lengths
from reports.host_frontier import HostFrontierRecord, HostRow, host_fields, host_text
from topofinder.api.search_hosts_beside import (
    RINGS,
    host_baselines,
    rail_baselines,
    split_unbeaten,
    switch_rows,
)
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.bills import bill_rows
from topofinder.api.shared.frontiers import all_candidates, check_nodes, search_size
from topofinder.api.throughput_rates import Rates
from topofinder.discovery.short_distances import close_digraphs
from topofinder.finder.alike_rails import rate_rails, wire_bands
from topofinder.finder.host_bills import bill_panels, rail_lengths
from topofinder.finder.host_prediction import (
    HopWeights,
    Interval,
    allgather_bound,
    moore_alltoall_bound,
)
from topofinder.finder.host_search import (
    EVEN_WEIGHTS,
    HostCandidate,
    crowded_recipes,
    graph_rate,
    host_frontier,
    rate_fabric,
)
from topofinder.model.frontier import HOST_AXES, read_axes
from topofinder.model.prices import read_prices

MOST_HOSTS = 1024
CLOSE = Fraction(98, 100)
"""The share of the bound on all-to-all below which digraphs of short distances are looked for."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class HostFrontier(Answer):
    """The frontier over fabrics of hosts, what bounds it, and what people build beside it.

    `members` and `baselines` are fabrics with their predicted costs; `record` has what is printed.
    """

    members: tuple[HostCandidate, ...]
    record: HostFrontierRecord

    def summary(self) -> dict[str, Any]:
        """The hosts, and how many members the frontier has."""
        told = self.record
        return {"n": told.hosts, "host": told.host, "members": len(self.members)}

    def to_dict(self) -> dict[str, Any]:
        """The fields that `search --gpus --json` prints."""
        return host_fields(self.record)

    def __str__(self) -> str:
        return host_text(self.record)


def search_hosts(
    n: int,
    gpus: int | str | None = None,
    d: int | None = None,
    inner: str | None = None,
    bandwidth: str | None = None,
    *,
    template: str | None = None,
    db: str | PathLike[str] | None = None,
    pareto: str | Sequence[str] = ("latency", "bandwidth"),
    alpha: str | None = None,
    inner_alpha: str | None = None,
    prices: str | PathLike[str] | None = None,
    effort: int = 0,
    rails: str = "own",
    gap: Fraction | float = Fraction(1, 1000),
    time: float = 60.0,
) -> HostFrontier:
    """The frontier of `n` hosts of `gpus` accelerators with `d` ports each.

    All-to-all breaks ties, and is an axis of its own where `pareto` says so. `bandwidth` is what an
    accelerator sends over its ports together, `inner` its rate to the inner switch, or what joins
    accelerators as in the notation of hosts (`mesh@64GB/s`). Instead, a `template` names a host or
    a file: .json of a host or an InfraGraph, .xml of NCCL or lstopo, .txt of `nvidia-smi topo -m`;
    where such a file tells no rates, `inner` says that of an accelerator to the switch, or of one
    link, and `bandwidth` that of one port. Hosts of unlike size are written `4*8.8*12`, and are n
    together. `alpha` is the latency of a circuit, `inner_alpha` that
    of a way inside.

    The file of `prices` gives every fabric a bill, and sets the best switches of no higher cost
    than the first member beside it; `pareto` may then name cost and power, by which fabrics of
    switches and those that people build may be members too.

    With `rails` "any" a circuit may join ports of unlike rails, and members tell how much of what
    passes through hosts then takes a way inside. With `effort` lifts and grafts are looked for
    first, for about so many seconds.

    Raises InvalidInput for options that do not go together, and impossible hosts.

    >>> found = search_hosts(8, 4, 1, "450GB/s", "50GB/s")
    >>> [str(one.fabric.graph) for one in found.members]
    ['K(4,4)']
    """
    axes = read_axes(pareto if isinstance(pareto, str) else ",".join(pareto), HOST_AXES)
    if rails not in ("own", "any"):
        raise InvalidInput(f"--rails: own or any, not {excerpt(rails)}")
    parts = None if prices is None else read_prices(prices)
    if parts is None and not {"cost", "power"}.isdisjoint(axes):
        raise InvalidInput("--pareto: cost and power need --prices")
    host, sizes = _read_request(n, gpus, d, inner, bandwidth, template)
    ports = gcd(*(host.with_accelerators(g).ports for g in sizes)) if sizes else host.ports
    nodes = sum(host.with_accelerators(g).ports for g in sizes) // ports if sizes else n
    part = quantities.part(gap, "--gap")
    best = search_size(nodes, ports, db=db, effort=effort).frontier.members
    recipes = dict.fromkeys(row.recipe for row in (*best, *all_candidates(nodes, ports, db=db)))
    recipes.update(dict.fromkeys(crowded_recipes(nodes, ports)))
    weights, timed = _hop_weights(host, alpha, inner_alpha)
    counted = Counter(sizes or (host.accelerators,) * n)
    hosts = [
        (host.with_accelerators(g) if sizes else host, counted[g])
        for g in sorted(counted, reverse=True)
    ]
    each = [one for one, _ in hosts]
    bound = _bounds(each, sizes or (host.accelerators,) * n, weights if timed else None)

    def fabric(recipe: str) -> HostFabric:
        return HostFabric(template=host, graph=parse(recipe), sizes=sizes)

    def member(recipe: str) -> HostFabric:
        return replace(fabric(recipe), free=rails == "any")

    with Store(db) if db is not None else _NoStore() as store:
        rates = Rates(store, part, time)

        def rate(found: HostFabric) -> Interval:
            if sizes:
                return graph_rate(found, part, time)
            row, pairs = rates[str(found.graph)], host.accelerators**2
            return row.lower / pairs, row.upper / pairs

        members = host_frontier(map(member, recipes), axes, rate, weights)
        if max(one.alltoall[0] for one in members) < CLOSE * bound.alltoall[1]:
            near = [member(recipe) for _, recipe in close_digraphs(nodes, ports)]
            members = host_frontier(near, axes, rate, weights, members)
        if sizes:
            others = [
                _rail_row(label, members[0].fabric, recipes, weights, timed, part, time)
                for label, recipes in rail_baselines(members[0].fabric)
            ]
        else:
            others = [
                _row(rate_fabric(fabric(recipe), rate, weights), weights, timed, label=label)
                for label, recipe in host_baselines(nodes, ports, host.ports_each or 1)
            ]
    rows = _member_rows(members, weights, timed)
    if parts is not None:
        split = [(nodes, ports)], rail_lengths(hosts)  # of permutations, of rails alike
        bills = [bill_rows(bill_panels(n, rails, parts)) for rails in split]
        rows = [replace(row, bill=bills[0]) for row in rows]
        others = [replace(row, bill=bills[1]) for row in others]
    switched = switch_rows(
        hosts, sizes or (host.accelerators,) * n, parts, rows[0].cost, gap=part, time=time
    )
    others += [_with_latency(row, weights) if timed else row for row in switched]
    if not {"cost", "power"}.isdisjoint(axes):
        rows, others = split_unbeaten(rows, others, axes)
    record = HostFrontierRecord(
        host=host.text(run_lengths(sizes)) if sizes else str(host),
        hosts=n,
        accelerators=sum(sizes) if sizes else n * host.accelerators,
        gpus=str(gpus) if sizes else str(host.accelerators),
        ports=host.ports_each,
        bandwidth=host.rate * host.ports / host.accelerators,
        inner=str(host.inner),
        bound=bound,
        members=tuple(rows),
        baselines=tuple(others),
    )
    return HostFrontier(members=tuple(members), record=record)


class _NoStore:
    def __enter__(self) -> None:
        return None

    def __exit__(self, *ended: object) -> None:
        return None


def _read_request(
    n: int,
    gpus: int | str | None,
    d: int | None,
    inner: str | None,
    bandwidth: str | None,
    template: str | None,
) -> tuple[HostTemplate, tuple[int, ...]]:
    """The host that options describe, and the sizes of unlike hosts."""
    check_nodes(n, MOST_HOSTS)
    if template is not None:
        if (gpus, d) == (None, None) and is_host_file(template):
            return read_host_file(template, inner, bandwidth), ()
        if (gpus, d, inner, bandwidth) != (None,) * 4:
            raise InvalidInput(
                "--template: says what --gpus, --d, --inner and --bandwidth would say"
            )
        return read_hosts(template)
    if gpus is None or d is None or bandwidth is None:
        raise InvalidInput(
            "--gpus: needs --d, --inner and --bandwidth, or --template in their place"
        )
    if type(d) is not int or not 1 <= d <= 64:
        raise InvalidInput(f"--d: an accelerator has 1 to 64 ports, not {excerpt(d)}")
    way = "none" if inner is None else inner if "@" in inner else f"switch@{inner}"
    port = quantities.rate(bandwidth, "--bandwidth") / d
    found, sizes = read_hosts(f"Host({gpus};{way};{d}@1GB/s)")
    if sizes and len(sizes) != n:
        raise InvalidInput(f"--gpus: {excerpt(str(gpus))} are {len(sizes)} hosts, not {n}")
    whole = HostTemplate(
        accelerators=found.accelerators, inner=found.inner, owners=found.owners, rate=port
    )
    return whole, sizes


def _hop_weights(
    host: HostTemplate, alpha: str | None, inner_alpha: str | None
) -> tuple[HopWeights, bool]:
    """What hops outside and inside count, and whether that is their alphas in seconds."""
    outside = host.latency if alpha is None else quantities.seconds(alpha, "--alpha")
    inside = host.inner.latency
    if inner_alpha is not None:
        inside = quantities.seconds(inner_alpha, "--inner-alpha")
    if outside is None and inside is None:
        return EVEN_WEIGHTS, False
    return (outside or Fraction(), inside or Fraction()), True


def _rail_row(
    label: str,
    fabric: HostFabric,
    recipes: Sequence[str],
    weights: HopWeights,
    timed: bool,
    gap: Fraction,
    time: float,
) -> HostRow:
    """Rails alike on hosts of unlike size, which no recipe names."""
    wiring = wire_bands(fabric, recipes)

    def rate(found: HostFabric) -> Interval:
        return graph_rate(found, gap, time, wiring)

    row = _row(rate_rails(fabric, wiring, rate, weights), weights, timed, label=label)
    return replace(row, fabric="", recipe="", inside=None)


def _member_rows(
    members: Sequence[HostCandidate], weights: HopWeights, timed: bool
) -> list[HostRow]:
    """The members; of a fabric that is there twice the lower trees tell their loss."""
    quickest: dict[str, Fraction] = {}
    for one in members:
        name, time = str(one.fabric), one.prediction.inverse_rate
        quickest[name] = min(time, quickest.get(name, time))
    losses = [one.prediction.inverse_rate / quickest[str(one.fabric)] - 1 for one in members]
    return [
        replace(_row(one, weights, timed), loss=loss or None)
        for one, loss in zip(members, losses, strict=True)
    ]


def _row(one: HostCandidate, weights: HopWeights, timed: bool, label: str = "") -> HostRow:
    told = one.prediction
    height, latency = told.height(one.tree_height), one.latency
    if label == RINGS and told.packed is None:  # no tree leaves its rail but to spread
        height = told.hops + told.inside
        latency = told.hops * weights[0] + told.inside * weights[1]
    pairing = host_wiring(one.fabric).pairing if one.fabric.free else None
    return HostRow(
        label=label,
        fabric=str(one.fabric),
        recipe=str(one.fabric.graph),
        hops=told.hops,
        height=height,
        inverse_rate=told.inverse_rate,
        outer=told.outer,
        inner=told.inner,
        exact=told.exact,
        least=told.least,
        alltoall=one.alltoall,
        hop_bound=one.hop_bound,
        latency=latency if timed else None,
        inside=(pairing.inside_own, pairing.inside) if pairing is not None else None,
    )


def _with_latency(row: HostRow, weights: HopWeights) -> HostRow:
    """A fabric of switches, whose trees have one hop outside."""
    if row.height is None:
        return row
    return replace(row, latency=weights[0] + (row.height - 1) * weights[1])


def _bounds(
    each: Sequence[HostTemplate], sizes: Sequence[int], weights: HopWeights | None
) -> HostRow:
    """What no graph of these hosts can beat, `each` being a host of every size."""
    n, total = len(sizes), sum(sizes)
    ports = max(one.ports for one in each)
    hops = 1 if n <= 2 else least_diameter(n, ports).steps
    time = max(allgather_bound(one, total) for one in each)
    most = moore_alltoall_bound(each, sizes)
    return HostRow(
        label="bound", fabric="", recipe="", hops=hops, height=None, inverse_rate=time, outer=time,
        inner=Fraction(), exact=True, alltoall=(most, most), hop_bound=most,
        latency=hops * weights[0] if weights else None,
    )  # fmt: skip
