"""What the executor of MSCCL++ can hold: the limits that a compiler keeps to.

Source: src/core/include/execution_common.hpp and src/core/executor of microsoft/mscclpp.
"""

from expansions.collective import Collective
from generators.errors import Unsupported

COLLECTIVES = {
    Collective.ALLGATHER: "allgather",
    Collective.ALLREDUCE: "allreduce",
    Collective.REDUCE_SCATTER: "reducescatter",
    Collective.ALLTOALL: "alltoall",
}
"""What the executor calls the collectives that it knows."""
MOST_OPERATIONS = 64
MOST_AT_ONCE = 8
"""Channels of one operation."""
MOST_INPUTS = 10
"""Buffers of one operation."""
MOST_CHANNELS = 16
"""Channels of one threadblock."""
MOST_BARRIERS = 16
MOST_THREADBLOCKS = 108
"""All of a rank run at the same time; an A100 has that many multiprocessors."""
ALIGNMENT = 16
"""Bytes of which what a chunk holds is a multiple."""
LARGEST_MESSAGE = (1 << 32) - ALIGNMENT
"""Bytes that offsets of 32 bits can tell."""


def require_known(what: Collective) -> None:
    """Refuse a collective that the executor does not carry out."""
    if what not in COLLECTIVES:
        known = ", ".join(COLLECTIVES)
        raise Unsupported(f"mscclpp: its executor carries out {known}, not {what}")
