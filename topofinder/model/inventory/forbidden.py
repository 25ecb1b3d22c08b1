"""The noun Forbidden: circuits that must not be made, whatever a target asks for.

For policy, length of fibre or a dirty connector: two hosts that must not be joined, a host that
must not be joined on a panel, two ports. What is in place may stay; nothing of the kind is made.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.topology import Int64Array, IntArray

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Forbidden:
    """Pairs by number, the lower one first: of `hosts`, of `ports`; (host, panel) in `panels`.

    Ports with other `fibres`, a number for each port, do not fit one another; none: all do. Nor
    do those of other `rates`, bytes a second of each port. `sides` are those of switches to which
    circulators lead, "" for a port with none: circuits join A and B.
    """

    hosts: frozenset[Pair] = frozenset()
    ports: frozenset[Pair] = frozenset()
    panels: frozenset[Pair] = frozenset()
    fibres: tuple[int, ...] = ()
    rates: tuple[Fraction, ...] = ()
    sides: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        pairs = self.hosts or self.ports or self.panels
        return bool(pairs or self.fibres or self.rates or self.sides)

    def __or__(self, other: "Forbidden") -> "Forbidden":
        """What either forbids."""
        return Forbidden(
            hosts=self.hosts | other.hosts,
            ports=self.ports | other.ports,
            panels=self.panels | other.panels,
            fibres=self.fibres or other.fibres,
            rates=self.rates or other.rates,
            sides=self.sides or other.sides,
        )

    def names(
        self, hosts: Sequence[str], ports: Sequence[str], panels: Sequence[str]
    ) -> list[list[str]]:
        """The pairs by name: hosts first, then a host and a panel, then ports."""
        return [
            *([hosts[a], hosts[b]] for a, b in sorted(self.hosts)),
            *([hosts[a], panels[p]] for a, p in sorted(self.panels)),
            *([ports[a], ports[b]] for a, b in sorted(self.ports)),
        ]


def forbidden_pairs(
    pairs: Iterable[tuple[str, Sequence[str]]],
    hosts: Sequence[str],
    ports: Mapping[str, int],
    panels: Sequence[str],
) -> Forbidden:
    """What pairs of names forbid, each with where it stands, for a message.

    Raises InvalidInput for what is neither two hosts, nor two ports, nor a host and a panel.

    >>> forbidden_pairs([("here", ("b", "a"))], ["a", "b"], {}, ["P"]).hosts
    frozenset({(0, 1)})
    """
    if not (listed := list(pairs)):
        return Forbidden()
    known = {name: ("port", number) for name, number in ports.items()}
    known |= {name: ("host", number) for number, name in enumerate(hosts)}
    known |= {name: ("panel", number) for number, name in enumerate(panels)}
    found: dict[tuple[str, str], set[Pair]] = {kinds: set() for kinds in _KINDS}
    for where, names in listed:
        kinds, numbers = _kinds_and_numbers(where, names, known)
        found[kinds].add(numbers)
    between, wired, barred = (frozenset(found[kinds]) for kinds in _KINDS)
    return Forbidden(hosts=between, ports=wired, panels=barred)


_KINDS = (("host", "host"), ("port", "port"), ("host", "panel"))


def _kinds_and_numbers(
    where: str, names: Sequence[str], known: Mapping[str, tuple[str, int]]
) -> tuple[tuple[str, str], Pair]:
    for name in names:
        if name not in known:
            raise InvalidInput(f"{where}: no host, port or panel is called {excerpt(name)}")
    (one, a), (two, b) = sorted(known[name] for name in names)
    if (one, two) not in _KINDS:
        raise InvalidInput(
            f"{where}: two hosts, two ports, or a host and a panel are needed, "
            f"not {' and '.join(names)}"
        )
    if one == two and a == b:
        raise InvalidInput(f"{where}: two different ones are needed, not {' and '.join(names)}")
    return (one, two), (a, b)


def port_classes(forbidden: Forbidden, ports: int) -> Int64Array:
    """A number for each port, shape (ports,): ports with the same are forbidden the same ports.

    Those that may be joined to any, or any with one pair of fibres, have 0.

    >>> port_classes(Forbidden(ports=frozenset({(0, 2), (1, 2)})), 4).tolist()
    [1, 1, 2, 0]
    """
    barred: dict[int, set[int]] = {}
    for a, b in forbidden.ports:
        barred.setdefault(a, set()).add(b)
        barred.setdefault(b, set()).add(a)
    fibres = forbidden.fibres or (1,) * ports
    rates = forbidden.rates or (Fraction(),) * ports
    sides = forbidden.sides or ("",) * ports
    number: dict[tuple[int, Fraction, str, frozenset[int]], int]
    number = {(1, Fraction(), "", frozenset()): 0}
    found = np.zeros(ports, dtype=np.int64)
    unlike = forbidden.fibres or forbidden.rates or forbidden.sides
    for port in range(ports) if unlike else sorted(barred):
        kind = fibres[port], rates[port], sides[port], frozenset(barred.get(port, ()))
        found[port] = number.setdefault(kind, len(number))
    return found


def rate_numbers(forbidden: Forbidden, ports: int) -> Int64Array:
    """The place of each port's rate among all rates, the slowest 0; shape (ports,).

    >>> rate_numbers(Forbidden(rates=(Fraction(2), Fraction(1))), 2).tolist()
    [1, 0]
    """
    if not forbidden.rates:
        return np.zeros(ports, dtype=np.int64)
    place = {rate: number for number, rate in enumerate(sorted(set(forbidden.rates)))}
    return np.array([place[rate] for rate in forbidden.rates], dtype=np.int64)


def forbidding_rule(
    forbidden: Forbidden, host: IntArray, panel: IntArray, ports: Pair
) -> str | None:
    """Why a circuit between two ports must not be made, None where it may.

    `host` and `panel` are those of each port, shape (ports,).
    """
    ends = int(host[ports[0]]), int(host[ports[1]])
    if (min(ends), max(ends)) in forbidden.hosts:
        return "the two hosts must not be joined"
    if (min(ports), max(ports)) in forbidden.ports:
        return "the two ports must not be joined"
    if any((end, int(panel[ports[0]])) in forbidden.panels for end in ends):
        return "a host must not be joined on that panel"
    if forbidden.fibres and forbidden.fibres[ports[0]] != forbidden.fibres[ports[1]]:
        return "the two ports have not as many fibres"
    if forbidden.rates and forbidden.rates[ports[0]] != forbidden.rates[ports[1]]:
        return "the two ports have not one rate"
    if forbidden.sides and forbidden.sides[ports[0]] == forbidden.sides[ports[1]] != "":
        return f"the two ports are on side {forbidden.sides[ports[0]]} of the switch"
    return None
