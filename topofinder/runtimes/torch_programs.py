"""What one rank of a process group does for a file, on tensors of any length and type."""

from expansions.collective import Collective
from generators.errors import InvalidInput
from topofinder.model.transfers import Transfers
from topofinder.runtimes.executable import Executable, RankPlans
from topofinder.runtimes.torch_calls import describe_call
from topofinder.runtimes.torch_exchange import (
    AVERAGE,
    divide,
    find_combination,
    run_program,
)
from topofinder.runtimes.torch_library import Group, Tensor, torch


class GroupProgram:
    """An executable as one rank of a process group runs it; rank r of the group is host r."""

    def __init__(self, executable: Executable, group: Group) -> None:
        self.group, self.rank, self.ranks = group, group.rank(), group.size()
        self.transfers = executable.transfers
        self._plans = RankPlans(executable, self.rank)

    def describe(self, op: str | None, count: int, kind: object) -> str:
        """The call of a rank, for others to compare with theirs."""
        what, digest = str(self.transfers.collective), self.transfers.digest
        return describe_call(what, op, count, kind, digest)

    def own_block(self, count: int) -> slice:
        """The elements that the rank brings to an allgather, or keeps of a reduce-scatter."""
        begin, end = self.transfers.block(self.rank)
        units = max(self.transfers.units, 1)
        return slice(begin * count // units, end * count // units)

    def result(self, count: int) -> slice:
        """The elements that the collective is about at the end, for this rank."""
        collective = self.transfers.collective
        if collective is Collective.REDUCE_SCATTER:
            return self.own_block(count)
        if collective is Collective.REDUCE and self.rank != self.transfers.root:
            return slice(0, 0)
        return slice(0, count)

    def run(self, flat: Tensor, op: str | None = None) -> None:
        """Do it, in place, on a flat tensor that is of one length on all ranks; returns at the end.

        Averages are sums, divided at the end where they are the result.
        """
        count = flat.numel()
        combine = _refuse if op is None else find_combination(op, flat.dtype, flat.device)
        run_program(self._plans.at(count), flat, combine, self.group)
        if op == AVERAGE:
            divide(flat[self.result(count)], self.ranks)

    def exchanged_lengths(self, count: int) -> tuple[int, int]:
        """Elements that the rank begins an all-to-all with, and that it ends with."""
        program = self._plans.at(count)
        return program.input_end, program.output_end - program.output_begin

    def exchange(self, given: Tensor, result: Tensor, count: int) -> None:
        """Do an all-to-all of which the longest block has `count` elements; both may be one."""
        program = self._plans.at(count)
        memory = torch.empty(program.memory, dtype=given.dtype, device=given.device)
        memory[: program.input_end] = given
        run_program(program, memory, _refuse, self.group)
        result.copy_(memory[program.output_begin : program.output_end])


def _refuse(here: Tensor, came: Tensor) -> None:
    raise InvalidInput("schedule: adds up what is to be handed on as it is")


def has_equal_blocks(transfers: Transfers) -> bool:
    """Whether all blocks have equally many units.

    >>> has_equal_blocks(Transfers(collective="allgather", step=[], sender=[], receiver=[],
    ...     lane=[], begin=[], end=[], reducing=[], first=[0, 1, 3], nodes=[0, 1]))
    False
    """
    first = transfers.first
    return len(set((first[1:] - first[:-1]).tolist())) < 2
