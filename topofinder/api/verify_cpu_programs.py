"""What `topofinder verify` finds out about programs of CPUs in a file: they are run on numbers."""

from reports.cpu_program_check import CpuProgramCheck
from topofinder.model.program import ProgramSet
from topofinder.runtimes.check_programs import find_program_violation


def check_cpu_programs(given: ProgramSet) -> CpuProgramCheck:
    """Run all ranks in one process, and look at every element that the collective is about.

    Raises Unsupported for programs that are too large to be run so.
    """
    transfers = given.transfers
    return CpuProgramCheck(
        collective=transfers.collective.value,
        ranks=transfers.ranks,
        units=transfers.units,
        steps=transfers.steps,
        messages=sum(len(step.sends) for each in given.programs for step in each.steps),
        digest=transfers.digest,
        violation=find_program_violation(given),
    )
