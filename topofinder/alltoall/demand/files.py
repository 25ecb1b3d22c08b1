"""Demand matrices from files: CSV text or the member `demand` of an .npz, nothing pickled.

The matrix has a row for each source and a column for each sink, of all nodes or of all hosts in
ascending order. Text is exact: 0.1 is 1/10; floats in an .npz are the numbers they are. An .npz is
looked through piece by piece before its matrix is made: some kB may unpack to half a GB.
"""

import os
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.files import FileError, open_bounded, read_lines
from generators.formats.archive import Content, fill_array, opened_archive
from generators.formats.quantities import exact
from generators.topology import IntArray, Topology
from topofinder.alltoall.demand.matrix import Demand, wrong_amount
from topofinder.alltoall.demand.patterns import require_matrix_size

MAX_CSV = 16 << 20
"""Bytes of a matrix in text at most."""
MOST_ENTRIES = 1 << 20
"""Entries of a matrix in text at most: 1024 nodes; an .npz may have more."""
MOST_DEMAND_VALUES = 1 << 16
"""Different numbers in it at most: 256 nodes, each pair with one of its own."""
MOST_ROWS = 1 << 16
"""Lines of it at most, with those that are empty or comments."""
_PIECE = 1 << 20


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
        raise InvalidInput(f"{path}: suffix {excerpt(suffix)} is none of .csv, .npz")
    require_matrix_size(topology.n)
    hosts = np.setdiff1d(np.arange(topology.n), topology.switches)
    sizes = sorted({topology.n, len(hosts)})
    try:
        if suffix == ".csv":
            values, place = _read_csv(path, sizes)
            return Demand.of_values(values, _embed_hosts(place, hosts, topology.n))
        with open_bounded(path) as file:
            found = _read_npz(file, sizes)
        return Demand.of(_embed_hosts(found, hosts, topology.n))
    except FileError:
        raise
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from None


def read_amounts(path: str | os.PathLike[str], hosts: int) -> tuple[list[Fraction], IntArray]:
    """The different values of a matrix among hosts, 0 first, and which of them each entry has.

    Unlike `read_demand` it keeps the diagonal: what stays. Raises InvalidInput as that does.
    """
    require_matrix_size(hosts)
    try:
        if Path(path).suffix.lower() == ".csv":
            return _read_csv(path, [hosts])
        if Path(path).suffix.lower() != ".npz":
            raise InvalidInput(f"suffix {excerpt(Path(path).suffix)} is none of .csv, .npz")
        with open_bounded(path) as file:
            return _different_values(_read_npz(file, [hosts]))
    except FileError:
        raise
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error}") from None


def _different_values(
    amounts: NDArray[Any], different: int = MOST_DEMAND_VALUES
) -> tuple[list[Fraction], IntArray]:
    wrong = ~(np.isfinite(amounts.diagonal()) & (amounts.diagonal() >= 0))
    if wrong.any():
        u = int(wrong.argmax())
        raise wrong_amount(u, u, amounts[u, u])
    values, place = np.unique(amounts, return_inverse=True)
    if len(values) > different:
        raise InvalidInput(f"demand: more than {different} different numbers")
    found = [Fraction(), *map(Fraction, values.tolist())]
    return found, (place.reshape(amounts.shape) + 1).astype(np.int32)


def _embed_hosts(offered: NDArray[Any], hosts: NDArray[Any], n: int) -> NDArray[Any]:
    """The matrix among all nodes; switches neither send nor take what a matrix of hosts says."""
    spread = offered
    if len(offered) != n:
        spread = np.zeros((n, n), dtype=offered.dtype)
        spread[np.ix_(hosts, hosts)] = offered
    np.fill_diagonal(spread, 0)
    return spread


def _read_csv(
    path: str | os.PathLike[str],
    sizes: list[int],
    entries: int = MOST_ENTRIES,
    different: int = MOST_DEMAND_VALUES,
) -> tuple[list[Fraction], IntArray]:
    """The different values, 0 the first of them, and which of them each entry has."""
    numbers, rows = _Numbers(different), 0
    place = np.zeros((0, 0), dtype=np.int32)
    for row in _csv_rows(path):
        wide = row.count(",") + 1
        if not rows:
            _require_width(wide, sizes, entries)
            place = np.zeros((wide, wide), dtype=np.int32)
        if rows == len(place) or wide != len(place):
            told = f"has {wide} numbers" if rows < len(place) else "is one too many"
            raise InvalidInput(f"demand: row {rows} {told}, not {len(place)}")
        place[rows] = numbers.read(row, rows)
        rows += 1
    _require_shape((rows, len(place)), sizes)
    if not any(numbers.values[which] for which in np.unique(place[~np.eye(rows, dtype=bool)])):
        raise InvalidInput("demand: no node wants anything from another")
    return numbers.values, place


