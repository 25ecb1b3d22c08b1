"""MSCCL++ execution plans as their executor reads them: the JSON, and its static rules.

Source: src/core/executor/execution_plan.cc and src/core/include/execution_common.hpp of
microsoft/mscclpp. Only what moves data by port channels is known: puts, signals, waits, copies,
reductions, barriers and nops.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, NamedTuple

from generators.excerpts import excerpt
from generators.files import read_bounded
from generators.formats.document import MAX_JSON, document_in

MAX_GPUS = 1024
MAX_PLAN_CHUNKS = 1 << 20
MAX_THREADBLOCKS = 108
MAX_OPERATIONS = 64
MAX_CHANNELS = 16
MAX_PEERS = 1 << 19
"""Channels of all GPUs together."""
MAX_CHANNELS_AT_ONCE = 8
MAX_BUFFERS_AT_ONCE = 10
MAX_BARRIERS = 16
PLAN_COLLECTIVES = ("allgather", "allreduce", "reducescatter", "alltoall")
PUTS = ("put", "pws", "pwsf")
LOCAL = ("copy", "re")
KNOWN = (*PUTS, *LOCAL, "signal", "wait", "nop", "barrier")


class PlanBuffer(NamedTuple):
    """`size` chunks from `first` on of the input (i), output (o) or scratch (s) of a rank."""

    rank: int
    kind: str
    first: int
    size: int


class PlanOperation(NamedTuple):
    """One operation; `channels` are numbers of channels of the rank, not of the threadblock."""

    name: str
    channels: tuple[int, ...] = ()
    sources: tuple[PlanBuffer, ...] = ()
    targets: tuple[PlanBuffer, ...] = ()
    barrier: int = 0
    threadblocks: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanGpu:
    """One rank: its chunks, its operations by threadblock, and the peer of every channel."""

    inputs: int
    outputs: int
    scratch: int
    peers: tuple[int, ...]
    threadblocks: tuple[tuple[PlanOperation, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionPlan:
    """A plan that keeps all static rules."""

    name: str
    collective: str
    in_place: bool
    gpus: tuple[PlanGpu, ...]


class BrokenPlanError(Exception):
    """What is wrong with a plan, in one line."""


class PlanDocument(NamedTuple):
    """What a plan's file holds, which nobody has looked at yet."""

    content: dict[str, Any]


def read_execution_plan(path: str | PathLike[str]) -> PlanDocument:
    """The document of a plan's file; InvalidInput for files that are too long, or no JSON."""
    return PlanDocument(document_in(fspath(path), read_bounded(path, MAX_JSON)))


def parse_plan(document: Any) -> ExecutionPlan:
    """The plan of a document. Raises BrokenPlanError for the first rule that it breaks."""
    plan = _object(document, "the plan")
    collective = _word(plan, "collective", PLAN_COLLECTIVES)
    _word(plan, "protocol", ("Simple",))
    alignment = plan.get("buffer_alignment", 16)
    _require(type(alignment) is int and alignment > 0, "buffer_alignment: above 0")
    for name in ("min_message_size", "max_message_size"):
        size = plan.get(name, 0)
        _require(type(size) is int and 0 <= size < 1 << 63, f"{name}: bytes are needed")
    in_place = plan.get("inplace")
    _require(type(in_place) is bool, "inplace: true or false is needed")
    _require(isinstance(plan.get("name"), str), "name: a text is needed")
    rows = _sequence(plan, "gpus", "the plan")
    _require(2 <= len(rows) <= MAX_GPUS, f"gpus: 2 to {MAX_GPUS}, not {len(rows)}")
    chunks = [_chunks(_object(row, f"gpu {rank}"), rank) for rank, row in enumerate(rows)]
    _require(sum(map(_count_peers, rows)) <= MAX_PEERS, f"channels: more than {MAX_PEERS} in all")
    gpus = tuple(_gpu(row, rank, chunks) for rank, row in enumerate(rows))
    _require_pairs(gpus)
    return ExecutionPlan(
        name=plan["name"], collective=collective, in_place=bool(in_place), gpus=gpus
    )


def _count_peers(row: Any) -> int:
    """How many channels a GPU has, before any of them is looked at."""
    entries = [entry for entry in _sequence(row, "channels", "gpus") if isinstance(entry, dict)]
    lists = [entry.get("connected_to") for entry in entries]
    return sum(len(each) for each in lists if isinstance(each, list))


