"""Switches split off alike at every host: what is left is shifted onto itself and loses nothing."""

from fractions import Fraction

import numpy as np
import pytest

import topofinder as tf
from generators.fabrics.dgx import dgx_a100
from generators.fabrics.nvl72 import nvl72
from generators.families.ring import two_way_ring
from generators.topology import Topology
from topofinder.forests.build import pack_forest
from topofinder.forests.optimality.network import Network
from topofinder.forests.switch_removal.alike_splits import host_shifts, split_alike
from topofinder.forests.switch_removal.split_state import Splitting


def racks_on_rails(
    racks: int, gpus: int, rails: int, inside: int, outside: int, direct: int = 0
) -> Topology:
    """A switch a rack, GPU i of each on rail i modulo `rails`; with `direct` rings in racks too."""
    n = racks * gpus
    arcs, capacity = [], []
    for u in range(n):
        links = [(n + u // gpus, inside)]
        if racks > 1:
            links.append((n + racks + u % gpus % rails, outside))
        for w, rate in links:
            arcs += [(u, w), (w, u)]
            capacity += [rate, rate]
        if direct:
            arcs.append((u, u // gpus * gpus + (u + 1) % gpus))
            capacity.append(direct)
    switches = tuple(range(n, n + racks + (rails if racks > 1 else 0)))
    return Topology.from_arcs(n + len(switches), arcs, capacity=capacity, switches=switches)


def splitting(network: Network) -> Splitting:
    return Splitting(network.n, network.tail, network.head, network.capacity)


SHAPES = [
    (racks, gpus, rails, inside, outside, direct)
    for racks in (1, 2, 3)
    for gpus, rails in ((4, 2), (6, 3), (8, 8), (9, 1))
    for inside, outside in ((9, 1), (7, 5), (40, 3))
    for direct in ((0, 2) if gpus % 4 == 0 else (0,))
]


@pytest.mark.parametrize("shape", SHAPES)
def test_what_is_left_is_shifted_onto_itself(shape: tuple[int, ...]) -> None:
    network = Network.of(racks_on_rails(*shape))
    state, n = splitting(network), len(network.compute)
    shifts = host_shifts(state, network.compute)
    assert shifts is not None
    split = split_alike(state, network.compute, shifts)
    assert split is not None
    load = np.zeros((network.n, network.n), dtype=int)
    np.add.at(load, (split.tail, split.head), split.capacity)
    assert not load[n:].any()
    assert not load[:, n:].any()
    for u in range(n):
        image = shifts.translation(u)
        assert image[0] == u
        assert (load[np.ix_(image, image)] == load[:n, :n]).all()
    out = np.bincount(network.tail, network.capacity, network.n)[:n]
    assert (load[:n, :n].sum(axis=1) == out).all()  # no pair of arcs that meet leads back
    assert (load[:n, :n].sum(axis=0) == out).all()


def test_networks_without_shifts_have_none() -> None:
    lame = racks_on_rails(2, 4, 2, 9, 1)
    capacity = [*(lame.capacity or ())]
    capacity[:2] = [Fraction(8), Fraction(8)]
    for graph in (
        dgx_a100(2),  # whose switches are linked to switches
        Topology.from_arcs(
            lame.n, zip(lame.tail, lame.head, strict=True), capacity=capacity,
            switches=lame.switches,
        ),
        two_way_ring(2, 6),
    ):  # fmt: skip
        network = Network.of(graph)
        assert host_shifts(splitting(network), network.compute) is None


@pytest.mark.parametrize("racks", [2, 3, 4])
def test_racks_have_trees_of_two_hops_at_the_optimum(racks: int) -> None:
    found = pack_forest(Network.of(nvl72(racks)))
    assert (found.k, found.height) == (19, 2)
    assert found.inverse_rate == Fraction(72 * racks - 1, 950)


@pytest.mark.parametrize("racks", [2, 3])
def test_the_forest_of_racks_is_valid(racks: int, tmp_path) -> None:  # type: ignore[no-untyped-def]
    name = f"NVL72({racks})"
    made = tf.schedule(name, tmp_path / "a.npz", collective="allreduce", method="forest")
    assert made.to_dict()["height"] <= 4
    assert tf.verify(tmp_path / "a.npz").to_dict()["valid"]
