"""Before the first message: all ranks read what they are to run, and tell each other what it is.

A rank that cannot read its file, or reads another than the others, would leave them waiting. So
nobody raises before all have told: then all raise the same line, or none does.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from generators.errors import InvalidInput
from topofinder.runtimes.torch_library import Group, dist, torch

T = TypeVar("T")
Gather = Callable[[str], Sequence[str]]
FITS, FAILS = "+", "-"


def read_together(read: Callable[[], T], identify: Callable[[T], str], gather: Gather) -> T:
    """What `read` gives, once all ranks have found something of the same identity.

    `gather` gives what all ranks tell, in their order. Raises InvalidInput on all ranks where one
    of them could not read, or read something else.

    >>> read_together(lambda: 5, str, lambda own: [own, own])
    5
    >>> read_together(lambda: 5, str, lambda own: [own, "-a.npz: no such file"])
    Traceback (most recent call last):
        ...
    generators.errors.InvalidInput: rank 1: a.npz: no such file
    """
    failure: Exception | None = None
    try:
        found = read()
        own = FITS + identify(found)
    except Exception as error:  # whatever it is, the others must hear of it
        failure, own = error, FAILS + (str(error) or type(error).__name__)
    if (wrong := find_disagreement(gather(own))) is not None:
        raise InvalidInput(wrong) from failure
    return found


def find_disagreement(told: Sequence[str]) -> str | None:
    """One line on the first rank that failed or differs from rank 0; None where none does.

    >>> find_disagreement(["+12ab", "+12ab", "+77cd"])
    'rank 2: runs 77cd, but rank 0 runs 12ab'
    """
    for rank, each in enumerate(told):
        if each.startswith(FAILS):
            line = each.removeprefix(FAILS).splitlines()[0]
            return line if len(set(told)) == 1 else f"rank {rank}: {line}"
    for rank, each in enumerate(told):
        if each != told[0]:
            own, first = each.removeprefix(FITS), told[0].removeprefix(FITS)
            return f"rank {rank}: runs {own}, but rank 0 runs {first}"
    return None


def gather_texts(group: Group, text: str) -> list[str]:
    """What every rank of a group that torch knows tells, in the order of ranks."""
    found: list[str] = [""] * dist.get_world_size(group)
    dist.all_gather_object(found, text, group=group)
    return found


def gather_early(group: Group, text: str) -> list[str]:
    """The same in a group that is being made, which can move tensors of the CPU but has no name."""
    own = text.encode()
    lengths = [torch.zeros(1, dtype=torch.int64) for _ in range(group.size())]
    group.allgather([lengths], [torch.tensor([len(own)])]).wait()
    longest = max(int(each) for each in lengths)
    padded = torch.frombuffer(bytearray(own.ljust(longest, b"\0")), dtype=torch.uint8)
    texts = [torch.zeros(longest, dtype=torch.uint8) for _ in lengths]
    group.allgather([texts], [padded]).wait()
    return [
        bytes(each[: int(length)].tolist()).decode()
        for each, length in zip(texts, lengths, strict=True)
    ]
