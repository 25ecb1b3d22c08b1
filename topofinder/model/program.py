"""The noun RankProgram: what one rank sends and receives, message by message, step by step.

Parts count units at first (see Transfers), so that one program serves every size of the data;
`topofinder.lowering.place` turns them into places of elements.
"""

from typing import NamedTuple

from topofinder.model.transfers import Transfers


class DataPart(NamedTuple):
    """The interval [begin, end) of units, or of elements once placed.

    Of what is received, `adds` tells whether it is combined with what is there, or takes its place.
    """

    begin: int
    end: int
    adds: bool = False


class ProgramMessage(NamedTuple):
    """What goes to, or comes from, one peer over one lane at one step: its parts, end to end.

    Once placed, `direct` says that a received message may go straight to its place: it is one
    part, adds to nothing, and touches nothing else that the step sends or receives.
    """

    peer: int
    lane: int
    parts: tuple[DataPart, ...]
    direct: bool = False

    @property
    def length(self) -> int:
        """Units or elements of all parts together."""
        return sum(part.end - part.begin for part in self.parts)


class ProgramStep(NamedTuple):
    """Messages of one step; what is received is applied by peer and lane, after all are there.

    Everything is sent as it is before anything of the step arrives.
    """

    number: int
    sends: tuple[ProgramMessage, ...]
    receives: tuple[ProgramMessage, ...]


class RankProgram(NamedTuple):
    """The steps of one rank at which it sends or receives anything."""

    rank: int
    steps: tuple[ProgramStep, ...]


class ProgramSet(NamedTuple):
    """The programs of all ranks, by rank, and the transfers that they are.

    Of `transfers` only what is sent counts: programs say themselves what is added up. `source` is
    the content hash of what they were lowered from.
    """

    transfers: Transfers
    programs: tuple[RankProgram, ...]
    source: str = ""


class PlacedProgram(NamedTuple):
    """A program on a flat memory of elements, for one length of the data.

    The rank's data lie at [0, input_end) before the first step; its result is at [output_begin,
    output_end) after the last. `copies` are (from, to, length), done before the first step. In an
    all-to-all what is passed on lies behind the output; elsewhere all three are one and the same.
    """

    rank: int
    memory: int
    input_end: int
    output_begin: int
    output_end: int
    copies: tuple[tuple[int, int, int], ...]
    steps: tuple[ProgramStep, ...]