def _chunks(row: Mapping[str, Any], rank: int) -> dict[str, int]:
    """How many chunks each buffer of a rank has."""
    _require(row.get("id") == rank, f"gpu {rank}: id {excerpt(row.get('id'))} is not its place")
    found = {}
    for kind, name in zip("ios", ("input", "output", "scratch"), strict=True):
        count = row.get(f"{name}_chunks")
        least = 0 if kind == "s" else 1
        _require(
            type(count) is int and least <= count <= MAX_PLAN_CHUNKS,
            f"gpu {rank}: {name}_chunks: {least} to {MAX_PLAN_CHUNKS}, not {excerpt(count)}",
        )
        found[kind] = int(count or 0)
    return found


def _gpu(row: Any, rank: int, chunks: list[dict[str, int]]) -> PlanGpu:
    where = f"gpu {rank}"
    peers: list[int] = []
    for entry in _sequence(row, "channels", where):
        _word(_object(entry, where), "channel_type", ("port",))
        for peer in _sequence(entry, "connected_to", where):
            _index(peer, len(chunks), f"{where}: connected_to")
            _require(peer != rank, f"{where}: a channel to itself")
            peers.append(peer)
    remote = []
    for entry in _sequence(row, "remote_buffers", where):
        _object(entry, where)
        _index(entry.get("rank"), len(chunks), f"{where}: remote_buffers")
        _word(entry, "type", ("i", "o", "s"))
        _require(entry.get("access_channel_types") == ["port"], f"{where}: access by port is known")
        remote.append((entry["rank"], entry["type"]))
    blocks = _sequence(row, "threadblocks", where)
    _require(
        len(blocks) <= MAX_THREADBLOCKS,
        f"{where}: {len(blocks)} threadblocks, at most {MAX_THREADBLOCKS} run at the same time",
    )
    return PlanGpu(
        inputs=chunks[rank]["i"],
        outputs=chunks[rank]["o"],
        scratch=chunks[rank]["s"],
        peers=tuple(peers),
        threadblocks=tuple(
            tuple(_Block(block, number, rank, peers, remote, chunks).operations())
            for number, block in enumerate(blocks)
        ),
    )


