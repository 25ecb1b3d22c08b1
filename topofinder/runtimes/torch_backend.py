"""The backend "topofinder" of torch.distributed: by schedule files what has one, all else as ever.

A process group of it holds an ordinary one, with gloo for tensors on the CPU and NCCL for those on
GPUs. A collective that has a file goes by its schedule, whose messages the ordinary group moves;
all other operations, types and layouts go to the ordinary group as they are. It is a subclass of
ProcessGroup in Python, which torch.distributed takes from a registered backend.

Every method that communicates is defined here, also where it is only handed on. What a subclass in
Python leaves to C++ is called there under Python's lock; a thread of gloo that frees a tensor of
Python waits for that lock while it holds the queue's, and the caller waits for the queue's: both
for good (seen in 2.13). Methods here call the ordinary group, which gives Python's lock up.
"""

import hashlib
import socket
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from expansions.collective import Collective
from generators.errors import InvalidInput
from topofinder.model.transfers import Transfers
from topofinder.runtimes.rank_map import match_hosts, match_nodes, reorder_ranks
from topofinder.runtimes.torch_agreement import gather_early, read_together
from topofinder.runtimes.torch_calls import (
    exchange_directly,
    is_same_everywhere,
    require_same_call,
)
from topofinder.runtimes.torch_exchange import AVERAGE, find_combination
from topofinder.runtimes.torch_files import (
    VARIABLES,
    Executables,
    ScheduleFiles,
    current_files,
)
from topofinder.runtimes.torch_library import GROUP, IS_THERE, Group, Tensor, dist, torch
from topofinder.runtimes.torch_programs import GroupProgram
from topofinder.runtimes.torch_works import Job, ScheduledWork, queue_of

NAME = "topofinder"
DEVICES = ["cpu", "cuda"]
_SAID: set[int] = set()
"""Numbers of ranks of which it was said what goes without a schedule."""


