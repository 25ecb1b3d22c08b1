"""What a plan says of wirings, against the fibres: after a stage, and at the end.

After a stage a plan tells the hash of the wiring, and may list its circuits. Of the end it claims
which host plays which node, and that all circuits of the target but some are there: the arcs
between players are counted one by one, and their strong components by scipy.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.topology import BoolArray, IntArray
from topofinder.model.inventory.document import State
from topofinder.model.inventory.ports import PortMap
from topofinder.model.inventory.wiring import Circuit, Claim, Wiring, wiring_digest
from topofinder.model.port_rates import link_rates

NodePair = tuple[int, int, Fraction]
"""Two nodes, and the bytes a second of the ports that join them; 0 where ports have no rates."""
Pairs = Counter[NodePair]
_HALF = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ClaimedWiring:
    """What a plan says of the wiring after a stage: its hash, and its circuits where listed."""

    digest: str
    circuits: tuple[Circuit, ...] | None = None


class ClaimedEnd:
    """A claim laid over the ports of a fabric.

    Raises InvalidInput when a host plays two nodes, is unknown, or a node has no host, and when
    more circuits are missing than the topology has.

    >>> from topofinder.model.inventory.document import inventory_for
    >>> from topofinder.model.inventory.ports import port_map
    >>> from generators.topology import Topology
    >>> fabric = port_map(inventory_for(hosts=2, ports=1))
    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> end = ClaimedEnd(fabric, Claim(topology=pair, host=(0, 1), duplex=True))
    >>> end.parts(np.array([1, 0])), end.parts(np.array([1, -1]))
    (1, 2)
    >>> end.difference(np.array([1, -1]))
    'at the end a fibre leads from h0 to h1, and none back'
    """

    def __init__(self, fabric: PortMap, claim: Claim) -> None:
        hosts = len(fabric.hosts)
        known = all(0 <= host < hosts for host in claim.host)
        if (
            not known
            or len(set(claim.host)) != len(claim.host)
            or len(claim.host) != claim.topology.n
        ):
            raise InvalidInput("host: each node needs a host of its own")
        self.fabric, self.claim = fabric, claim
        self.wanted = _wanted_arcs(claim, rated=bool(fabric.forbidden.rates))
        """Arcs from one node to another that are to be there, by the pair and their rate."""
        player = np.full(hosts, -1, dtype=np.int64)
        player[list(claim.host)] = np.arange(len(claim.host))
        state = np.array(fabric.states)
        self.pinned: BoolArray = np.equal(state, State.PINNED)
        good = np.equal(state, State.LIVE) | self.pinned
        # A port of no account plays no node.
        self.node = np.where(good, player[fabric.host], -1)
        rates = fabric.forbidden.rates
        self.rates = rates or (Fraction(),) * fabric.ports
        self._by_node = np.argsort(self.node, kind="stable").astype(np.int32)

    def _arcs(self, to: IntArray) -> tuple[IntArray, IntArray]:
        """The senders between players, ordered by the node that they play, and their receivers."""
        sender = self._by_node[(to[self._by_node] >= 0) & (self.node[self._by_node] >= 0)]
        receiver = to[sender]
        inside = self.node[receiver] >= 0
        return sender[inside], receiver[inside]

    def parts(self, to: IntArray) -> int:
        """Strongly connected components of the players; `to[p]` hears port p, or is -1."""
        n = self.claim.topology.n
        sender, receiver = self._arcs(to)
        start = np.zeros(n + 1, dtype=np.int32)
        np.cumsum(np.bincount(self.node[sender], minlength=n), out=start[1:])
        ones = np.ones(len(sender), dtype=np.float64)
        head = self.node[receiver].astype(np.int32)
        graph = csr_matrix((ones, head, start), shape=(n, n))
        graph.sum_duplicates()  # parallel arcs send scipy's search round for ever
        return int(connected_components(graph, directed=True, connection="strong")[0])

    def difference(self, to: IntArray) -> str | None:
        """A line on the first arc of which there are too few or too many; None if there is none.

        Arcs over a pinned port may be more than the target asks for: they could not be taken out.
        """
        claim, wanted = self.claim, self.wanted
        moved, pinned = self._count_arcs(to)
        for pair in sorted(set(wanted) | set(moved)):
            if not moved[pair] <= wanted[pair] <= moved[pair] + pinned[pair]:
                names = [self.fabric.hosts[claim.host[node]] for node in pair[:2]]
                return _describe_arcs(pair, names, moved[pair] + pinned[pair], wanted[pair])
        return self._false_missing(moved + pinned)

    def _false_missing(self, there: Pairs) -> str | None:
        """A line on the first circuit that the claim calls missing and that is there."""
        for (u, v), count in sorted(Counter(self.claim.missing).items()):
            pair = u, v, Fraction()
            lacks = self.wanted[pair] + count - there[pair]
            if lacks < count:
                circuits = f"missing: circuits from node {u} to node {v}"
                return false_value(circuits, count, max(0, lacks))
        return None

    def _count_arcs(self, to: IntArray) -> tuple[Pairs, Pairs]:
        """Arcs between players over live ports, and those with a pinned end."""
        moved: Pairs = Counter()
        pinned: Pairs = Counter()
        for sender, receiver in zip(*(ends.tolist() for ends in self._arcs(to)), strict=True):
            ends = int(self.node[sender]), int(self.node[receiver])
            arc = *ends, min(self.rates[sender], self.rates[receiver])
            whole = not self.claim.duplex or to[receiver] == sender
            if ends[0] == ends[1]:
                continue
            if self.pinned[sender] or self.pinned[receiver]:
                pinned[arc] += whole
            else:
                # In a duplex fabric half a circuit is of no use, and must not be left.
                moved[arc] += 1 if whole else _HALF
        return moved, pinned


def _wanted_arcs(claim: Claim, *, rated: bool) -> Pairs:
    """How many arcs lead from one node to another, those that are missing left out."""
    topology, rates = claim.topology, (Fraction(),) * claim.topology.arcs
    if rated:
        if claim.missing or topology.capacity is None or topology.unit_rate is None:
            raise InvalidInput("arc_rates: each arc of a plan by rates is needed, none missing")
        rates = link_rates(topology)
    rows = zip(topology.tail.tolist(), topology.head.tolist(), rates, strict=True)
    wanted = Counter((u, v, rate) for u, v, rate in rows if u != v)
    for u, v in claim.missing:
        for arc in [(u, v, Fraction()), (v, u, Fraction())][: 1 + claim.duplex]:
            if not wanted[arc]:
                raise InvalidInput(f"missing: the target has no circuit from node {u} to node {v}")
            wanted[arc] -= 1
    return wanted


def _describe_arcs(nodes: NodePair, names: list[str], there: int, wanted: int) -> str:
    where = f"from {names[0]} to {names[1]}"
    if nodes[2]:
        where += f" at {nodes[2]} bytes a second"
    if there >= _HALF:
        return f"at the end a fibre leads {where}, and none back"
    target = f"nodes {nodes[0]} and {nodes[1]} of the target have {wanted}"
    return f"at the end {there} arcs lead {where}, where {target}"


def wiring_difference(
    fabric: PortMap, to: IntArray, told: ClaimedWiring, field: str = "digest"
) -> str | None:
    """A line if a wiring is another than the plan tells; `to[p]` hears port p, or is -1.

    `field` is what the plan calls its hash.
    """
    if (digest := wiring_digest(to)) != told.digest:
        return false_value(field, told.digest, digest)
    if told.circuits is None or are_all(to, told.circuits):
        return None
    return _circuit_difference(fabric, to, told.circuits)


def circuit_name(fabric: PortMap, circuit: Circuit) -> str:
    """What a message calls a circuit."""
    names = [fabric.names[port] if 0 <= port < fabric.ports else str(port) for port in circuit[:2]]
    return (" - " if circuit.duplex else " > ").join(names)


def are_all(to: IntArray, told: Sequence[Circuit]) -> bool:
    """Whether a list has all circuits, each once: `_circuit_difference` finds nothing.

    >>> are_all(np.array([1, 0, 3, -1]), [Circuit(0, 1, True), Circuit(2, 3, False)])
    True
    """
    rows = np.fromiter(chain.from_iterable(told), np.int64, 3 * len(told)).reshape(-1, 3)
    a, b, duplex = rows.T
    if ((rows[:, :2] < 0) | (rows[:, :2] >= len(to))).any():
        return False
    heard = np.full(len(to), -1, dtype=np.int64)
    heard[a], both = b, duplex > 0
    heard[b[both]] = a[both]
    once = len(told) + np.count_nonzero(both) == np.count_nonzero(to >= 0)
    return bool(once and (heard == to).all() and (both == (to[b] == a)).all())


def _circuit_difference(fabric: PortMap, to: IntArray, told: Sequence[Circuit]) -> str | None:
    """A line on the first circuit of a list that is not up, or that is up and not in the list."""
    up = set(Wiring(to=to).circuits())
    listed = [Circuit(b, a, True) if duplex and a > b else Circuit(a, b, duplex)
              for a, b, duplex in told]  # fmt: skip
    for circuit, count in Counter(listed).items():
        if circuit not in up or count > 1:
            return f"wiring: {circuit_name(fabric, circuit)} is not up, or listed twice"
    for circuit in sorted(up.difference(listed)):
        return f"wiring: {circuit_name(fabric, circuit)} is up, and not in the list"
    return None


def false_value(field: str, told: object, true: object) -> str:
    """The field, what the plan says of it and what it is, each shortened.

    >>> false_value("moves", 3, 4)
    'moves: the plan says 3; it is 4'
    """
    return f"{field}: the plan says {_text(told)}; it is {_text(true)}"


def _text(value: object) -> str:
    return str(value) if isinstance(value, Fraction) else excerpt(value)