class _Block:
    """One threadblock: which channels and remote buffers its operations may name."""

    def __init__(self, row: Any, number: int, rank: int, peers: list[int],
                 remote: list[tuple[int, str]], chunks: list[dict[str, int]]) -> None:  # fmt: skip
        self.where, self.rank, self.chunks = f"gpu {rank}, threadblock {number}", rank, chunks
        self.row, self.peers = _object(row, self.where), peers
        _require(row.get("id") == number, f"{self.where}: id {excerpt(row.get('id'))}")
        self.channels = self._ids("channels", "channel_type", "channel_ids", len(peers))
        _require(
            len(self.channels) <= MAX_CHANNELS,
            f"{self.where}: {len(self.channels)} channels, at most {MAX_CHANNELS}",
        )
        ids = self._ids("remote_buffer_refs", "access_channel_type", "remote_buffer_ids",
                        len(remote))  # fmt: skip
        self.remote = [remote[each] for each in ids]

    def _ids(self, name: str, kind: str, ids: str, beyond: int) -> list[int]:
        found = []
        for entry in _sequence(self.row, name, self.where):
            _word(_object(entry, self.where), kind, ("port",))
            for each in _sequence(entry, ids, self.where):
                found.append(_index(each, beyond, f"{self.where}: {ids}"))
        return found

    def operations(self) -> Iterator[PlanOperation]:
        """All operations, each after its own rules."""
        ops = _sequence(self.row, "ops", self.where)
        _require(
            len(ops) <= MAX_OPERATIONS,
            f"{self.where}: {len(ops)} operations, at most {MAX_OPERATIONS}",
        )
        for number, op in enumerate(ops):
            yield self._operation(_object(op, self.where), f"{self.where}, operation {number}")

    def _operation(self, op: Mapping[str, Any], where: str) -> PlanOperation:
        name = _word(op, "name", KNOWN, where)
        if name == "nop":
            return PlanOperation(name)
        if name == "barrier":
            barrier = _index(op.get("barrier_id"), MAX_BARRIERS, f"{where}: barrier_id")
            count = op.get("num_threadblocks")
            _require(type(count) is int and count > 0, f"{where}: num_threadblocks: above 0")
            return PlanOperation(name, barrier=barrier, threadblocks=int(count or 0))
        channels = () if name in LOCAL else self._op_channels(op, where)
        if name in ("signal", "wait"):
            return PlanOperation(name, channels)
        sources = tuple(
            self._buffer(each, where, remote=False) for each in self._buffers(op, "src_buff", where)
        )
        targets = tuple(
            self._buffer(each, where, remote=name in PUTS)
            for each in self._buffers(op, "dst_buff", where)
        )
        sizes = {each.size for each in (*sources, *targets)}
        if name in PUTS:
            _require(
                len(sources) == len(targets) == len(channels),
                f"{where}: as many sources and targets as channels are needed",
            )
            for source, target, channel in zip(sources, targets, channels, strict=True):
                _require(source.size == target.size, f"{where}: source and target differ in size")
                _require(
                    self.peers[channel] == target.rank,
                    f"{where}: channel {channel} does not lead to rank {target.rank}",
                )
        else:
            _require(len(sizes) == 1, f"{where}: buffers differ in size")
            _require(len(targets) == 1, f"{where}: one target is needed")
            _require(name == "re" or len(sources) == 1, f"{where}: one source is needed")
            _require(name != "re" or op.get("reduce_op") == "sum", f"{where}: reduce_op is no sum")
        return PlanOperation(name, channels, sources, targets)

    def _op_channels(self, op: Mapping[str, Any], where: str) -> tuple[int, ...]:
        _word(op, "channel_type", ("port",), where)
        ids = _sequence(op, "channel_ids", where)
        _require(
            0 < len(ids) <= MAX_CHANNELS_AT_ONCE,
            f"{where}: {len(ids)} channels, 1 to {MAX_CHANNELS_AT_ONCE}",
        )
        found = [self.channels[_index(each, len(self.channels), where)] for each in ids]
        if op["name"] in ("signal", "wait", "pws", "pwsf"):
            _require(len(set(found)) == len(found), f"{where}: a channel twice")
        return tuple(found)

    def _buffers(self, op: Mapping[str, Any], name: str, where: str) -> list[Any]:
        found = _sequence(op, name, where)
        _require(
            0 < len(found) <= MAX_BUFFERS_AT_ONCE,
            f"{where}: {name} has {len(found)} entries, 1 to {MAX_BUFFERS_AT_ONCE}",
        )
        return found

    def _buffer(self, entry: Any, where: str, *, remote: bool) -> PlanBuffer:
        _object(entry, where)
        if remote:
            at = _index(entry.get("buffer_id"), len(self.remote), f"{where}: buffer_id")
            rank, kind = self.remote[at]
        else:
            rank, kind = self.rank, _word(entry, "type", ("i", "o", "s"), where)
        index, size, most = entry.get("index"), entry.get("size"), self.chunks[rank][kind]
        fits = type(index) is int and type(size) is int and index >= 0 and size >= 1
        _require(
            fits and index + size <= most,
            f"{where}: chunks {excerpt(index)} and {excerpt(size)} more of {most} in {kind} of "
            f"rank {rank}",
        )
        return PlanBuffer(rank, kind, int(index), int(size))


def _require_pairs(gpus: tuple[PlanGpu, ...]) -> None:
    """The k-th channel of u to v is joined to the k-th of v to u: both need as many."""
    counts = [Counter(gpu.peers) for gpu in gpus]
    for u, there in enumerate(counts):
        for v, count in there.items():
            _require(
                counts[v][u] == count,
                f"gpu {u}: {count} channels to gpu {v}, which has {counts[v][u]} back",
            )


def _require(condition: bool, told: str) -> None:
    if not condition:
        raise BrokenPlanError(told)


def _object(value: Any, where: str) -> Mapping[str, Any]:
    _require(isinstance(value, dict), f"{where}: an object is needed")
    found: Mapping[str, Any] = value
    return found


def _sequence(row: Mapping[str, Any], name: str, where: str) -> list[Any]:
    value = row.get(name)
    _require(isinstance(value, list), f"{where}: {name}: a list is needed")
    found: list[Any] = value if value is not None else []
    return found


def _word(row: Mapping[str, Any], name: str, known: tuple[str, ...], where: str = "") -> str:
    value = row.get(name)
    before = f"{where}: " if where else ""
    _require(value in known, f"{before}{name}: {excerpt(value)} is none of {', '.join(known)}")
    return str(value)


def _index(value: Any, beyond: int, where: str) -> int:
    _require(
        type(value) is int and 0 <= value < beyond,
        f"{where}: {excerpt(value)} is not below {beyond}",
    )
    return int(value)