class ScheduledGroup(GROUP):  # type: ignore[misc]
    """A process group that runs allreduce, allgather, reduce-scatter and all-to-all by schedules.

    The last three are those on single tensors, in equal blocks. `inner` is the ordinary group.
    """

    def __init__(self, inner: Group, executables: Executables) -> None:
        super().__init__(inner.rank(), inner.size())
        self.inner = inner
        self._programs = {
            collective: GroupProgram(executable, inner)
            for (collective, ranks), executable in executables.items()
            if ranks == inner.size()
        }

    def get_group_store(self) -> Any:
        """The store that the ranks of the group share."""
        return self.inner.get_group_store()

    def allreduce(self, tensors: Any, *options: Any, **named: Any) -> Any:
        """Combine in place each tensor of a list."""
        program, op = self._programs.get(Collective.ALLREDUCE), _operation(options)
        flats = _flats(tensors)
        if program is None or not flats or not all(_combines(flat, op) for flat in flats):
            several = isinstance(tensors, list) and len(tensors) > 1
            others = self.inner.allreduce_coalesced if several else self.inner.allreduce
            return others(tensors, *options, **named)
        words = [program.describe(op, flat.numel(), flat.dtype) for flat in flats]
        jobs = [partial(program.run, flat, op) for flat in flats]
        return self._start(jobs, words, tensors, options)

    def all_gather_single(self, output: Tensor, given: Tensor, *options: Any) -> Any:
        """Fill `output` with the tensors of all ranks, end to end."""
        work = self._gather([output], [given], options)
        return work or self.inner._allgather_base(output, given, *options)

    def all_gather_single_coalesced(
        self, outputs: list[Tensor], given: list[Tensor], *options: Any
    ) -> Any:
        """The same for several tensors, as functional collectives call it."""
        work = self._gather(outputs, given, options)
        return work or self.inner.allgather_into_tensor_coalesced(outputs, given, *options)

    def reduce_scatter_single(self, output: Tensor, given: Tensor, *options: Any) -> Any:
        """Combine all ranks' tensors, of which the rank keeps its block; `given` stays as it is."""
        work = self._reduce_scatter([output], [given], options)
        return work or self.inner._reduce_scatter_base(output, given, *options)

    def reduce_scatter_single_coalesced(
        self, outputs: list[Tensor], given: list[Tensor], *options: Any
    ) -> Any:
        """The same for several tensors."""
        work = self._reduce_scatter(outputs, given, options)
        return work or self.inner.reduce_scatter_tensor_coalesced(outputs, given, *options)

    def _gather(
        self, outputs: list[Tensor], given: list[Tensor], options: tuple[Any, ...]
    ) -> ScheduledWork | None:
        program = self._programs.get(Collective.ALLGATHER)
        pairs = [_flats(pair) for pair in zip(outputs, given, strict=True)]
        if program is None or not pairs or not all(_are_blocks(p, self.size()) for p in pairs):
            return None
        words = [program.describe(None, whole.numel(), whole.dtype) for whole, _ in pairs]
        jobs = [partial(_gather, program, *pair) for pair in pairs]
        return self._start(jobs, words, outputs, options)

    def _reduce_scatter(
        self, outputs: list[Tensor], given: list[Tensor], options: tuple[Any, ...]
    ) -> ScheduledWork | None:
        program, op = self._programs.get(Collective.REDUCE_SCATTER), _operation(options)
        pairs = [_flats(pair) for pair in zip(given, outputs, strict=True)]
        if program is None or not pairs or not all(_are_blocks(p, self.size()) for p in pairs):
            return None
        if not all(_combines(whole, op) for whole, _ in pairs):
            return None
        words = [program.describe(op, whole.numel(), whole.dtype) for whole, _ in pairs]
        jobs = [partial(_reduce_scatter, program, op, *pair) for pair in pairs]
        return self._start(jobs, words, outputs, options)

    def all_to_all_single(
        self, output: Tensor, given: Tensor, sizes: list[int], given_sizes: list[int], *options: Any
    ) -> Any:
        """Fill `output` with what all ranks have for this one; by a schedule in equal blocks.

        Blocks that are equal here need not be so elsewhere: on CPUs all ranks find out together,
        and where they are not, send them one by one.
        """
        program, flats = self._programs.get(Collective.ALLTOALL), _flats([output, given])
        handed_on = [sizes, given_sizes, *options]
        if program is None or len(flats) < 2 or flats[0].dtype != flats[1].dtype:
            return self.inner.alltoall_base(output, given, *handed_on)
        kept, sent = _splits(output, sizes, self.size()), _splits(given, given_sizes, self.size())
        on_cpu = given.device.type == "cpu"
        if not kept or not sent or not (on_cpu or not (sizes or given_sizes)):
            return self.inner.alltoall_base(output, given, *handed_on)
        job = partial(_exchange, program, flats[0], flats[1], kept, sent)
        return queue_of(self.inner).start(job, [output], waits=_waits(options))

    # torch has had two names for each of these, and calls either
    _allgather_base = all_gather_single
    _reduce_scatter_base = reduce_scatter_single
    alltoall_base = all_to_all_single
    allgather_into_tensor_coalesced = all_gather_single_coalesced
    reduce_scatter_tensor_coalesced = reduce_scatter_single_coalesced
    allreduce_coalesced = allreduce

    def _start(
        self,
        jobs: Sequence[Job],
        words: Sequence[str],
        changed: list[Tensor],
        options: tuple[Any, ...],
    ) -> ScheduledWork:
        if changed[0].device.type == "cpu":
            jobs = [partial(require_same_call, self.inner, "; ".join(words)), *jobs]
        return queue_of(self.inner).start(
            partial(_do_all, jobs), list(changed), waits=_waits(options)
        )


HANDED_ON = (
    *("allgather", "allgather_coalesced", "alltoall", "barrier", "broadcast", "gather"),
    *("monitored_barrier", "recv", "recv_anysource", "reduce", "reduce_scatter", "scatter", "send"),
)
"""Methods of a process group that communicate and never go by a schedule."""


