"""What a collective takes by BFB on candidates whose hosts have ports of unlike speed.

Each candidate gets the rates that make it quickest among those that are tried
(`finder.rated_links`), by program (14) of Zhao et al., solved exactly. Every host sends and
receives what all its ports carry together at most, so a candidate that the bound of equal ports
excludes is not looked at.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from expansions.build import build
from expansions.collective import Collective
from expansions.parser import parse
from generators.topology import Topology
from topofinder.finder.rated_links import RatedLinks, rated_links
from topofinder.finder.rating import (
    RatedCandidate,
    RatingTask,
    bfb_seconds,
    least_time,
    quickest_method,
)
from topofinder.model.port_rates import PortRates
from topofinder.schedules.bfb.unequal_links import unequal_seconds

LARGEST_UNALIKE = 1024
"""Hosts up to which a graph without translations is looked at."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedWiring:
    """A candidate with a rate for every link: seconds, and what nothing on it beats.

    `even` is what it takes where all links have the mean rate. `topology` has the rates as
    capacities, and tells the rate of 1.
    """

    recipe: str
    diameter: int | None
    links: RatedLinks
    topology: Topology
    seconds: Fraction
    even: Fraction
    bound: Fraction
    method: str = "bfb"
    bfb: Fraction | None = None

    def by_methods(self, task: RatingTask, ports: PortRates) -> "RatedWiring":
        """The same by the quickest of the task's methods; `bfb` is then what BFB takes."""
        own = replace(task, bandwidth=ports.rates[0] * ports.ports)
        method, seconds = quickest_method(own, self.topology, self.seconds)
        return replace(self, method=method, seconds=seconds, bfb=self.seconds)


def rate_wirings(
    task: RatingTask, ports: PortRates, rows: Iterable[RatedCandidate], *, two_way: bool
) -> Iterator[RatedWiring]:
    """The wirings of those candidates that may be as quick as all before them.

    `task.bandwidth` is what all ports of a host carry together. Candidates that cannot be wired,
    or are too large to be looked at, are left out.
    """
    least: Fraction | None = None
    for row in sorted(rows, key=lambda row: (least_time(task, row), bfb_seconds(task, row))):
        if least is not None and least_time(task, row) > least:
            return
        found = rate_wiring(task, ports, row, two_way=two_way)
        if found is not None:
            least = found.seconds if least is None else min(least, found.seconds)
            yield found


def rate_wiring(
    task: RatingTask, ports: PortRates, row: RatedCandidate, *, two_way: bool
) -> RatedWiring | None:
    """The quickest of the rates that are tried for one candidate; None where there are none."""
    graph = build(parse(row.recipe))
    if graph.translation is None and graph.n > LARGEST_UNALIKE:
        return None
    best: tuple[Fraction, RatedLinks] | None = None
    for links in rated_links(graph, ports.counts, two_way=two_way):
        seconds = bfb_link_seconds(task, ports, graph, links)
        if best is None or seconds < best[0]:
            best = seconds, links
    if best is None:
        return None
    return RatedWiring(
        recipe=row.recipe,
        diameter=row.diameter,
        links=best[1],
        topology=best[1].topology(graph, ports),
        seconds=best[0],
        even=bfb_seconds(task, row),
        bound=least_time(task, row),
    )


def bfb_link_seconds(
    task: RatingTask, ports: PortRates, graph: Topology, links: RatedLinks
) -> Fraction:
    """What BFB takes with these rates: an allgather here, a reduce-scatter on the transpose."""
    rated = links.topology(graph, ports)
    turned = {
        Collective.ALLGATHER: [rated],
        Collective.REDUCE_SCATTER: [rated.transpose()],
        Collective.ALLREDUCE: [rated.transpose(), rated],
    }[task.collective]
    bandwidth = ports.rates[0] * ports.ports
    some = [0] if links.alike else None
    times = (unequal_seconds(one, task.alpha, task.size, bandwidth, some) for one in turned)
    return sum(times, Fraction())
