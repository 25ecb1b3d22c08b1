"""Trunks: ports of a host whose fibres are bundled, so that they are plugged in and out at once.

A plan has a bundle as one port, and what joins two bundles, fibre by fibre, as one circuit and one
move. All trunks of an inventory have as many ports, and no port beside them takes part.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from generators.errors import InvalidInput
from generators.topology import IntArray
from topofinder.model.inventory.document import Inventory, State

_OWN = State.RESERVED, State.HELD
"""States of ports that need not be in a trunk: they take no part."""


class Bundles(NamedTuple):
    """`of[p]` is the bundle of port p, `ports[b]` the ports of bundle b; one of each lone port.

    `names[b]` is that of a trunk, "" of a lone port. Trunks have `size` ports each.
    """

    of: IntArray
    ports: tuple[tuple[int, ...], ...]
    names: tuple[str, ...]
    size: int


def bundles_of(inventory: Inventory, at: Callable[..., str]) -> Bundles | None:
    """The trunks of an inventory; None where there is none. `at` tells where a value stands.

    Raises InvalidInput for ports in trunks that have pairs, for trunks of unlike size, and for
    ports in none that are neither reserved nor held.
    """
    groups: dict[tuple[int, str], list[int]] = {}
    lone: list[tuple[tuple[str | int, ...], str]] = []
    port = 0
    for h, host in enumerate(inventory.hosts):
        for place, one in enumerate(host.ports):
            where = "hosts", h, "ports", place
            if one.trunk is None:
                if one.state not in _OWN and host.state not in _OWN:
                    lone.append((where, f"{host.name}:{one.name or place}"))
            elif one.pairs > 1:
                line = f"trunk: {one.trunk}: a port in a trunk has no pairs"
                raise InvalidInput(f"{at(*where)}: {line}")
            key = (h, f":{place}" if one.trunk is None else one.trunk)
            groups.setdefault(key, []).append(port)
            port += 1
    sizes = {len(ports) for (_, name), ports in groups.items() if name[0] != ":"}
    if not sizes:
        return None
    if lone:
        first, name = lone[0]
        raise InvalidInput(f"{at(*first)}: {name} is in no trunk, as others are; reserve it")
    if len(sizes) > 1:
        told = " and ".join(map(str, sorted(sizes)[:2]))
        raise InvalidInput(f"{at('hosts')}: trunk: some of {told} ports; one size is needed")
    names = tuple("" if name[0] == ":" else name for _, name in groups)
    return _bundles(tuple(map(tuple, groups.values())), names, sizes.pop(), port)


def _bundles(
    ports: tuple[tuple[int, ...], ...], names: tuple[str, ...], size: int, count: int
) -> Bundles:
    of = np.zeros(count, dtype=np.int32)
    for number, group in enumerate(ports):
        of[list(group)] = number
    return Bundles(of=of, ports=ports, names=names, size=size)


def common_state(states: Sequence[State], where: str) -> State:
    """The state of a trunk: dead where one of its ports is, else that of all of them.

    >>> common_state([State.LIVE, State.DEAD], "h0:t0").value
    'dead'
    """
    found = sorted(set(states))
    if State.DEAD in found and not {State.HELD, State.RESERVED} & set(found):
        return State.DEAD
    if len(found) > 1:
        raise InvalidInput(f"{where}: a trunk with ports that are {' and '.join(found)}")
    return found[0]


def trunk_rates(
    rates: Sequence[Fraction], bundles: Bundles, names: Sequence[str]
) -> tuple[Fraction, ...]:
    """The rate of each trunk, that of its fibres together, from those of ports; none from none.

    Lone ports, which take no part, count as trunks of theirs. Raises InvalidInput for a trunk whose
    fibres have two rates. `names` are those of trunks.

    >>> trunk_rates([Fraction(2)] * 2, Bundles(np.zeros(2), ((0, 1),), ("t",), 2), ["h:t"])
    (Fraction(4, 1),)
    """
    if rates:
        _require_alike(rates, bundles, names, "rate")
    return tuple(bundles.size * rates[ports[0]] for ports in bundles.ports if rates)


def trunk_sides(sides: Sequence[str], bundles: Bundles, names: Sequence[str]) -> tuple[str, ...]:
    """The side of a switch of each trunk, from those of ports; none from none.

    Raises InvalidInput for a trunk on two sides. `names` are those of trunks.
    """
    if sides:
        _require_alike(sides, bundles, names, "side")
    return tuple(sides[ports[0]] for ports in bundles.ports if sides)


def _require_alike(
    told: Sequence[object], bundles: Bundles, names: Sequence[str], what: str
) -> None:
    for name, ports in zip(names, bundles.ports, strict=True):
        if len({told[port] for port in ports}) > 1:
            raise InvalidInput(f"{name}: {what}: the ports of a trunk need one {what}")


def span_of_positions(positions: Sequence[str]) -> str:
    """The positions of a trunk as one: `A:1-4`, or `A:1+3` where they are not side by side.

    >>> span_of_positions(["A:1", "A:2", "A:3"]), span_of_positions(["A:1B", "A:3B"])
    ('A:1-3', 'A:1+3B')
    """
    panel, _, first = positions[0].rpartition(":")
    side = first.lstrip("0123456789")
    numbers = [int(position.rpartition(":")[2].rstrip("AB")) for position in positions]
    beside = numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    if len(numbers) == 1:
        return positions[0]
    if beside:
        return f"{panel}:{numbers[0]}-{numbers[-1]}{side}"
    return f"{panel}:{'+'.join(map(str, numbers))}{side}"


def bundled_receivers(to: IntArray, bundles: Bundles, names: Sequence[str]) -> IntArray:
    """The bundle that each bundle leads to, -1 for none, from ports to receivers; shape (bundles,).

    Raises InvalidInput for one of whose ports lead to unlike bundles, or only some lead anywhere.

    >>> two = Bundles(np.array([0, 0, 1, 1]), ((0, 1), (2, 3)), ("a", "b"), 2)
    >>> bundled_receivers(np.array([3, 2, 0, 1]), two, ["a:0", "a:1", "b:0", "b:1"]).tolist()
    [1, 0]
    """
    leads = np.where(to < 0, -1, bundles.of[to])
    found = np.array([leads[ports[0]] for ports in bundles.ports], dtype=np.int32)
    wrong = np.flatnonzero(leads != found[bundles.of])
    if len(wrong):
        two = int(wrong[0])
        one = bundles.ports[int(bundles.of[two])][0]
        ends = ["nothing" if to[port] < 0 else names[to[port]] for port in (one, two)]
        raise InvalidInput(
            f"{names[one]} and {names[two]} are in one trunk, and lead to {ends[0]} and {ends[1]}: "
            "topofinder check mends it"
        )
    return _checked_sizes(found, bundles, names)


def fibre_receivers(
    bundles: Bundles, a: int, b: int, order: Sequence[tuple[int, ...]] | None
) -> tuple[int, ...]:
    """The port that each fibre of bundle a leads to where it is joined to b.

    As in `order`, the receivers of each bundle, where these are joined in it, else first to first.

    >>> two = Bundles(np.array([0, 0, 1, 1]), ((0, 1), (2, 3)), ("a", "b"), 2)
    >>> fibre_receivers(two, 0, 1, None), fibre_receivers(two, 0, 1, [(3, 2), ()])
    ((2, 3), (3, 2))
    """
    there = bundles.ports[b]
    own = there if order is None else order[a]
    return own if sorted(own) == sorted(there) else there


def _checked_sizes(found: IntArray, bundles: Bundles, names: Sequence[str]) -> IntArray:
    """The same, unless a port alone is joined to one of a trunk."""
    for number in np.flatnonzero(found >= 0).tolist():
        one, two = bundles.ports[number], bundles.ports[found[number]]
        if len(one) != len(two):
            raise InvalidInput(f"{names[one[0]]} and {names[two[0]]}: one of them is in a trunk")
    return found
