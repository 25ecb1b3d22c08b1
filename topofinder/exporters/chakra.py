"""Chakra execution traces of a collective, with what ASTRA-sim needs to simulate them beside.

A trace is a file a rank, `algo.RANK.et`: messages of protocol buffers, each after its length;
GlobalMetadata first, then nodes (et_def.proto of MLCommons Chakra). Only sends and receives are
there; a send waits for the receives of its data and for the send before it on its lane.
`work.RANK.et` calls the collective once.

In ASTRA-sim's analytical, congestion-aware network a schedule on equal links is exact on a complete
graph of links of that rate: it uses its own arcs alone. Its bandwidths count 2^30 bytes a second.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from expansions.collective import Collective
from generators.errors import Unsupported
from topofinder.exporters.folder_files import write_folder
from topofinder.exporters.lane_links import read_size_and_units
from topofinder.exporters.register import Exporter, ExportRequest, register_exporter
from topofinder.lowering.lower import rank_programs
from topofinder.lowering.place import place, placed_count
from topofinder.model.forest import Forest
from topofinder.model.program import DataPart, PlacedProgram, ProgramMessage
from topofinder.model.transfers import Transfers

SEND, RECEIVE, COLLECTIVE = 5, 6, 7
VERSION = "0.0.4"
COMM_TYPES = {
    Collective.ALLREDUCE: 0,
    Collective.ALLGATHER: 2,
    Collective.ALLTOALL: 6,
    Collective.REDUCE_SCATTER: 7,
}
SYSTEM_WORDS = {
    Collective.ALLREDUCE: "all-reduce",
    Collective.ALLGATHER: "all-gather",
    Collective.ALLTOALL: "all-to-all",
    Collective.REDUCE_SCATTER: "reduce-scatter",
}
"""The collectives that ASTRA-sim takes from a file."""
MOST_TAG = (1 << 31) - 1


class TraceNode(NamedTuple):
    """A send or a receive of `size` bytes; it waits for the nodes `after` of the same rank."""

    number: int
    kind: int
    name: str
    after: tuple[int, ...]
    peer: int
    tag: int
    size: int


class _Trace:
    """The nodes of one rank while they are made: what came where, and the last send of each lane.

    `came` has for every stretch between two ends of parts the receives that made what is there.
    """

    def __init__(self, program: PlacedProgram) -> None:
        ends = {
            end
            for step in program.steps
            for message in (*step.sends, *step.receives)
            for part in message.parts
            for end in part[:2]
        }
        self.place = {end: number for number, end in enumerate(sorted(ends))}
        self.came: list[frozenset[int]] = [frozenset()] * len(ends)
        self.last: dict[tuple[int, int], int] = {}
        self.nodes: list[TraceNode] = []

    def add_send(self, message: ProgramMessage, tag: int) -> None:
        """A send after all that made its data, and after the last one on its lane."""
        waits = set().union(*(self.came[at] for at, _ in self._stretches(message.parts)))
        lane = message.peer, message.lane
        if lane in self.last:
            waits.add(self.last[lane])
        self.last[lane] = self._add(SEND, message, tag, tuple(sorted(waits)))

    def add_receive(self, message: ProgramMessage, tag: int) -> None:
        """A receive, which waits for nothing; what it adds to still comes from others too."""
        number = self._add(RECEIVE, message, tag, ())
        for at, adds in self._stretches(message.parts):
            self.came[at] = (self.came[at] if adds else frozenset()) | {number}

    def _add(self, kind: int, message: ProgramMessage, tag: int, after: tuple[int, ...]) -> int:
        number = len(self.nodes)
        way = f"send to {message.peer}" if kind == SEND else f"receive from {message.peer}"
        self.nodes.append(
            TraceNode(number, kind, f"{way}, tag {tag}", after, message.peer, tag, message.length)
        )
        return number

    def _stretches(self, parts: Iterable[DataPart]) -> Iterator[tuple[int, bool]]:
        for part in parts:
            for at in range(self.place[part.begin], self.place[part.end]):
                yield at, part.adds


def trace_nodes(program: PlacedProgram, lanes: int) -> list[TraceNode]:
    """The nodes of one rank, whose elements are bytes, in the order of steps.

    A tag tells step and lane: of two ranks no two messages have the same one. Raises Unsupported
    where there are more than tags can tell.

    >>> swap = Transfers(collective="allgather", step=[1, 1], sender=[0, 1], receiver=[1, 0],
    ...     lane=[0, 0], begin=[0, 1], end=[1, 2], reducing=[False, False], first=[0, 1, 2],
    ...     nodes=[0, 1])
    >>> [node.name for node in trace_nodes(place(swap, next(rank_programs(swap)), 8), 1)]
    ['send to 1, tag 1', 'receive from 1, tag 1']
    """
    trace = _Trace(program)
    for step in program.steps:
        if (step.number + 1) * lanes > MOST_TAG:
            raise Unsupported("chakra: more steps and lanes than tags of messages can tell")
        for message in step.sends:
            trace.add_send(message, step.number * lanes + message.lane)
        for message in step.receives:
            trace.add_receive(message, step.number * lanes + message.lane)
    return trace.nodes


def encode_trace(nodes: Iterable[TraceNode]) -> bytes:
    """The bytes of a trace file of sends and receives."""
    found = [_length_prefixed(_text(1, VERSION))]
    found += [_length_prefixed(_node_bytes(node)) for node in nodes]
    return b"".join(found)


def encode_call(collective: Collective, size: int) -> bytes:
    """The bytes of a trace file that calls a collective of `size` bytes once."""
    attributes = (
        _attribute("is_cpu_op", 27, 0),
        _attribute("comm_type", 9, COMM_TYPES[collective]),
        _attribute("comm_size", 9, size),
    )
    node = _number(1, 0) + _text(2, str(collective)) + _number(3, COLLECTIVE)
    node += b"".join(_bytes(10, each) for each in attributes)
    return _length_prefixed(_text(1, VERSION)) + _length_prefixed(node)


def _node_bytes(node: TraceNode) -> bytes:
    peer = "comm_dst" if node.kind == SEND else "comm_src"
    attributes = (
        _attribute("is_cpu_op", 27, 0),
        _attribute("comm_size", 9, node.size),
        _attribute(peer, 7, node.peer),
        _attribute("comm_tag", 7, node.tag),
    )
    found = _number(1, node.number) + _text(2, node.name) + _number(3, node.kind)
    if node.after:
        found += _bytes(5, b"".join(map(_varint, node.after)))
    return found + b"".join(_bytes(10, each) for each in attributes)


def _attribute(name: str, field: int, value: int) -> bytes:
    return _text(1, name) + _number(field, value)


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    found.append(value)
    return bytes(found)


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, content: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(content)) + content


def _text(field: int, text: str) -> bytes:
    return _bytes(field, text.encode())


def _length_prefixed(content: bytes) -> bytes:
    return _varint(len(content)) + content


def chakra_files(
    transfers: Transfers, *, size: int, latency: Fraction | None, rate: Fraction | None
) -> Iterator[tuple[str, bytes]]:
    """Names and contents of all files of a collective of `size` bytes.

    Links have a `latency` in seconds and a `rate` in bytes a second; where these are None there is
    no network file. Raises Unsupported for collectives that ASTRA-sim takes from no file.
    """
    what = transfers.collective
    if what not in SYSTEM_WORDS:
        known = ", ".join(SYSTEM_WORDS)
        raise Unsupported(f"chakra: ASTRA-sim takes {known} from files, not {what}")
    count = placed_count(transfers, size)
    lanes = int(transfers.lane.max(initial=0)) + 1
    for program in rank_programs(transfers):
        nodes = trace_nodes(place(transfers, program, count), lanes)
        yield f"algo.{program.rank}.et", encode_trace(nodes)
        yield f"work.{program.rank}.et", encode_call(what, size)
    system = {
        "scheduling-policy": "LIFO",
        "endpoint-delay": 0,
        "active-chunks-per-dimension": 1,
        "preferred-dataset-splits": 1,
        f"{SYSTEM_WORDS[what]}-implementation-custom": ["algo"],
        "collective-optimization": "localBWAware",
        "local-mem-bw": 1600,
        "boost-mode": 0,
    }
    yield "system.json", _json(system)
    yield "memory.json", _json({"memory-type": "NO_MEMORY_EXPANSION"})
    if latency is not None and rate is not None:
        yield "network.yml", _network(transfers.ranks, latency, rate)


def _json(content: Mapping[str, Any]) -> bytes:
    return (json.dumps(content, indent=2) + "\n").encode()


def _network(ranks: int, latency: Fraction, rate: Fraction) -> bytes:
    """A complete graph of links of one rate; see the module's docstring."""
    lines = (
        "topology: [ FullyConnected ]",
        f"npus_count: [ {ranks} ]",
        f"bandwidth: [ {float(rate / 2**30)!r} ]",
        f"latency: [ {float(latency * 10**9)!r} ]",
    )
    return ("\n".join(lines) + "\n").encode()


def write_chakra(request: ExportRequest, path: str | os.PathLike[str]) -> dict[str, Any]:
    """Write a folder of traces; gives what it tells of the network.

    Raises InvalidInput without a size, or where latency and rate are missing; Unsupported for
    collectives that ASTRA-sim takes from no file.
    """
    transfers, graph = request.transfers, request.content.topology
    size, units = read_size_and_units(graph, request.options)
    alone = not transfers.lane.any() and not graph.switches
    alike = graph.capacity is None and graph.latency is None
    exact = alone and alike and not isinstance(request.content, Forest)
    files = chakra_files(
        transfers,
        size=size,
        latency=units.latency if exact else None,
        rate=units.rate if exact else None,
    )
    write_folder(path, dict(files))
    why = "complete, of equal links" if exact else "none: links are unequal, shared or parallel"
    return {"bytes": size, "network": why}


register_exporter(
    Exporter(
        name="chakra",
        takes="transfers",
        suffix="",
        description="Chakra traces, with inputs of ASTRA-sim",
        write=write_chakra,
        place=60,
        options=frozenset({"size", "alpha", "bandwidth"}),
    )
)
