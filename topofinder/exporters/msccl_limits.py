"""What the three runtimes that read MSCCL XML can hold: the limits that a compiler keeps to.

Sources: the parsers and interpreters of microsoft/msccl, Azure/msccl-executor-nccl and ROCm/rccl.
"""

from dataclasses import dataclass

from expansions.collective import Collective
from generators.errors import InvalidInput, Unsupported
from generators.excerpts import excerpt

PROTOCOLS = ("Simple", "LL", "LL128")
MOST_LANES = 32
"""Channels of a program, and of one pair of ranks."""
MAX_OFFSET = 1 << 15
MOST_BLOCKS = 108
"""Threadblocks that an A100 runs at once, on its 108 multiprocessors; all have to.

So there is no need of more than the 7 bits that name a threadblock to wait for.
"""
LARGEST_N = 256
"""Beyond, every rank would parse a file of more than 15 MB."""
LARGEST_FILE = 64 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class MscclDialect:
    """What one runtime wants: how many steps and blocks it holds, and how it writes words.

    `two_flags` tells whether a file says `inplace` and `outofplace` apart; else a file is for one
    of both. `no_limit` is the `maxBytes` of a program for every size.
    """

    name: str
    steps: int
    blocks: int
    two_flags: bool
    no_limit: int
    scatter: str

    def collective(self, kind: Collective) -> str:
        """The word for a collective."""
        words = {Collective.REDUCE_SCATTER: self.scatter, Collective.ALLTOALL: "alltoall"}
        return words.get(kind, kind.value)


_MSCCL = MscclDialect(name="msccl", steps=256, blocks=108, two_flags=False, no_limit=1 << 40,
                      scatter="reduce_scatter")  # fmt: skip
_EXECUTOR = MscclDialect(name="executor", steps=64, blocks=108, two_flags=True, no_limit=0,
                         scatter="reducescatter")  # fmt: skip
_RCCL = MscclDialect(name="rccl", steps=64, blocks=64, two_flags=True, no_limit=0,
                     scatter="reducescatter")  # fmt: skip
DIALECTS = {dialect.name: dialect for dialect in (_MSCCL, _EXECUTOR, _RCCL)}


def find_dialect(word: str) -> MscclDialect:
    """A dialect by its name; InvalidInput for none."""
    if word not in DIALECTS:
        raise InvalidInput(f"dialect: {excerpt(word)} is none of {', '.join(DIALECTS)}")
    return DIALECTS[word]


def require_protocol(word: str) -> str:
    """A protocol; InvalidInput for none.

    >>> require_protocol("LL")
    'LL'
    """
    if word not in PROTOCOLS:
        raise InvalidInput(f"protocol: {excerpt(word)} is none of {', '.join(PROTOCOLS)}")
    return word


def require_within(limit: str, found: int, most: int, told: str = "") -> None:
    """Refuse what is above a limit, by its name; --over-limits writes it all the same."""
    if found > most:
        raise Unsupported(f"{limit}: {found}{told}, at most {most}; --over-limits writes it anyway")
