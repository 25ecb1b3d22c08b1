"""Jobs on ports of unlike rates: costs by linear programs, courses against all of them."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise, permutations, product
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog

from generators.errors import InvalidInput
from generators.topology import Topology
from reports.jobs import Course
from topofinder.api.plan_jobs import job_courses
from topofinder.api.plan_jobs_file import Job
from topofinder.api.plan_jobs_wirings import JobWiring, Site, at_port_rates, wirings
from topofinder.model.candidate import LinkMode
from topofinder.model.inventory.document import inventory_for
from topofinder.model.inventory.ports import port_map
from topofinder.model.inventory.wiring import Wiring
from topofinder.model.workload import Workload
from topofinder.patching.existing_circuits import IN_PLACE
from topofinder.patching.pinned_placement import PlacementOptions
from topofinder.patching.planner import PlanOptions, Target, make_plan

SLOW, FAST, ALPHA = Fraction(10**9), Fraction(3 * 10**9), Fraction(1, 10**5)
MOVE_SECONDS = 120


def rated(n: int, arcs: list[tuple[int, int, Fraction]]) -> Topology:
    return Topology.from_arcs(
        n,
        [arc[:2] for arc in arcs],
        capacity=[rate / SLOW for *_, rate in arcs],
        unit_rate=SLOW,
    )


def site_of(rates: list[Fraction], arcs: list[tuple[int, int, Fraction]], mode: LinkMode) -> Site:
    """Five hosts with ports of these rates, joined by the arcs."""
    fabric = port_map(inventory_for(hosts=5, ports=len(rates)))
    fabric = fabric.with_rates(rates * 5)
    options = PlanOptions(placement=PlacementOptions(time=0.5))
    duplex = mode is LinkMode.DUPLEX
    first = Target(subject="", recipe=None, topology=rated(5, arcs), duplex=duplex)
    wiring = make_plan(fabric, Wiring(to=np.full(fabric.ports, -1)), first, options).after
    return Site(fabric=fabric, current=wiring, links=mode, d=len(rates), options=options)


def job(name: str, sizes: tuple[tuple[int, int], ...], rounds: int) -> Job:
    told = tuple((Fraction(size), count) for size, count in sizes)
    work = Workload(alpha=ALPHA, bandwidth=Fraction(1), sizes=told)
    return Job(name=name, n=5, workload=work, rounds=Fraction(rounds))


def links(graph: Topology) -> list[tuple[int, int, Fraction]]:
    """Tail, head and bytes a second of each arc."""
    rates = [one * graph.unit_rate for one in graph.capacity]
    return list(zip(graph.tail.tolist(), graph.head.tolist(), rates, strict=True))


def program_seconds(n: int, arcs: list[tuple[int, int, Fraction]], size: int) -> float:
    """What program (14) takes: at each step the slowest receiver, with the best use of its arcs."""
    far = np.full((n, n), n)
    np.fill_diagonal(far, 0)
    for _ in range(n):
        for u, v, _rate in arcs:
            far[:, v] = np.minimum(far[:, v], far[:, u] + 1)
    return sum(
        float(ALPHA) + max(_step_seconds(far, arcs, v, step, size) for v in range(n))
        for step in range(1, int(far.max()) + 1)
    )


def _step_seconds(
    far: np.ndarray, arcs: list[tuple[int, int, Fraction]], v: int, step: int, size: int
) -> float:
    into = [(u, float(rate / SLOW)) for u, head, rate in arcs if head == v]
    sources = [s for s in range(len(far)) if far[s, v] == step]
    ways = [(s, i) for s in sources for i, (u, _) in enumerate(into) if far[s, u] == step - 1]
    if not ways:
        return 0.0
    rows = [[-rate] + [float(i == at) for _, i in ways] for at, (_, rate) in enumerate(into)]
    whole = [[0.0] + [float(s == own) for s, _ in ways] for own in sources]
    cost = [1.0] + [0.0] * len(ways)
    share = size / len(far)
    answer = linprog(cost, rows, [0.0] * len(into), whole, [1.0] * len(sources))
    return answer.fun * share / float(SLOW)


def job_seconds(one: Job, graph: Topology) -> float:
    """An allreduce is a reduce-scatter, an allgather on the transpose, and an allgather."""
    arcs = links(graph)
    back = [(v, u, rate) for u, v, rate in arcs]
    return float(one.rounds) * sum(
        count * (program_seconds(graph.n, arcs, int(size)) + program_seconds(graph.n, back, size))
        for size, count in one.workload.sizes
    )


def fewest_moves(before: Topology, after: Topology, *, duplex: bool) -> int:
    """New circuits over all ways to play the nodes: the ports of hosts are alike."""
    there, wanted = Counter(links(before)), links(after)
    moves = min(
        (Counter((way[u], way[v], rate) for u, v, rate in wanted) - there).total()
        for way in permutations(range(after.n))
    )
    return moves // 2 if duplex else moves


RING = [(u, (u + step) % 5, rate) for u in range(5) for step, rate in ((1, SLOW), (4, FAST))]
TWICE = [(u, (u + step) % 5, rate) for u in range(5) for step in (1, 4) for rate in (SLOW, FAST)]
CASES = [
    (LinkMode.SIMPLEX, [SLOW, FAST], RING),
    (LinkMode.DUPLEX, [SLOW, SLOW, FAST, FAST], TWICE),
    (LinkMode.DUPLEX, [SLOW, SLOW, FAST, FAST], [(u, v, FAST) for u, v, _ in RING]),
]


@pytest.mark.parametrize("case", CASES, ids=["simplex", "duplex", "fast ring"])
def test_no_course_of_wirings_takes_less(
    case: tuple[LinkMode, list[Fraction], list[tuple[int, int, Fraction]]], tmp_path: Path
) -> None:
    mode, rates, arcs = case
    site = site_of(rates, arcs, mode)
    path, made = str(tmp_path / "t.db"), set()
    for rounds in ((1, 1, 1), (10**3, 1, 10**5), (10**3, 10**8, 10**3)):
        sizes = ((10**9, 1),), ((1000, 7), (3000, 2)), ((10**8, 3),)
        listed = [job(str(i), *told) for i, told in enumerate(zip(sizes, rounds, strict=True))]
        offers = wirings(at_port_rates(listed, site), site, path)
        best = job_courses(listed, site, path)[0]
        made.add(sum(leg.moves for leg in best.legs))
        for row, leg in zip(_course(offers, best), best.legs, strict=True):
            its = listed[int(leg.job)]
            assert float(leg.running) == pytest.approx(job_seconds(its, row.target.topology))
            assert leg.moving == MOVE_SECONDS * leg.moves
        assert float(best.total) == pytest.approx(
            _least_total(listed, site, offers, rated(5, arcs))
        )
    assert 0 in made
    assert len(made) > 1


def _course(offers: list[JobWiring], best: Course) -> list[JobWiring]:
    named = {one.name: one for one in offers}
    return [named[leg.topology] for leg in best.legs]


def _least_total(jobs: list[Job], site: Site, offers: list[JobWiring], first: Topology) -> float:
    """The best of all courses, one after the other."""
    duplex = site.links is LinkMode.DUPLEX
    graphs = [one.target.topology for one in offers]
    moves = {
        (i, j): fewest_moves([*graphs, first][i], graphs[j], duplex=duplex)
        for i in range(len(graphs) + 1)
        for j in range(len(graphs))
    }
    runs = [[job_seconds(one, graph) for graph in graphs] for one in jobs]
    return min(
        sum(MOVE_SECONDS * moves[pair] for pair in pairwise((len(graphs), *course)))
        + sum(run[at] for run, at in zip(runs, course, strict=True))
        for course in product(range(len(graphs)), repeat=len(jobs))
    )


def test_rates_that_no_topology_falls_into_are_told(tmp_path: Path) -> None:
    """Where hosts have fewer ports of common rates than a topology has links."""
    site = site_of([SLOW, FAST], RING, LinkMode.SIMPLEX)
    rates = [FAST if port == 1 else rate for port, rate in enumerate(site.fabric.forbidden.rates)]
    rates[0] = FAST
    other = replace(site, fabric=site.fabric.with_rates(rates))
    with pytest.raises(InvalidInput, match=r"hosts have 1 ports of rates that all have, fewer"):
        job_courses([job("a", ((1000, 1),), 1)], other, str(tmp_path / "t.db"))


def test_links_that_rates_do_not_fit_are_told(tmp_path: Path) -> None:
    """Five hosts with a slow port each: no two-way wiring uses all of them."""
    rates, listed = [SLOW, FAST, FAST, FAST], [job("a", ((1000, 1),), 1)]
    site = site_of(rates, [(u, v, FAST) for u, v, _ in RING], LinkMode.DUPLEX)
    course = job_courses(listed, site, str(tmp_path / "t.db"))[0]
    assert [leg.topology for leg in course.legs] == [IN_PLACE]
    empty = replace(site, current=Wiring(to=np.full(site.fabric.ports, -1)))
    with pytest.raises(InvalidInput, match=r"of 5 hosts with 4 ports, of links at the rates of"):
        job_courses(listed, empty, str(tmp_path / "t.db"))
