"""What paths carry, against the flows they come from, walked arc by arc."""

from fractions import Fraction

import numpy as np
import pytest

from expansions.build import build
from expansions.parser import parse
from generators.errors import InvalidInput
from generators.topology import Topology
from tests.certificates import tree_certificate
from tests.routes import ROUTED_RECIPES, path_loads, solved_certificate, uniform_demand, walk_paths
from topofinder.alltoall.routing.paths import decompose_flow
from topofinder.alltoall.routing.single_paths import single_paths
from topofinder.api.throughput import throughput
from topofinder.model.certificate import Certificate, DemandBounds


@pytest.mark.parametrize("recipe", ROUTED_RECIPES)
def test_paths_carry_the_flow_of_the_certificate(recipe: str) -> None:
    saved = solved_certificate(recipe)
    paths = decompose_flow(saved)
    asked = uniform_demand(saved.topology)
    assert set(walk_paths(paths)) == set(asked)
    assert list(paths.loads()) == path_loads(paths, asked)
    assert paths.rate() == 1 / max(paths.loads())
    assert saved.lower <= paths.rate() <= saved.upper
    hops = sum(share * len(arcs) for routes in walk_paths(paths).values() for share, arcs in routes)
    assert paths.mean_hops == pytest.approx(float(hops / len(asked)))


def test_demand_capacities_and_switches() -> None:
    star = Topology.from_arcs(
        4,
        [(0, 1), (1, 0), (2, 1), (1, 2), (3, 1), (1, 3), (0, 2)],
        switches=(1,),
        capacity=[2, 1, 1, 1, 1, 1, Fraction(1, 3)],
    )
    amounts = np.zeros((4, 4), dtype=np.int64)
    amounts[0, 2], amounts[3, 0], amounts[2, 3] = 3, 1, 2
    saved = throughput(star, demand=amounts / 2).certificate
    paths = decompose_flow(saved)
    asked = {(s, t): Fraction(int(amounts[s, t]), 2) for s, t in zip(*np.nonzero(amounts))}  # noqa: B905
    carried = path_loads(paths, asked)
    assert list(paths.loads()) == carried
    assert saved.lower <= paths.rate()
    assert paths.rate() == min(c / x for c, x in zip(star.capacity, carried, strict=True) if x)


def test_cycles_and_surplus_are_left_out() -> None:
    ring = build(parse("BiRing(2,5)"))
    saved = tree_certificate(ring)
    rows = saved.rows.copy()
    forth = int(np.flatnonzero((ring.tail == 2) & (ring.head == 3))[0])
    back = int(np.flatnonzero((ring.tail == 3) & (ring.head == 2))[0])
    rows[0, [forth, back]] += 50
    fat = Certificate(**{name: getattr(saved, name) for name in Certificate.__slots__} | {
        "rows": rows, "lower": Fraction(1, 100)
    })  # fmt: skip
    assert decompose_flow(fat).rate() == saved.lower


def test_a_flow_that_does_not_deliver() -> None:
    saved = tree_certificate(build(parse("K(4)")))
    rows = saved.rows.copy()
    rows[2] = 0
    short = Certificate(
        **{name: getattr(saved, name) for name in Certificate.__slots__} | {"rows": rows}
    )
    with pytest.raises(InvalidInput, match="flow: that of node 2 does not deliver what is asked"):
        decompose_flow(short)
    with pytest.raises(InvalidInput, match="seed: 0 or more is needed, not -1"):
        single_paths(decompose_flow(saved), -1)


def test_more_hops_than_first_guessed() -> None:
    """Long paths outgrow the buffer, which then doubles."""
    ring = build(parse("UniRing(1,60)"))
    paths = decompose_flow(tree_certificate(ring))
    assert len(paths.sink) == 60 * 59
    assert paths.hops.max() == 59
    demand = DemandBounds(
        low=np.eye(60, k=1, dtype=int), high=np.eye(60, k=1, dtype=int), unit=Fraction(1)
    )
    assert decompose_flow(tree_certificate(ring, demand)).rate() == 1
