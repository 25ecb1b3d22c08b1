"""Programs of CPUs as XML, for `topofinder run` and interpreters of others."""

import os
from collections.abc import Mapping
from typing import Any

from topofinder.exporters.register import Exporter, ExportRequest, register_exporter
from topofinder.lowering.lower import rank_programs
from topofinder.model.program import ProgramSet
from topofinder.model.program_files import write_programs


def write_cpu_xml(request: ExportRequest, path: str | os.PathLike[str]) -> Mapping[str, Any]:
    """Write the programs of all ranks; facts are the messages and parts of all of them.

    Raises InvalidInput where the file cannot be written, Unsupported for too many parts.
    """
    programs = tuple(rank_programs(request.transfers))
    write_programs(ProgramSet(request.transfers, programs, request.transfers.digest), path)
    sends = [message for one in programs for step in one.steps for message in step.sends]
    return {"messages": len(sends), "parts": sum(len(message.parts) for message in sends)}


register_exporter(
    Exporter(
        name="cpu-xml",
        takes="transfers",
        suffix=".xml",
        description="what each rank sends, receives, adds and copies, run by `topofinder run`",
        write=write_cpu_xml,
        place=50,
    )
)
