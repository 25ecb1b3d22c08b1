"""Named traffic patterns: integer demand matrices from a word such as `ring:2`.

The patterns are those of collective traffic: uniform all-to-all (LP (3) of Zhao et al., appendix
A.5), permutations, the all-to-all of expert groups in one or several levels, and the exchange with
ring neighbours. Hosts are ranked in ascending order of their nodes; switches take no part.
"""

import random
import re
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from generators.errors import InvalidInput
from generators.formats.quantities import shown
from generators.topology import Int64Array, Topology
from topofinder.alltoall.demand.matrix import Demand

MAX_NODES = 8192
"""The most nodes that a demand matrix is for."""

Matrix = Int64Array
_WORD = re.compile(r"([a-z]+)(?::(\d{1,9}(?:,\d{1,9}){0,9}))?", re.ASCII)


def pattern_demand(text: str, topology: Topology) -> Demand:
    """The demand of a named pattern, in units of 1.

    `uniform`: 1 for every ordered pair of hosts. `permutation:SEED`: every host sends 1 to one
    other and receives from one, at random. `shift:K`: rank r sends 1 to rank r + K. `ring:K`
    (1 where it is left out): 1 to the K next and the K previous ranks. `experts:G`: an
    all-to-all within each group of G consecutive ranks; `experts:G,H,...`: the same within groups
    of the last size, carried out level by level (see `experts_matrix`).

    Raises InvalidInput for unknown patterns and for numbers that do not fit the hosts.

    >>> pair = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    >>> pattern_demand("shift:1", pair).high.tolist()
    [[0, 1, 0], [0, 0, 1], [1, 0, 0]]
    """
    match = _WORD.fullmatch(text)
    if match is None or match[1] not in PATTERNS:
        raise InvalidInput(f"pattern: {shown(text)} is none of {', '.join(SIGNATURES)}")
    require_matrix_size(topology.n)
    hosts = np.setdiff1d(np.arange(topology.n), topology.switches)
    numbers = [int(number) for number in match[2].split(",")] if match[2] else []
    among = PATTERNS[match[1]](text, len(hosts), numbers)
    np.fill_diagonal(among, 0)
    demand = np.zeros((topology.n, topology.n), dtype=np.int64)
    demand[np.ix_(hosts, hosts)] = among
    return Demand.of(demand)


def canonical_pattern(text: str) -> str:
    """The pattern with the number that it takes where none is given.

    >>> canonical_pattern("ring"), canonical_pattern("experts:4,016")
    ('ring:1', 'experts:4,16')
    """
    name, _, numbers = text.partition(":")
    kept = ",".join(str(int(number)) for number in numbers.split(",")) if numbers else ""
    kept = kept or {"ring": "1", "permutation": "0"}.get(name, "")
    return f"{name}:{kept}" if kept else name


def require_matrix_size(n: int) -> None:
    """Refuse a graph for which a matrix of all pairs would be too large."""
    if n > MAX_NODES:
        raise InvalidInput(f"demand: a matrix is for at most {MAX_NODES} nodes, not {n}")


def uniform_matrix(text: str, hosts: int, numbers: Sequence[int]) -> Matrix:
    """The same to everyone."""
    _require_numbers(text, numbers, 0, 0)
    return np.ones((hosts, hosts), dtype=np.int64)


def permutation_matrix(text: str, hosts: int, numbers: Sequence[int]) -> Matrix:
    """Each to one other, drawn anew until nobody sends to itself (2.7 draws on average)."""
    _require_numbers(text, numbers, 0, 1)
    draw = random.Random(numbers[0] if numbers else 0)
    targets = list(range(hosts))
    while hosts > 1 and any(rank == target for rank, target in enumerate(targets)):
        draw.shuffle(targets)
    return _pair_matrix(hosts, [(rank, target) for rank, target in enumerate(targets)])


def shift_matrix(text: str, hosts: int, numbers: Sequence[int]) -> Matrix:
    """Each to the rank that is K further, the ranks being taken as a ring."""
    _require_numbers(text, numbers, 1, 1)
    if numbers[0] % hosts == 0:
        raise InvalidInput(f"pattern: {text} sends nothing among {hosts} hosts")
    return _pair_matrix(hosts, [(rank, (rank + numbers[0]) % hosts) for rank in range(hosts)])


def ring_matrix(text: str, hosts: int, numbers: Sequence[int]) -> Matrix:
    """Each to the K ranks after it and the K before it; nobody twice."""
    _require_numbers(text, numbers, 0, 1)
    reach = numbers[0] if numbers else 1
    if not 1 <= reach < max(hosts, 2):
        raise InvalidInput(f"pattern: {text} needs a reach of 1 to {hosts - 1}")
    steps = [step for hop in range(1, reach + 1) for step in (hop, -hop)]
    return _pair_matrix(
        hosts, [(rank, (rank + step) % hosts) for rank in range(hosts) for step in steps]
    )


def experts_matrix(text: str, hosts: int, numbers: Sequence[int]) -> Matrix:
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


PATTERNS: dict[str, Callable[[str, int, Sequence[int]], Matrix]] = {
    "uniform": uniform_matrix,
    "permutation": permutation_matrix,
    "shift": shift_matrix,
    "ring": ring_matrix,
    "experts": experts_matrix,
}
SIGNATURES = ("uniform", "permutation:SEED", "shift:K", "ring:K", "experts:G,...")


def _require_numbers(text: str, numbers: Sequence[int], least: int, most: int) -> None:
    if not least <= len(numbers) <= most:
        wanted = f"{least}" if least == most else f"{least} to {most}"
        raise InvalidInput(f"pattern: {text} has {len(numbers)} numbers; {wanted} are needed")


def _pair_matrix(hosts: int, pairs: Sequence[tuple[int, int]]) -> Matrix:
    demand = np.zeros((hosts, hosts), dtype=np.int64)
    for source, sink in pairs:
        demand[source, sink] = 1
    return demand
