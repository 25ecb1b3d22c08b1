from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

from tests.topofinder.patching.panels.test_split import bare, most_kept, require_room
from tests.topofinder.patching.twins import regular, rewired
from topofinder.patching.circuits import Circuits
from topofinder.patching.panels.kempe_chain_kernels import improve_panels
from topofinder.patching.panels.lp_rounding import MOST_LP_VARIABLES
from topofinder.patching.panels.matchings import split_into_matchings
from topofinder.patching.panels.split import empty_split, split_over_panels
from topofinder.patching.placement.assignment import kept_circuits


def on_panels(circuits: Circuits, ports: np.ndarray, seed: int) -> Circuits:
    return replace(circuits, panel=split_over_panels(bare(circuits), circuits, ports, seed))


def stay(wiring: Circuits, placed: Circuits, panel: np.ndarray) -> int:
    return np.count_nonzero(kept_circuits(wiring, placed, np.arange(placed.n), panel) >= 0)


def best_of_pairs(wiring: Circuits, placed: Circuits, panel: np.ndarray) -> int:
    """The most that stay when any two panels change sides of one component of their circuits."""
    best = stay(wiring, placed, panel)
    for one in range(panel.max() + 1):
        for two in range(one):
            graph = nx.MultiGraph()
            for i in np.flatnonzero((panel == one) | (panel == two)).tolist():
                graph.add_edge((0, placed.tail[i]), (1, placed.head[i]), circuit=i)
            for component in nx.connected_components(graph):
                edges = graph.subgraph(component).edges(data="circuit")
                chosen = [circuit for *_, circuit in edges]
                other = panel.copy()
                other[chosen] = one + two - panel[chosen]
                best = max(best, stay(wiring, placed, other))
    return best


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("variables", [MOST_LP_VARIABLES, 0])
def test_every_circuit_finds_a_port(seed: int, variables: int) -> None:
    ports = np.tile([[1, 1, 1, 1], [2, 1, 1, 0], [2, 2, 0, 0]][seed % 3], (20, 1))
    circuits = regular(seed, duplex=False, n=20, d=4)
    wiring = on_panels(circuits, ports, seed)
    placed = rewired(circuits, seed, 6)
    fewer = np.sort(np.random.default_rng(seed).permutation(placed.count)[seed % 2 * 5 :])
    placed = replace(placed, tail=placed.tail[fewer], head=placed.head[fewer])
    state, fresh = (empty_split(wiring, placed, ports) for _ in range(2))
    assert split_into_matchings(state, variables)
    assert (state.panel >= 0).all()
    require_room(placed, ports, state.panel)
    for i, panel in enumerate(state.panel):
        fresh.spare[fresh.pair[i], panel] -= 1
        fresh.room[fresh.ends[i], panel] -= 1
    assert (fresh.spare == state.spare).all()
    assert (fresh.room == state.room).all()


@pytest.mark.parametrize("row", [[1, 1, 1], [2, 2, 2]])
def test_too_few_ports_or_ports_to_spare_are_left_to_others(row: list[int]) -> None:
    circuits = regular(1, duplex=False, n=12, d=4)
    state = empty_split(bare(circuits), circuits, np.tile(row, (12, 1)))
    assert not split_into_matchings(state)
    assert (state.panel < 0).all()


@pytest.mark.parametrize("seed", range(8))
def test_two_panels_share_their_circuits_as_well_as_any_split(seed: int) -> None:
    ports = np.ones((4, 2), dtype=np.int32)
    wiring = on_panels(regular(seed, duplex=False, n=4, d=2), ports, seed)
    placed = regular(seed + 99, duplex=False, n=4, d=2)
    state = empty_split(wiring, placed, ports)
    assert split_into_matchings(state)
    improve_panels(state, seed)
    out, most = most_kept(wiring, placed, ports)
    assert out == placed.count
    assert stay(wiring, placed, state.panel) == most


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("variables", [MOST_LP_VARIABLES, 0])
def test_no_pair_of_panels_can_do_better_when_polished(seed: int, variables: int) -> None:
    ports = np.ones((40, 4), dtype=np.int32)
    circuits = regular(seed, duplex=False, n=40, d=4)
    wiring = on_panels(circuits, ports, seed)
    placed = rewired(circuits, seed, 25)
    state = empty_split(wiring, placed, ports)
    split_into_matchings(state, variables)
    before = stay(wiring, placed, state.panel)
    gained = improve_panels(state, seed)
    require_room(placed, ports, state.panel)
    after = stay(wiring, placed, state.panel)
    assert after == before + gained
    assert after == best_of_pairs(wiring, placed, state.panel)
    assert before >= 0.6 * stay(replace(wiring, panel=None), placed, np.zeros(160, dtype=np.int32))


def test_no_pair_of_panels_can_do_better_after_a_split() -> None:
    ports = np.ones((32, 4), dtype=np.int32)
    circuits = regular(5, duplex=False, n=32, d=4)
    wiring = on_panels(circuits, ports, 5)
    placed = rewired(circuits, 6, 12)
    panel = split_over_panels(wiring, placed, ports, 7)
    assert panel.tobytes() == split_over_panels(wiring, placed, ports, 7).tobytes()
    require_room(placed, ports, panel)
    assert (panel >= 0).all()
    assert stay(wiring, placed, panel) == best_of_pairs(wiring, placed, panel)
