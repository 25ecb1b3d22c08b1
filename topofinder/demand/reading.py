"""Demand matrices from files: CSV text or the member `demand` of an .npz, nothing pickled.

The matrix has a row for each source and a column for each sink, of all nodes or of all hosts in
ascending order. Text is exact: 0.1 is 1/10; floats in an .npz are the numbers they are.
"""

import io
import os
import zipfile
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from generators.errors import InvalidInput
from generators.files import read_bounded
from generators.formats.archive import BROKEN
from generators.formats.quantities import exact, shown
from generators.topology import Topology
from topofinder.demand.patterns import require_room
from topofinder.throughput.demand import Demand


def read_demand(path: str | os.PathLike[str], topology: Topology) -> Demand:
    """The demand in a .csv or .npz file among the nodes of a topology; the diagonal is ignored.

    Raises InvalidInput with one line naming the file and the first entry that is negative or no
    number, and for a matrix of another shape.

    >>> import tempfile
    >>> pair = Topology.from_arcs(2, [(0, 1), (1, 0)])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "demand.csv"
    ...     _ = path.write_text("0, 0.5\\n2, 0\\n")
    ...     found = read_demand(path, pair)
    >>> found.high.tolist(), found.unit, found.is_exact
    ([[0, 1], [4, 0]], Fraction(1, 2), True)
    """
    suffix = Path(path).suffix.lower()
    if suffix not in (".csv", ".npz"):
        raise InvalidInput(f"{path}: suffix {shown(suffix)} is none of .csv, .npz")
    require_room(topology.n)
    content = read_bounded(path)
    hosts = np.setdiff1d(np.arange(topology.n), topology.switches)
    sizes = sorted({topology.n, len(hosts)})
    try:
        if suffix == ".csv":
            values, place = _csv(content, sizes)
            return Demand.of_values(values, _spread(place, hosts, topology.n))
        return Demand.of(_spread(_npz(content, sizes), hosts, topology.n))
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from None


def _spread(offered: NDArray[Any], hosts: NDArray[Any], n: int) -> NDArray[Any]:
    """The matrix among all nodes; switches neither send nor take what a matrix of hosts says."""
    spread = np.zeros((n, n), dtype=offered.dtype)
    among = np.arange(n) if len(offered) == n else hosts
    spread[np.ix_(among, among)] = offered
    np.fill_diagonal(spread, 0)
    return spread


def _csv(content: bytes, sizes: list[int]) -> tuple[list[Fraction], NDArray[np.int64]]:
    """The different values, 0 the first of them, and which of them each entry has."""
    try:
        lines = content.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise InvalidInput(f"not UTF-8 text at byte {error.start}") from None
    rows = [line.split("#")[0].split(",") for line in lines if line.split("#")[0].strip()]
    _require_shape((len(rows), len(rows[0]) if rows else 0), sizes)
    number = {"0": 0}
    values = [Fraction()]
    place = np.zeros((len(rows), len(rows)), dtype=np.int64)
    for u, row in enumerate(rows):
        if len(row) != len(rows):
            raise InvalidInput(f"demand: row {u} has {len(row)} numbers, not {len(rows)}")
        for v, field in enumerate(map(str.strip, row)):
            if field not in number:
                number[field] = len(values)
                values.append(exact(f"demand[{u}][{v}]", field, zero=True))
            place[u, v] = number[field]
    if not any(values[which] for which in np.unique(place[~np.eye(len(rows), dtype=bool)])):
        raise InvalidInput("demand: no node wants anything from another")
    return values, place


def _npz(content: bytes, sizes: list[int]) -> NDArray[Any]:
    try:
        with (
            zipfile.ZipFile(io.BytesIO(content)) as archive,
            archive.open("demand.npy") as member,
        ):
            return _array(member, sizes)
    except InvalidInput:
        raise
    except BROKEN as error:
        raise InvalidInput(f"no .npz file with a member 'demand': {shown(str(error))}") from None


def _array(member: Any, sizes: list[int]) -> NDArray[Any]:
    """The array; its type and shape are checked before anything of that size is made."""
    if npy.read_magic(member) != (1, 0):
        raise InvalidInput("demand: the .npy version is not 1.0")
    shape, by_columns, kind = npy.read_array_header_1_0(member)
    if kind.kind not in "iuf" or kind.itemsize > 8:
        raise InvalidInput(f"demand: integers or floats of 8 bytes at most are needed, not {kind}")
    _require_shape(shape, sizes)
    wanted = shape[0] * shape[1] * kind.itemsize
    values = member.read(wanted + 1)
    if len(values) != wanted:
        raise InvalidInput(f"demand: not exactly {shape[0]} x {shape[1]} values")
    return np.frombuffer(values, dtype=kind).reshape(shape, order="F" if by_columns else "C")


def _require_shape(shape: tuple[int, ...], sizes: list[int]) -> None:
    if shape not in [(size, size) for size in sizes]:
        wanted = " or ".join(f"{size} x {size}" for size in sizes)
        offered = " x ".join(map(str, shape)) or "a single number"
        raise InvalidInput(f"demand: {wanted} is needed, not {shown(offered)[1:-1]}")
