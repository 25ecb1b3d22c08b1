"""When a link is busy: the two models of time that chunks are sent in."""

from enum import StrEnum


class TimeModel(StrEnum):
    """How long a chunk of s bytes keeps a link of latency a and rate b busy.

    PIPELINED: for s/b; the chunk is there a + s/b after it began (the network model of TACOS,
    section V.C). OCCUPIED: for a + s/b, as in its time-expanded network (section IV.F).

    >>> TimeModel("pipelined")
    <TimeModel.PIPELINED: 'pipelined'>
    """

    PIPELINED = "pipelined"
    OCCUPIED = "occupied"
