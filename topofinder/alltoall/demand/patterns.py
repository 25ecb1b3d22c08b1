"""Named traffic patterns: integer demand matrices from a word such as `ring:2`.

The patterns are those of collective traffic: uniform all-to-all (LP (3) of Zhao et al., appendix
A.5), permutations, the all-to-all of expert groups in one or several levels, and the exchange with
ring neighbours. Others enter by `register_pattern`. Hosts are ranked in ascending order of their
nodes; switches take no part.
"""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.open_register import Register
from generators.topology import Int64Array, Topology
from topofinder.alltoall.demand.matrix import Demand

MAX_DEMAND_NODES = 8192
"""The most nodes that a demand matrix is for."""

_WORD = re.compile(r"([a-z]+)(?::(\d{1,9}(?:,\d{1,9}){0,9}))?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class DemandPattern:
    """A named traffic pattern, with a line that describes it.

    `matrix(text, hosts, numbers)` gives who sends how much to whom, in units of 1 and of shape
    (hosts, hosts), and raises InvalidInput, naming `text`, for numbers that do not fit the hosts;
    its diagonal is ignored. `parameters` tells in the help what stands behind the colon, and
    `default` which numbers are meant where none are given. Names are of small letters. `place`
    orders the patterns in lists, those of one place by name.
    """

    name: str
    description: str
    matrix: Callable[[str, int, Sequence[int]], Int64Array]
    parameters: str = ""
    default: str = ""
    place: int = 100

    def __post_init__(self) -> None:
        if _WORD.fullmatch(self.name) is None or ":" in self.name:
            raise InvalidInput(f"demand pattern {excerpt(self.name)}: small letters are needed")

    @property
    def signature(self) -> str:
        """How the pattern is written, such as `shift:K`."""
        return f"{self.name}:{self.parameters}" if self.parameters else self.name


PATTERNS: Register[DemandPattern] = Register("demand pattern", place=lambda pattern: pattern.place)


def register_pattern(pattern: DemandPattern) -> DemandPattern:
    """Enter a pattern in the register; a name is taken once."""
    return PATTERNS.enter(pattern.name, pattern)


def pattern_signatures() -> list[str]:
    """How every pattern of the register is written.

    >>> pattern_signatures()
    ['uniform', 'permutation:SEED', 'shift:K', 'ring:K', 'experts:G,...', 'replicas:G']
    """
    return [pattern.signature for pattern in PATTERNS.values()]


def pattern_demand(text: str, topology: Topology) -> Demand:
    """The demand of a pattern of the register, in units of 1.

    Raises InvalidInput for unknown patterns and for numbers that do not fit the hosts.

    >>> ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    >>> pattern_demand("shift:1", ring).high.tolist()
    [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    """
    require_matrix_size(topology.n)
    hosts = np.setdiff1d(np.arange(topology.n), topology.switches)
    demand = np.zeros((topology.n, topology.n), dtype=np.int64)
    demand[np.ix_(hosts, hosts)] = pattern_matrix(text, len(hosts))
    return Demand.of(demand)


def pattern_matrix(text: str, hosts: int) -> Int64Array:
    """Who of so many hosts sends how much to whom by a pattern; shape (hosts, hosts).

    Raises InvalidInput as `pattern_demand` does.

    >>> pattern_matrix("ring", 3).tolist()
    [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    """
    match = _WORD.fullmatch(text)
    if match is None or match[1] not in PATTERNS:
        raise InvalidInput(f"pattern: {excerpt(text)} is none of {', '.join(pattern_signatures())}")
    require_matrix_size(hosts)
    numbers = [int(number) for number in match[2].split(",")] if match[2] else []
    among = PATTERNS[match[1]].matrix(text, hosts, numbers)
    np.fill_diagonal(among, 0)
    return among


def canonical_pattern(text: str) -> str:
    """The pattern with the numbers that it takes where none are given.

    >>> canonical_pattern("ring"), canonical_pattern("experts:4,016")
    ('ring:1', 'experts:4,16')
    """
    name, _, numbers = text.partition(":")
    kept = ",".join(str(int(number)) for number in numbers.split(",")) if numbers else ""
    if not kept and name in PATTERNS:
        kept = PATTERNS[name].default
    return f"{name}:{kept}" if kept else name


def require_matrix_size(n: int) -> None:
    """Refuse a graph for which a matrix of all pairs would be too large."""
    if n > MAX_DEMAND_NODES:
        raise InvalidInput(f"demand: a matrix is for at most {MAX_DEMAND_NODES} nodes, not {n}")


def uniform_matrix(text: str, hosts: int, numbers: Sequence[int]) -> Int64Array:
    """The same to everyone."""
    _require_numbers(text, numbers, 0, 0)
    return np.ones((hosts, hosts), dtype=np.int64)


def permutation_matrix(text: str, hosts: int, numbers: Sequence[int]) -> Int64Array:
    """Each to one other, drawn anew until nobody sends to itself (2.7 draws on average)."""
    _require_numbers(text, numbers, 0, 1)
    draw = random.Random(numbers[0] if numbers else 0)
    targets = list(range(hosts))
    while hosts > 1 and any(rank == target for rank, target in enumerate(targets)):
        draw.shuffle(targets)
    return _pair_matrix(hosts, [(rank, target) for rank, target in enumerate(targets)])


def shift_matrix(text: str, hosts: int, numbers: Sequence[int]) -> Int64Array:
    """Each to the rank that is K further, the ranks being taken as a ring."""
    _require_numbers(text, numbers, 1, 1)
    if numbers[0] % hosts == 0:
        raise InvalidInput(f"pattern: {text} sends nothing among {hosts} hosts")
    return _pair_matrix(hosts, [(rank, (rank + numbers[0]) % hosts) for rank in range(hosts)])


def ring_matrix(text: str, hosts: int, numbers: Sequence[int]) -> Int64Array:
    """Each to the K ranks after it and the K before it; nobody twice."""
    _require_numbers(text, numbers, 0, 1)
    reach = numbers[0] if numbers else 1
    if not 1 <= reach < max(hosts, 2):
        raise InvalidInput(f"pattern: {text} needs a reach of 1 to {hosts - 1}")
    steps = [step for hop in range(1, reach + 1) for step in (hop, -hop)]
    return _pair_matrix(
        hosts, [(rank, (rank + step) % hosts) for rank in range(hosts) for step in steps]
    )


def experts_matrix(text: str, hosts: int, numbers: Sequence[int]) -> Int64Array:
    """All-to-all within groups; with several sizes, hierarchical.

    Groups of G[1] ranks lie in groups of G[2] and so on, each size dividing the next. At level i
    the ranks of a group of G[i] exchange that have the same place in their groups of G[i-1]: each
    hands over what it holds for G[k] / G[i] groups times G[i-1] ranks. After all levels, every
    host has received 1 from every host of its largest group.
    """
    _require_numbers(text, numbers, 1, 10)
    for inner, outer in pairwise([1, *numbers, hosts]):
        if inner < 1 or outer % inner:
            raise InvalidInput(f"pattern: {text} needs sizes of which each divides the next, and "
                               f"the last {hosts} hosts")  # fmt: skip
    rank = np.arange(hosts)
    demand = np.zeros((hosts, hosts), dtype=np.int64)
    for inner, outer in pairwise([1, *numbers]):
        same = (rank[:, None] // outer == rank // outer) & (rank[:, None] % inner == rank % inner)
        demand += same * (numbers[-1] // outer * inner)
    return demand


def replicas_matrix(text: str, hosts: int, numbers: Sequence[int]) -> Int64Array:
    """All-to-all among the ranks that have the same place in groups of G consecutive ones."""
    _require_numbers(text, numbers, 1, 1)
    group = numbers[0]
    if group < 1 or hosts % group or group == hosts:
        raise InvalidInput(f"pattern: {text} needs groups of which {hosts} hosts have several")
    rank = np.arange(hosts)
    same: Int64Array = (rank[:, None] % group == rank % group).astype(np.int64)
    return same


def _require_numbers(text: str, numbers: Sequence[int], least: int, most: int) -> None:
    if not least <= len(numbers) <= most:
        wanted = f"{least}" if least == most else f"{least} to {most}"
        raise InvalidInput(f"pattern: {text} has {len(numbers)} numbers; {wanted} are needed")


def _pair_matrix(hosts: int, pairs: Sequence[tuple[int, int]]) -> Int64Array:
    demand = np.zeros((hosts, hosts), dtype=np.int64)
    for source, sink in pairs:
        demand[source, sink] = 1
    return demand


register_pattern(
    DemandPattern(
        name="uniform",
        description="1 for every ordered pair of hosts",
        matrix=uniform_matrix,
        place=10,
    )
)
register_pattern(
    DemandPattern(
        name="permutation",
        parameters="SEED",
        default="0",
        description="every host sends 1 to one other and receives from one, at random",
        matrix=permutation_matrix,
        place=20,
    )
)
register_pattern(
    DemandPattern(
        name="shift",
        parameters="K",
        description="rank r sends 1 to rank r + K",
        matrix=shift_matrix,
        place=30,
    )
)
register_pattern(
    DemandPattern(
        name="ring",
        parameters="K",
        default="1",
        description="1 to the K next and the K previous ranks",
        matrix=ring_matrix,
        place=40,
    )
)
register_pattern(
    DemandPattern(
        name="experts",
        parameters="G,...",
        description="all-to-all within groups of G consecutive ranks, or within groups of the last "
        "size, carried out level by level",
        matrix=experts_matrix,
        place=50,
    )
)
register_pattern(
    DemandPattern(
        name="replicas",
        parameters="G",
        description="all-to-all among the ranks that are equal modulo G, as replicas of G experts",
        matrix=replicas_matrix,
        place=60,
    )
)
