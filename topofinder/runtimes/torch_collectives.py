"""Collectives on tensors by schedule files: callables for every collective, and the hook for DDP.

Each reads its file, has it verified and compares it with the other ranks' when it is made; all
ranks of the group make it, in one order. Rank r of the group is host r of the file. See
docs/torch.md.
"""

import hashlib
import socket
from collections.abc import Callable
from functools import partial
from os import PathLike
from typing import NamedTuple

from expansions.collective import Collective
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from topofinder.runtimes.executable import Executable, read_executable
from topofinder.runtimes.rank_map import match_hosts, match_nodes, read_map, reorder_ranks
from topofinder.runtimes.torch_agreement import gather_texts, read_together
from topofinder.runtimes.torch_calls import describe_refusal, require_same_call
from topofinder.runtimes.torch_exchange import AVERAGE, find_combination, plain_group
from topofinder.runtimes.torch_library import Group, Tensor, dist, require_torch, torch
from topofinder.runtimes.torch_programs import GroupProgram, has_equal_blocks
from topofinder.runtimes.torch_works import ScheduledWork, queue_of

PathName = str | PathLike[str]


def read_scheduled(file: PathName, collective: Collective, *, verified: bool = False) -> Executable:
    """What a file does; InvalidInput unless it is for this collective."""
    found = read_executable(file, verified=verified)
    if found.transfers.collective is not collective:
        raise InvalidInput(f"{file}: is for {found.transfers.collective}, not for {collective}")
    return found


class TensorCollective:
    """A collective of one process group by a schedule, forest or timetable file.

    `group` is a process group of torch.distributed, None for all ranks. Rank r is host r of the
    file, unless the lines of `rank_map` name the node of each rank, or hosts are told `by_name`;
    blocks of data lie by rank all the same. The file is verified unless it is said to be
    `verified`. Raises InvalidInput on all ranks of the group, before any message of the collective,
    where the file cannot be read, is for another collective or number of ranks, does not verify, or
    is another on some rank.
    """

    collective: Collective

    def __init__(
        self,
        file: PathName,
        group: Group | None = None,
        *,
        rank_map: PathName | None = None,
        by_name: bool = False,
        verified: bool = False,
    ) -> None:
        require_torch()
        self.group = _member_group(group)
        believed = verified or self.group.rank() > 0  # rank 0 tells the others what it finds
        gather = partial(gather_texts, self.group)
        places = RankPlaces(rank_map, by_name)
        read = partial(_read_for, file, self.collective, self.group.size(), believed, places)
        identify = partial(_identify, mapped=rank_map is not None)
        executable = read_together(read, identify, gather)
        if by_name:
            hosts = match_hosts(gather(socket.gethostname()), executable.transfers)
            executable = reorder_ranks(executable, hosts)
        self.program = GroupProgram(executable, self.group)

    @property
    def root(self) -> int | None:
        """The rank that a broadcast comes from, or a reduce goes to."""
        return self.program.transfers.root

    def _start(
        self, prepare: Callable[[], "PreparedCall"], tensor: Tensor, async_op: bool
    ) -> ScheduledWork:
        """Begin what `prepare` gives for a tensor; what it refuses, all ranks refuse."""
        queue, plain = queue_of(self.group), plain_group(self.group)
        try:
            call = prepare()
        except InvalidInput as error:
            if _is_compared(tensor):
                tell = partial(require_same_call, plain, describe_refusal(error))
                queue.start(tell, [torch.empty(0)], waits=True)
            raise
        job = call.job
        if _is_compared(call.changed):
            job = partial(_do_same, plain, call.words, job)
        return queue.start(job, [call.changed], waits=not async_op)

    def __repr__(self) -> str:
        n = self.program.ranks
        return f"{type(self).__name__}({self.program.transfers.recipe or ''}, {n} ranks)"


class PreparedCall(NamedTuple):
    """What is to be done, the flat tensor that it changes, and words for other ranks."""

    job: Callable[[], None]
    changed: Tensor
    words: str


def _is_compared(tensor: object) -> bool:
    """Whether ranks compare calls on it: those on CPUs, and what is no tensor where no GPU is."""
    if isinstance(tensor, torch.Tensor):
        return bool(tensor.device.type == "cpu")
    return not torch.cuda.is_available()


def _do_same(plain: Group, words: str, job: Callable[[], None]) -> None:
    require_same_call(plain, words)
    job()


def _member_group(group: Group | None) -> Group:
    if not dist.is_initialized():
        raise InvalidInput("group: there is none; call torch.distributed.init_process_group first")
    found = dist.group.WORLD if group is None else group
    if not isinstance(found, dist.ProcessGroup):
        raise InvalidInput("group: this rank is no member of it")
    return found


class RankPlaces(NamedTuple):
    """How ranks are told which hosts of the file they are: by a map, by names, or by number."""

    rank_map: PathName | None
    by_name: bool


def _read_for(
    file: PathName, collective: Collective, ranks: int, verified: bool, places: RankPlaces
) -> Executable:
    if places.rank_map is not None and places.by_name:
        raise InvalidInput("rank_map and by_name exclude each other")
    found = read_scheduled(file, collective, verified=verified)
    if found.transfers.ranks != ranks:
        hosts = found.transfers.ranks
        raise InvalidInput(f"{file}: is for {hosts} hosts, but the group has {ranks} ranks")
    if places.rank_map is None:
        return found
    lines = read_map(places.rank_map)
    return reorder_ranks(found, match_nodes(lines, found.transfers, str(places.rank_map)))


def _identify(executable: Executable, mapped: bool) -> str:
    text = f"a file with content {executable.transfers.digest[:16]}"
    if not mapped:
        return text
    order = hashlib.sha256(repr(executable.transfers.nodes.tolist()).encode()).hexdigest()
    return f"{text} and a map with content {order[:16]}"


