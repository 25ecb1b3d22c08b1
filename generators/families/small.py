"""Small graphs that beat every other recipe of their size, found by search (N <= 16, d <= 5).

Most have a BFB allgather that meets the Moore bound and T_B* = (N-1)/N at once, both ways. They
ship as data; the command that makes the file again, byte for byte, in about a minute:

    python -m tools.find_small_graphs

Its docstring says what was searched for; `docs/small-graphs.md`, what is proved impossible.
"""

import json
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from generators.arrays import jump_graph
from generators.registry import Arguments, BaseProperties, Family, register_family, require
from generators.topology import Topology


def small(d: int, n: int, i: int = 1) -> Topology:
    """The i-th graph kept for n nodes and degree d.

    Nodes a k + s and a k + (s + 1 mod k) look alike, k being the graph's fold; `rows` in the
    file are the heads of the nodes a k. With k = n the graph is a directed circulant.

    >>> small(3, 10).n, small(3, 10).degree, small(3, 10).is_bidirectional
    (10, 3, True)
    """
    properties(d, n, i)
    kept = _graphs_of_size(d, n)[i - 1]
    rows, fold = np.array(kept["rows"]), int(kept["fold"])
    if fold == n:
        return jump_graph(n, rows[0])
    tail, shift = np.arange(n), np.arange(n) % fold
    ends = rows[tail // fold]
    head = ends // fold * fold + (ends + shift[:, None]) % fold
    arcs = np.stack([tail.repeat(d), head.ravel()], axis=1)
    return Topology.from_arcs(n, arcs, orbits=np.arange(0, n, fold, dtype=np.int32))


def properties(d: int, n: int, i: int = 1) -> BaseProperties:
    """What was computed when the graph was found; every graph is simple and without loops."""
    sizes = len(_graphs_of_size(d, n))
    require(sizes > 0, f"Small(d,n) is not known for ({d},{n})")
    require(1 <= i <= sizes, f"Small({d},{n},i) needs i from 1 to {sizes}, not {i}")
    kept = _graphs_of_size(d, n)[i - 1]
    return BaseProperties(
        n=n,
        d=d,
        regular=True,
        diameter=kept["diameter"],
        bandwidth_optimal=kept["bandwidth_optimal"],
        reverse_symmetric=kept["reverse_symmetric"],
        bidirectional=kept["bidirectional"],
        simple=True,
        loop_free=True,
        transitive=True if kept["fold"] == n else None,
    )


def members(n: int, d: int) -> Iterator[Arguments]:
    """All graphs kept of that size and degree."""
    return (canonical(d, n, i + 1) for i in range(len(_graphs_of_size(d, n))))


def canonical(d: int, n: int, i: int = 1) -> Arguments:
    """The first graph of a size is written without its number.

    >>> canonical(4, 15, 1), canonical(4, 15, 2)
    ((4, 15), (4, 15, 2))
    """
    properties(d, n, i)
    return (d, n) if i == 1 else (d, n, i)


def _graphs_of_size(d: int, n: int) -> list[dict[str, Any]]:
    return _read_graphs().get(f"{d},{n}", [])


@cache
def _read_graphs() -> dict[str, list[dict[str, Any]]]:
    source = files("generators") / "data" / "small_graphs.json"
    found: dict[str, list[dict[str, Any]]] = json.loads(source.read_text(encoding="utf-8"))
    return found


def _samples() -> tuple[Arguments, ...]:
    sizes = [tuple(map(int, key.split(","))) for key in _read_graphs()]
    return tuple(arguments for d, n in sizes for arguments in members(n, d))


register_family(
    Family(
        name="Small",
        title="small graph found by search",
        signature="Small(d,n), Small(d,n,i)",
        source="search by tools/find_small_graphs.py",
        build=small,
        properties=properties,
        members=members,
        samples=_samples(),
        canonical=canonical,
        published=False,
    )
)
