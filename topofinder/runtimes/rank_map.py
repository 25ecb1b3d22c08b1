"""Which host of a file each rank plays: told by a file of names, or by the names of hosts.

Without either, rank r is host r. Executors that cannot number their ranks anew (those of PyTorch,
whose results lie by rank) run the transfers with the ranks in another order.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from os import PathLike

import numpy as np

from expansions.collective import Collective
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.files import TextError, read_lines
from generators.topology import Int64Array
from topofinder.model.program import DataPart, ProgramMessage, ProgramStep, RankProgram
from topofinder.model.transfers import Transfers
from topofinder.runtimes.executable import Executable

MOST_MAP_BYTES, MOST_MAP_LINE, MOST_MAP_LINES = 16 << 20, 1 << 12, 1 << 18
"""Bytes of a map at most, characters of a line, and lines, empty ones among them."""


def read_map(file: str | PathLike[str]) -> list[str]:
    """The lines of a map, of which line i names the node of rank i; empty ones do not count.

    Raises InvalidInput for what is no text, or too much of it.
    """
    try:
        lines = read_lines(file, MOST_MAP_BYTES, MOST_MAP_LINE, MOST_MAP_LINES)
        return [line.strip() for line in lines if line.strip()]
    except TextError as error:
        raise InvalidInput(f"{file}: {error}") from None


def match_nodes(lines: Sequence[str], transfers: Transfers, file: str) -> list[int]:
    """The rank of the transfers that each rank plays: line i names the node of rank i.

    A node is named by its name or by its number in the topology. Raises InvalidInput for a node
    that is not there or comes twice, and for too few lines or too many.
    """
    known = {str(node): rank for rank, node in enumerate(transfers.nodes.tolist())}
    known |= {name: rank for rank, name in enumerate(transfers.names or ())}
    if len(lines) != transfers.ranks:
        raise InvalidInput(f"{file}: {len(lines)} lines for {transfers.ranks} ranks")
    found: dict[int, int] = {}
    for number, line in enumerate(lines, 1):
        if line not in known:
            raise InvalidInput(f"{file}, line {number}: no node {excerpt(line)}")
        if known[line] in found:
            raise InvalidInput(f"{file}, line {number}: node {excerpt(line)} comes twice")
        found[known[line]] = number
    return list(found)


def match_hosts(hosts: Sequence[str], transfers: Transfers) -> list[int]:
    """The same by names of hosts, whole or up to their first dot, which the nodes must have."""
    if transfers.names is None:
        raise InvalidInput("by-name: the nodes of the file have no names")
    short = {name.split(".")[0]: rank for rank, name in enumerate(transfers.names)}
    known = short | {name: rank for rank, name in enumerate(transfers.names)}
    found: dict[int, str] = {}
    for host in hosts:
        rank = known.get(host, known.get(host.split(".")[0]))
        if rank is None:
            raise InvalidInput(f"by-name: no node is named {excerpt(host)}")
        if rank in found:
            raise InvalidInput(f"by-name: two ranks are on {excerpt(host)}")
        found[rank] = host
    return list(found)


def reorder_ranks(executable: Executable, hosts: Sequence[int]) -> Executable:
    """The same for ranks in another order: rank r does what rank hosts[r] did, on block r.

    >>> from topofinder.runtimes.in_process import run_in_process
    >>> one = Transfers(collective="allgather", step=[1, 2], sender=[0, 1], receiver=[1, 0],
    ...     lane=[0, 0], begin=[0, 2], end=[2, 3], reducing=[False, False], first=[0, 2, 3],
    ...     nodes=[5, 6])
    >>> other = reorder_ranks(Executable(transfers=one), [1, 0]).transfers
    >>> other.sender.tolist(), other.begin.tolist(), other.nodes.tolist()
    ([1, 0], [1, 0], [6, 5])
    """
    transfers, order = executable.transfers, np.array(hosts, dtype=np.int64)
    if order.tolist() == list(range(transfers.ranks)):
        return executable
    new = _NewOrder(transfers, order)
    programs = executable.programs
    if programs is not None:
        programs = tuple(new.program(programs[host], rank) for rank, host in enumerate(hosts))
    return Executable(transfers=new.transfers(), programs=programs)


class _NewOrder:
    """Where ranks and units come to lie when blocks are put into another order."""

    def __init__(self, transfers: Transfers, order: Int64Array) -> None:
        self.old, self.order = transfers, order
        self.rank = np.argsort(order).astype(np.int32)
        blocks = order
        if transfers.collective is Collective.ALLTOALL:
            blocks = (order[:, None] * transfers.ranks + order).reshape(-1)
        lengths = np.diff(transfers.first)[blocks]
        self.first = np.concatenate([[0], np.cumsum(lengths)])
        self.shift = np.zeros(len(blocks), dtype=np.int64)
        self.shift[blocks] = self.first[:-1] - transfers.first[blocks]

    def pieces(self, begin: int, end: int) -> Iterator[tuple[int, int]]:
        """The interval [begin, end) of old units, block by block."""
        while begin < end:
            block = int(np.searchsorted(self.old.first, begin, side="right")) - 1
            stop = min(end, int(self.old.first[block + 1]))
            move = int(self.shift[block])
            yield begin + move, stop + move
            begin = stop

    def transfers(self) -> Transfers:
        """The rows, those over several blocks in several pieces."""
        old = self.old
        ends = zip(old.begin.tolist(), old.end.tolist(), strict=True)
        cut = [list(self.pieces(*each)) for each in ends]
        row = np.repeat(np.arange(old.rows), [len(each) for each in cut])
        begin, end = np.array([place for each in cut for place in each]).reshape(-1, 2).T
        return replace(
            old, step=old.step[row], sender=self.rank[old.sender[row]],
            receiver=self.rank[old.receiver[row]], lane=old.lane[row], begin=begin, end=end,
            reducing=old.reducing[row], first=self.first, nodes=old.nodes[self.order],
            names=None if old.names is None else tuple(old.names[each] for each in self.order),
            root=None if old.root is None else int(self.rank[old.root]),
        )  # fmt: skip

    def program(self, old: RankProgram, rank: int) -> RankProgram:
        """What `rank` now does in place of the rank of `old`."""

        def message(one: ProgramMessage) -> ProgramMessage:
            parts = tuple(
                DataPart(*piece, part.adds)
                for part in one.parts
                for piece in self.pieces(part.begin, part.end)
            )
            return one._replace(peer=int(self.rank[one.peer]), parts=parts)

        def step(one: ProgramStep) -> ProgramStep:
            sends, receives = (tuple(map(message, way)) for way in (one.sends, one.receives))
            return one._replace(sends=sends, receives=receives)

        return RankProgram(rank, tuple(map(step, old.steps)))
