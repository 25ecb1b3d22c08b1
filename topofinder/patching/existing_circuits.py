"""What is in place as a planner sees it: what may stay for the target, what may be taken out."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from generators.topology import BoolArray, Int64Array, Topology
from topofinder.model.inventory.document import State
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Circuit, Wiring
from topofinder.patching.circuits import Circuits

_UNTOUCHED = (State.HELD, State.RESERVED, State.PINNED)
IN_PLACE = "the wiring in place"
"""What it is called beside recipes."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ExistingCircuits:
    """The circuits in place, in the mode of a plan; the `pinned` first ones stay whatever comes.

    Shapes: `movable` and `countable` (circuits,): it may be taken out; it may stay for a circuit
    of the target, its ports being good and on hosts of the plan. `usable` (2, ports): a new
    circuit may send (0) or hear (1) here, once what is there is taken out. Circuits with an end at
    a port that is held, reserved or pinned are not movable: the fibre that such a circuit takes
    of a port is not usable. Its other fibre is, in simplex; a duplex circuit needs both.
    `barred` (2, ports) are those that would be usable where hosts must not be joined on a panel.
    """

    fabric: PortMap
    duplex: bool
    circuits: tuple[Circuit, ...]
    pinned: int
    movable: BoolArray
    countable: BoolArray
    usable: BoolArray
    barred: BoolArray

    @property
    def unbarred(self) -> "ExistingCircuits":
        """The same as if hosts might be joined on all panels."""
        return replace(self, usable=self.usable | self.barred, barred=np.zeros_like(self.barred))

    @property
    def engine_circuits(self) -> tuple[Circuits, Int64Array]:
        """The countable circuits between hosts, and which circuit each of them is."""
        chosen = np.flatnonzero(self.countable)
        rows = np.array([self.circuits[i][:2] for i in chosen.tolist()], dtype=np.int64)
        ports = rows.reshape(-1, 2)
        fabric = self.fabric
        made = Circuits(
            n=len(fabric.hosts),
            duplex=self.duplex,
            tail=fabric.host[ports[:, 0]],
            head=fabric.host[ports[:, 1]],
            panel=fabric.panel[ports[:, 0]],
        )
        return made, chosen

    def room(self, pinned: Sequence[int]) -> Int64Array:
        """Fibres that the target may occupy, new or kept: shape (2, hosts, panels).

        The first are those that send, the second those that hear; in duplex both are the ports.
        Those that the `pinned` circuits given take are counted.
        """
        good = self.usable.copy()
        for number in pinned:
            a, b, _ = self.circuits[number]
            good[0, a] = good[1, b] = True
            if self.duplex:
                good[0, b] = good[1, a] = True
        fabric = self.fabric
        counts = np.zeros((2, len(fabric.hosts), len(fabric.panels)), dtype=np.int64)
        side, port = np.nonzero(good)
        np.add.at(counts, (side, fabric.host[port], fabric.panel[port]), 1)
        return counts


def existing_circuits(
    fabric: PortMap, wiring: Wiring, *, duplex: bool, allowed: BoolArray
) -> ExistingCircuits:
    """What is in place; `allowed[h]` says whether host h may take part; shape (hosts,).

    In a simplex plan a duplex circuit counts as two simplex ones; in a duplex plan a simplex
    circuit is never of use.
    """
    state = np.array(fabric.states)
    kept_back = np.isin(state, _UNTOUCHED)
    circuits = wiring.circuits(split=not duplex)
    ends = np.array([circuit[:2] for circuit in circuits], dtype=np.int64).reshape(-1, 2)
    movable = np.logical_not(kept_back[ends].any(axis=1))
    live = np.array([kind is State.LIVE for kind in fabric.states]) & allowed[fabric.host]
    usable = np.stack([live, live])
    tails, heads = ends[~movable].T
    usable[0, tails] = usable[1, heads] = False
    if duplex:
        usable[0, heads] = usable[1, tails] = False
    of_mode = np.array([circuit.duplex == duplex for circuit in circuits], dtype=np.bool_)
    good = np.isin(state, (State.LIVE, State.PINNED)) & allowed[fabric.host]
    between = fabric.host[ends[:, 0]] != fabric.host[ends[:, 1]]
    pinned = ~movable & good[ends].all(axis=1) & of_mode & between
    countable = pinned | (usable[0, ends[:, 0]] & usable[1, ends[:, 1]] & of_mode & movable)
    barred = usable & _barred_fibres(fabric, usable, ends[countable & movable], duplex)
    order = np.argsort(~pinned, kind="stable")
    return ExistingCircuits(
        fabric=fabric,
        duplex=duplex,
        circuits=tuple(circuits[i] for i in order.tolist()),
        pinned=int(pinned.sum()),
        movable=movable[order],
        countable=countable[order],
        usable=usable & ~barred,
        barred=barred,
    )