class _Numbers:
    """The values of texts that were read, 0 the first of them, and the number of each text."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._number = {"0": 0}
        self.values = [Fraction()]

    def read(self, row: str, u: int) -> list[int]:
        """The number of each entry of row u. Raises InvalidInput for what is no amount."""
        fields = row.strip().split(",")
        numbers = list(map(self._number.get, fields))
        return [
            self._find(field, u, v) if number is None else number
            for v, (field, number) in enumerate(zip(fields, numbers, strict=True))
        ]

    def _find(self, padded: str, u: int, v: int) -> int:
        field = padded.strip()
        number = self._number.get(field)
        if number is None:
            number = len(self.values)
            if number == self._most:
                raise InvalidInput(f"demand: more than {self._most} different numbers in text")
            self.values.append(exact(f"demand[{u}][{v}]", field, zero=True))
            self._number[field] = number
        if len(self._number) < 2 * self._most:
            self._number[padded] = number  # sooner found than stripped
        return number


def _require_width(wide: int, sizes: list[int], entries: int) -> None:
    """Refuse a first row of another length, and one of a matrix that is too large for text."""
    if wide not in sizes:
        raise _wrong_shape(f"{wide} in a row", sizes)
    if wide * wide > entries:
        most = f"{entries} entries, the most of a .csv"
        raise InvalidInput(f"demand: {wide} x {wide} are more than {most}; an .npz may have them")


def _csv_rows(path: str | os.PathLike[str]) -> Iterator[str]:
    """The lines that have something before a comment."""
    for number, line in enumerate(read_lines(path, MAX_CSV)):
        if number == MOST_ROWS:
            raise InvalidInput(f"demand: more than {MOST_ROWS} lines")
        row = line.partition("#")[0]
        if row.strip():
            yield row


def _read_npz(content: Content, sizes: list[int]) -> NDArray[Any]:
    with opened_archive(content) as archive:
        if "demand.npy" not in archive.namelist():
            raise InvalidInput("no .npz file with a member 'demand'")
        declared = archive.getinfo("demand.npy").file_size
        with archive.open("demand.npy") as member:
            size, order, kind = _read_layout(member, sizes)
            if declared - member.tell() != size * size * kind.itemsize:
                raise _wrong_length(size)
            _require_amounts(member, size, order, kind)
        with archive.open("demand.npy") as member:
            size, order, kind = _read_layout(member, sizes)
            values = fill_array(member, np.empty(size * size, dtype=kind), "demand")
            return values.reshape((size, size), order=order)


def _read_layout(member: Any, sizes: list[int]) -> tuple[int, Literal["C", "F"], np.dtype[Any]]:
    """Nodes, order and type, which are checked before anything of that size is made."""
    if npy.read_magic(member) != (1, 0):
        raise InvalidInput("demand: the .npy version is not 1.0")
    shape, by_columns, kind = npy.read_array_header_1_0(member)
    if kind.kind not in "iuf" or kind.itemsize > 8:
        raise InvalidInput(f"demand: integers or floats of 8 bytes at most are needed, not {kind}")
    _require_shape(shape, sizes)
    return shape[0], "F" if by_columns else "C", kind


def _require_amounts(member: Any, size: int, order: Literal["C", "F"], kind: np.dtype[Any]) -> None:
    """Refuse entries that are no amounts, or all 0, without a matrix; the diagonal is ignored."""
    at, wanted = 0, False
    while piece := member.read(_PIECE):
        whole = len(piece) // kind.itemsize
        values = np.frombuffer(piece, dtype=kind, count=whole).copy()
        values[-at % (size + 1) :: size + 1] = 0
        right = np.isfinite(values) & (values >= 0)
        if not right.all() and (entry := at + int(right.argmin())) < size * size:
            u, v = np.unravel_index(entry, (size, size), order=order)
            raise wrong_amount(int(u), int(v), values[entry - at])
        at, wanted = at + whole, wanted or bool(values.any())
    if at != size * size:  # packed are fewer than the directory says
        raise _wrong_length(size)
    if not wanted:
        raise InvalidInput("demand: no node wants anything from another")


def _wrong_length(size: int) -> InvalidInput:
    return InvalidInput(f"demand: not exactly {size * size} values")


def _require_shape(shape: tuple[int, ...], sizes: list[int]) -> None:
    if shape not in [(size, size) for size in sizes]:
        raise _wrong_shape(" x ".join(map(str, shape)) or "a single number", sizes)


def _wrong_shape(offered: str, sizes: list[int]) -> InvalidInput:
    wanted = " or ".join(f"{size} x {size}" for size in sizes)
    return InvalidInput(f"demand: {wanted} is needed, not {excerpt(offered)[1:-1]}")