def _hand_on(name: str) -> Any:
    def method(self: ScheduledGroup, *args: Any, **named: Any) -> Any:
        return getattr(self.inner, name)(*args, **named)

    return method


for _name in HANDED_ON:
    setattr(ScheduledGroup, _name, _hand_on(_name))


def _waits(options: tuple[Any, ...]) -> bool:
    """Whether the caller waits until all is over."""
    return bool(options) and not getattr(options[0], "asyncOp", True)


def _do_all(jobs: Sequence[Job]) -> None:
    for job in jobs:
        job()


def _gather(program: GroupProgram, memory: Tensor, given: Tensor) -> None:
    memory[program.own_block(memory.numel())].copy_(given)
    program.run(memory)


def _exchange(
    program: GroupProgram, result: Tensor, given: Tensor, kept: list[int], sent: list[int]
) -> None:
    """By the schedule where all blocks of all ranks have one length, else directly."""
    equal = len({*kept, *sent}) == 1
    if given.device.type == "cpu":
        words = program.describe(None, sent[0], given.dtype) if equal else "unequal blocks"
        equal &= is_same_everywhere(program.group, words)
    if equal:
        program.exchange(given, result, sent[0])
    else:
        exchange_directly(program.group, given, result, sent, kept)


def _splits(tensor: Tensor, sizes: Sequence[int], ranks: int) -> list[int]:
    """Elements of the blocks of a tensor; none where they do not make it up."""
    rows = tensor.shape[0] if tensor.dim() else 0
    if not sizes:
        return [] if rows % ranks else [tensor.numel() // ranks] * ranks
    if len(sizes) != ranks or sum(sizes) != rows or min(sizes) < 0:
        return []
    width = tensor.numel() // rows if rows else 0
    return [size * width for size in sizes]


def _reduce_scatter(program: GroupProgram, op: str | None, given: Tensor, kept: Tensor) -> None:
    memory = given.clone()
    program.run(memory, op)
    kept.copy_(memory[program.own_block(memory.numel())])


def _flats(tensors: Any) -> list[Tensor]:
    """The tensors in rows of elements; none where one of them is not contiguous."""
    if not isinstance(tensors, list | tuple):
        return []
    if any(each.layout is not torch.strided or not each.is_contiguous() for each in tensors):
        return []
    return [each.detach().view(-1) for each in tensors]


def _are_blocks(flats: list[Tensor], ranks: int) -> bool:
    """Whether the first tensor is as long as one of the second kind for every rank."""
    if len(flats) != 2:
        return False
    whole, block = flats
    return bool(whole.numel() == ranks * block.numel() and whole.dtype == block.dtype)


def _operation(options: tuple[Any, ...]) -> str | None:
    """The name of the operation that is asked for; None for one that schedules do not do."""
    asked = getattr(options[0], "reduceOp", None) if options and options[0] is not None else None
    ours = {
        "sum": dist.ReduceOp.SUM,
        "prod": dist.ReduceOp.PRODUCT,
        "max": dist.ReduceOp.MAX,
        "min": dist.ReduceOp.MIN,
        AVERAGE: dist.ReduceOp.AVG,
    }
    return next((name for name, each in ours.items() if asked == each), None)


def _combines(flat: Tensor, op: str | None) -> bool:
    try:
        find_combination(op or "", flat.dtype, flat.device)
    except InvalidInput:
        return False
    return True


def create_group(given: Any, _: Any = None) -> ScheduledGroup:
    """The process group of a rank, as torch.distributed asks a registered backend for it.

    Raises InvalidInput on all ranks where files cannot be read or differ, and where none is for
    all ranks.
    """
    inner = _ordinary_group(given)
    files, whole = current_files(), not dist.is_initialized()
    read = partial(_read_files, files, inner, whole)
    executables = read_together(read, _identify, partial(gather_early, inner))
    if files.by_name:
        hosts = gather_early(inner, socket.gethostname())
        executables = _reorder(executables, inner, partial(match_hosts, hosts))
    _say_what_is_left(files, executables, given)
    group = ScheduledGroup(inner, executables)
    _register_backends(group, inner)
    return group


def _ordinary_group(given: Any) -> Group:
    """A group of torch's own, with gloo and, where there are GPUs, NCCL."""
    inner = dist.ProcessGroup(given.store, given.group_rank, given.group_size)
    kinds = dist.ProcessGroup.BackendType
    place = given.group_rank, given.group_size
    gloo = dist.ProcessGroupGloo(
        dist.PrefixStore("cpu/", given.store), *place, timeout=given.timeout
    )
    inner._register_backend(torch.device("cpu"), kinds.GLOO, gloo)
    inner._set_default_backend(kinds.GLOO)
    if torch.cuda.is_available() and dist.is_nccl_available():
        options = dist.ProcessGroupNCCL.Options()
        options._timeout = given.timeout
        nccl = dist.ProcessGroupNCCL(dist.PrefixStore("cuda/", given.store), *place, options)
        inner._register_backend(torch.device("cuda"), kinds.NCCL, nccl)
        inner._set_default_backend(kinds.NCCL)
    return inner


def _register_backends(group: Group, inner: Group) -> None:
    """What the group does not run itself, torch hands to the backends of the ordinary one."""
    kinds = {"cpu": dist.ProcessGroup.BackendType.GLOO, "cuda": dist.ProcessGroup.BackendType.NCCL}
    for device in inner._device_types:
        group._register_backend(device, kinds[device.type], inner._get_backend(device))
        group._set_default_backend(kinds[device.type])


def _read_files(files: ScheduleFiles, inner: Group, whole: bool) -> Executables:
    found, ranks = files.read(inner.rank()), inner.size()
    if len(lines := files.map_lines()) == ranks:
        match = partial(match_nodes, lines, file=str(files.rank_map))
        found = _reorder(found, inner, match)
    if whole and not found:
        names = f"topofinder.torch.use, or {next(iter(VARIABLES.values()))} and its like,"
        raise InvalidInput(f"backend topofinder: no file; {names} names them")
    if whole and all(hosts != ranks for _, hosts in found):
        hosts = ", ".join(str(number) for number in sorted({number for _, number in found}))
        raise InvalidInput(f"backend topofinder: files are for {hosts} hosts, not {ranks} ranks")
    return found


def _reorder(
    executables: Executables, inner: Group, match: Callable[[Transfers], list[int]]
) -> Executables:
    """The same, those for the ranks of a group with each rank in the place of its host."""
    return {
        key: reorder_ranks(each, match(each.transfers)) if key[1] == inner.size() else each
        for key, each in executables.items()
    }


def _identify(executables: Executables) -> str:
    """One text for all files: each with its collective, number of hosts and content."""
    listed = sorted(
        f"{collective} {ranks} {executable.transfers.digest} {executable.transfers.nodes.tolist()}"
        for (collective, ranks), executable in executables.items()
    )
    return f"files with content {hashlib.sha256(repr(listed).encode()).hexdigest()[:16]}"


def _say_what_is_left(files: ScheduleFiles, executables: Executables, given: Any) -> None:
    """On rank 0 of all, once for each number of ranks: collectives that have files for others."""
    ranks, members = given.group_size, list(given.global_ranks_in_group)
    left = [
        each for each, names in files.names.items() if names and (each, ranks) not in executables
    ]
    first = (members[given.group_rank] if members else given.group_rank) == 0
    if left and first and ranks not in _SAID:
        _SAID.add(ranks)
        told = f"no file for {ranks} ranks, so groups of that size use gloo or NCCL"
        print(f"topofinder: {', '.join(left)}: {told}", file=sys.stderr)


def register_backend() -> None:
    """Make the backend known to torch.distributed, if it is there; a second time does nothing."""
    if IS_THERE and NAME not in dist.Backend.backend_list:
        dist.Backend.register_backend(NAME, create_group, extended_api=True, devices=DEVICES)