def flatten(tensor: Tensor, name: str = "tensor") -> Tensor:
    """The elements of a tensor in one row, without a copy.

    Raises InvalidInput for what is no tensor, sparse, or not contiguous.
    """
    if not isinstance(tensor, torch.Tensor):
        raise InvalidInput(f"{name}: a torch.Tensor is needed, not {excerpt(tensor)}")
    if tensor.layout is not torch.strided or not tensor.is_contiguous():
        raise InvalidInput(f"{name}: its elements must be contiguous in memory")
    return tensor.detach().view(-1)


class _Reduction(TensorCollective):
    """A collective that combines elements."""

    def __call__(
        self, tensor: Tensor, op: str = "sum", *, async_op: bool = False
    ) -> Tensor | ScheduledWork:
        """Combine in place, by sum, prod, max, min or avg, which is the sum divided by all ranks.

        The tensor must be contiguous, and of one length and type on all ranks. Returns it, or with
        `async_op` a work object at once. Raises InvalidInput for what cannot be combined, and on
        all ranks, where tensors are on CPUs, if one of them brings something else.
        """

        def prepare() -> PreparedCall:
            flat = flatten(tensor)
            find_combination(op, flat.dtype, flat.device)
            words = self.program.describe(op, flat.numel(), flat.dtype)
            return PreparedCall(partial(self.program.run, flat, op), flat, words)

        work = self._start(prepare, tensor, async_op)
        return work if async_op else tensor


class _Distribution(TensorCollective):
    """A collective that hands elements on."""

    def __call__(self, tensor: Tensor, *, async_op: bool = False) -> Tensor | ScheduledWork:
        """Fill the tensor in place, which must be contiguous, and of one length on all ranks.

        Returns it, or with `async_op` a work object at once. Raises InvalidInput for other tensors.
        """

        def prepare() -> PreparedCall:
            flat = flatten(tensor)
            words = self.program.describe(None, flat.numel(), flat.dtype)
            return PreparedCall(partial(self.program.run, flat), flat, words)

        work = self._start(prepare, tensor, async_op)
        return work if async_op else tensor


class TensorAllreduce(_Reduction):
    """All ranks end with the sum of all ranks' tensors; also the hook of DDP."""

    collective = Collective.ALLREDUCE

    def hook(self, state, bucket):  # type: ignore[no-untyped-def]
        """The mean of a bucket's gradients: `ddp.register_comm_hook(None, allreduce.hook)`.

        DDP compares annotations with types of torch, so there are none. On the CPU it goes on
        while gradients of later buckets are computed.
        """
        work = self(bucket.buffer(), op=AVERAGE, async_op=True)
        return work.get_future().then(lambda ended: ended.value()[0])


class TensorReduceScatter(_Reduction):
    """Rank r ends with block r of the sum; what is elsewhere in its tensor has no meaning."""

    collective = Collective.REDUCE_SCATTER

    def block(self, tensor: Tensor) -> Tensor:
        """The part of a tensor that this rank keeps."""
        return flatten(tensor)[self.program.own_block(tensor.numel())]


class TensorReduce(_Reduction):
    """The root of the file ends with the sum; what others' tensors end with has no meaning."""

    collective = Collective.REDUCE


class TensorAllgather(_Distribution):
    """All ranks end with all blocks; rank r brings block r of its tensor."""

    collective = Collective.ALLGATHER

    def block(self, tensor: Tensor) -> Tensor:
        """The part of a tensor that this rank brings."""
        return flatten(tensor)[self.program.own_block(tensor.numel())]


class TensorBroadcast(_Distribution):
    """All ranks end with the tensor of the file's root."""

    collective = Collective.BROADCAST


class TensorAllToAll(TensorCollective):
    """Rank t ends with the blocks that all ranks have for it, in the order of ranks."""

    collective = Collective.ALLTOALL

    def __call__(
        self,
        tensor: Tensor,
        output: Tensor | None = None,
        *,
        count: int | None = None,
        async_op: bool = False,
    ) -> Tensor | ScheduledWork:
        """Exchange blocks in place, or into `output` where what comes has another length.

        `count` is the length of the longest block of all; without it, all blocks of the schedule
        must be of one length. Returns the result, or with `async_op` a work object at once. Raises
        InvalidInput for tensors of other lengths.
        """
        work = self._start(partial(self._prepare, tensor, output, count), tensor, async_op)
        if async_op:
            return work
        return tensor if output is None else output

    def _prepare(self, tensor: Tensor, output: Tensor | None, count: int | None) -> PreparedCall:
        given = flatten(tensor)
        result = given if output is None else flatten(output, "output")
        if count is None:
            count = self._equal_count(given.numel())
        sent, kept = self.program.exchanged_lengths(count)
        _require_length("tensor", given, sent)
        _require_length("output", result, kept)
        if given.dtype != result.dtype or given.device != result.device:
            raise InvalidInput("output: must be of the tensor's type and device")
        words = self.program.describe(None, count, given.dtype)
        return PreparedCall(partial(self.program.exchange, given, result, count), result, words)

    def _equal_count(self, length: int) -> int:
        if not has_equal_blocks(self.program.transfers):
            raise InvalidInput("count: is needed, since blocks of the schedule differ in length")
        ranks: int = self.program.ranks
        if length % ranks:
            raise InvalidInput(f"tensor: {length} elements are not {ranks} blocks of one length")
        return length // ranks


def _require_length(name: str, tensor: Tensor, length: int) -> None:
    if tensor.numel() != length:
        raise InvalidInput(f"{name}: {tensor.numel()} elements, but the schedule has {length}")