def _barred_fibres(
    fabric: PortMap, usable: BoolArray, staying: Int64Array, duplex: bool
) -> BoolArray:
    """Fibres where hosts must not be joined, but what is `staying` (circuits, 2); (2, ports)."""
    if not fabric.forbidden.panels:
        return np.zeros_like(usable)
    barred = np.zeros((len(fabric.hosts), len(fabric.panels)), dtype=np.bool_)
    barred[tuple(np.array(sorted(fabric.forbidden.panels)).T)] = True
    kept = np.zeros_like(usable)
    kept[0, staying[:, 0]] = kept[1, staying[:, 1]] = True
    if duplex:
        kept[0, staying[:, 1]] = kept[1, staying[:, 0]] = True
    return ~kept & barred[fabric.host, fabric.panel]


def wired_topology(
    fabric: PortMap, wiring: Wiring, *, duplex: bool, allowed: BoolArray
) -> Topology | None:
    """Nodes are the hosts with a circuit, of those `allowed` (hosts,), in their order.

    None where there is no circuit. With `duplex` only two-way circuits count. Where ports have
    rates these are capacities, in bytes a second.

    >>> from topofinder.model.inventory.document import inventory_for
    >>> from topofinder.model.inventory.ports import port_map
    >>> fabric = port_map(inventory_for(hosts=3, ports=1))
    >>> pair = Wiring(to=np.array([2, -1, 0]))
    >>> found = wired_topology(fabric, pair, duplex=True, allowed=np.ones(3, bool))
    >>> found.n, found.tail.tolist(), found.head.tolist()
    (2, [0, 1], [1, 0])
    """
    ends, rates = _host_pairs(fabric, wiring, duplex=duplex, allowed=allowed)
    hosts, nodes = np.unique(ends, return_inverse=True)
    if not len(hosts):
        return None
    tail, head = nodes.reshape(ends.shape).astype(np.int32)
    if duplex:
        tail, head = np.concatenate([tail, head]), np.concatenate([head, tail])
    if not rates:
        return Topology(n=len(hosts), tail=tail, head=head)
    capacity = rates * 2 if duplex else rates
    return Topology(n=len(hosts), tail=tail, head=head, capacity=capacity, unit_rate=Fraction(1))


def wired_hosts(fabric: PortMap, wiring: Wiring, *, duplex: bool, allowed: BoolArray) -> Int64Array:
    """The hosts that are the nodes of `wired_topology`, ascending."""
    ends, _ = _host_pairs(fabric, wiring, duplex=duplex, allowed=allowed)
    return np.unique(ends).astype(np.int64)


def _host_pairs(
    fabric: PortMap, wiring: Wiring, *, duplex: bool, allowed: BoolArray
) -> tuple[Int64Array, tuple[Fraction, ...]]:
    """The two hosts of each circuit that may stay, shape (2, circuits), and its rate, if any."""
    place = existing_circuits(fabric, wiring, duplex=duplex, allowed=allowed)
    there, which = place.engine_circuits
    ends = np.stack([there.tail, there.head]).astype(np.int64)
    between = ends[0] != ends[1]
    known = fabric.forbidden.rates
    if not known:
        return ends[:, between], ()
    ports = [place.circuits[i][:2] for i in which[between].tolist()]
    return ends[:, between], tuple(min(known[a], known[b]) for a, b in ports)
