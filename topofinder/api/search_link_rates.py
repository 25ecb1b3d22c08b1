"""`topofinder search --link-rates`: the quickest wirings of hosts whose ports differ in speed."""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from expansions.collective import Collective
from generators import quantities
from generators.errors import InvalidInput, Unsupported
from generators.formats.by_suffix import write_topology
from generators.topology import Topology
from reports.link_rates import LinkRatesRecord, WiringRow, link_rates_fields, link_rates_text
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.default_effort import effort_or_default
from topofinder.api.shared.frontiers import all_candidates, check_links, search_size
from topofinder.api.shared.places import check_places
from topofinder.finder.rate_by_link import RatedWiring, rate_wirings
from topofinder.finder.rating import RatingTask
from topofinder.model.candidate import LinkMode
from topofinder.model.port_rates import PortRates, read_port_rates
from topofinder.model.workload import COSTED, RATING_METHODS

REFINED = 4
"""Wirings that are rated by all methods, the quickest by BFB."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class RatedWirings(Answer):
    """Wirings with a rate for every link, the quickest first; `record` has what is printed."""

    wirings: tuple[RatedWiring, ...]
    record: LinkRatesRecord

    @property
    def topology(self) -> Topology:
        """The quickest, its rates as capacities of links."""
        return self.wirings[0].topology

    def summary(self) -> dict[str, Any]:
        """The hosts, and how many wirings there are."""
        told = self.record
        return {"n": told.n, "ports": told.ports, "wirings": len(self.wirings)}

    def to_dict(self) -> dict[str, Any]:
        """The fields that `search --link-rates --json` prints."""
        return link_rates_fields(self.record)

    def __str__(self) -> str:
        return link_rates_text(self.record)


def search_link_rates(
    n: int,
    rates: str,
    links: LinkMode | str = LinkMode.SIMPLEX,
    db: str | PathLike[str] | None = None,
    *,
    alpha: str,
    size: str,
    collective: Collective | str = Collective.ALLREDUCE,
    output: str | PathLike[str] | None = None,
    effort: int | None = None,
    methods: str = ",".join(RATING_METHODS),
) -> RatedWirings:
    """The candidates of a search by what BFB takes where hosts have ports of unlike speed.

    `rates` are the ports of each host, such as "2@100Gbps,2@200Gbps"; a circuit joins ports of one
    rate. Of each candidate those rates of its links count that are quickest of those that are
    tried: all choices by generator where the graph has translations, else some factors of it. Of
    the REFINED quickest by BFB the quickest of the `methods` counts, timed or forests. The
    quickest wiring is written to `output` with its rates.

    Raises InvalidInput for impossible sizes and for what cannot be read; Unsupported where no
    candidate falls into links of these numbers.

    >>> found = search_link_rates(8, "100Gbps,200Gbps", alpha="1us", size="1MB", effort=0)
    >>> found.record.rows[0].seconds >= found.record.rows[0].bound
    True
    """
    ports, mode = read_port_rates(rates), check_links(links)
    if collective not in COSTED:
        raise InvalidInput(f"--collective: {', '.join(COSTED)}, not {collective}")
    file = None if output is None else Path(output)
    check_places(None, file)
    task = RatingTask(
        collective=Collective(collective),
        alpha=quantities.seconds(alpha, "--alpha"),
        size=quantities.size(size, "--size"),
        bandwidth=ports.egress,
        methods=tuple(part.strip() for part in methods.split(",")),
    )
    found = search_size(n, ports.ports, mode, db, effort_or_default(effort))
    rows = (*(found.pool or found.frontier.members), *all_candidates(n, ports.ports, mode, db))
    every = {row.recipe: row for row in reversed(rows)}
    two_way = mode is LinkMode.DUPLEX
    rated = [*rate_wirings(task, ports, every.values(), two_way=two_way)]
    if not rated:
        raise Unsupported("--link-rates: no candidate falls into links of these numbers")
    rated.sort(key=lambda one: (one.seconds, one.even, one.recipe))
    rated[:REFINED] = [one.by_methods(task, ports) for one in rated[:REFINED]]
    rated.sort(key=lambda one: (one.seconds, one.even, one.recipe))
    if file is not None:
        write_topology(rated[0].topology, file, None)
    return RatedWirings(wirings=tuple(rated), record=_record(n, mode, ports, task, rated, file))


def _record(
    n: int,
    mode: LinkMode,
    ports: PortRates,
    task: RatingTask,
    rated: list[RatedWiring],
    file: Path | None,
) -> LinkRatesRecord:
    return LinkRatesRecord(
        n=n,
        links=mode.value,
        ports=tuple(zip(ports.counts, ports.rates, strict=True)),
        collective=task.collective.value,
        alpha=task.alpha,
        size=task.size,
        rows=tuple(_row(one, ports) for one in rated),
        file=None if file is None else str(file),
    )


def _row(one: RatedWiring, ports: PortRates) -> WiringRow:
    own = (one.topology.tail == 0).nonzero()[0]
    places, heads = one.links.which[own], one.topology.head[own]
    return WiringRow(
        recipe=one.recipe,
        diameter=one.diameter,
        seconds=one.seconds,
        method=one.method,
        bfb=one.seconds if one.bfb is None else one.bfb,
        even=one.even,
        bound=one.bound,
        alike=one.links.alike,
        neighbours=tuple(
            (rate, tuple(sorted(heads[places == place].tolist())))
            for place, rate in enumerate(ports.rates)
        ),
    )
