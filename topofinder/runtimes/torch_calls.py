"""Before the messages of a call: all ranks of a group tell whether they are about to do the same.

Ranks that bring tensors of different lengths, types or operations would wait for messages that
never come, or take others for these. So each call begins with a few bytes, which all ranks have
once each has heard of the others: numbers spread to the rank 1, 2, 4, ... places on (dissemination,
Hensgen, Finkel and Manber 1988), and only the largest of each is handed on. Where ranks differ they
tell each other what they are about, and all raise the same line. These messages have a tag of their
own and are sent in the order of calls, so that nothing else of the group can come between. Tensors
on GPUs are not compared: that would make the caller wait for the device.
"""

import hashlib
from collections.abc import Sequence
from typing import Any

from generators.errors import InvalidInput
from topofinder.runtimes.torch_agreement import FAILS, FITS, find_disagreement
from topofinder.runtimes.torch_library import Group, Tensor, torch

CALL_TAG = 0x6FFFFFFF
MOST_WORDS = 400
"""Bytes of what a rank tells of its call."""


class CallsDiffer(InvalidInput):
    """Raised on all ranks alike, before any of them has changed anything."""


def describe_call(what: str, op: str | None, count: int, kind: Any, digest: str) -> str:
    """What a rank is about to do, in words that are the same on all ranks if it is the same.

    >>> describe_call("allreduce", "sum", 7, "torch.float32", "12345678abcd")
    '+allreduce (sum) of 7 torch.float32 by file 12345678'
    """
    how = "" if op is None else f" ({op})"
    return f"{FITS}{what}{how} of {count} {kind} by file {digest[:8]}"


def describe_refusal(error: Exception) -> str:
    """What a rank tells that cannot take part."""
    return f"{FAILS}{error}"


def require_same_call(group: Group, words: str) -> None:
    """Return where all ranks of a plain group tell the same words; else raise CallsDiffer on all.

    Raises RuntimeError where a rank has ended.
    """
    if is_same_everywhere(group, words):
        return
    own = words.encode()[:MOST_WORDS].ljust(MOST_WORDS, b"\0")
    rows = exchange_rows(group, torch.frombuffer(bytearray(own), dtype=torch.uint8))
    told = [bytes(row.tolist()).rstrip(b"\0").decode(errors="ignore") for row in rows]
    raise CallsDiffer(find_disagreement(told) or "ranks begin different collectives")


def is_same_everywhere(group: Group, words: str) -> bool:
    """Whether all ranks tell the same words, which all of them learn alike."""
    number = int.from_bytes(hashlib.sha256(words.encode()).digest()[:8], "little", signed=True)
    ends = torch.tensor([number, ~number])
    rank, ranks, places = group.rank(), group.size(), 1
    while places < ranks:
        came = torch.empty_like(ends)
        coming = group.recv([came], (rank - places) % ranks, CALL_TAG)
        group.send([ends], (rank + places) % ranks, CALL_TAG).wait()
        coming.wait()
        ends = torch.maximum(ends, came)
        places *= 2
    return int(ends[0]) == ~int(ends[1])  # the largest number is the smallest


def exchange_rows(group: Group, own: Tensor) -> list[Tensor]:
    """What every rank has, of one length, in their order."""
    others = [peer for peer in range(group.size()) if peer != group.rank()]
    found = [torch.empty_like(own) for _ in range(group.size())]
    found[group.rank()] = own
    works = [group.recv([found[peer]], peer, CALL_TAG) for peer in others]
    works += [group.send([own], peer, CALL_TAG) for peer in others]
    for work in works:
        work.wait()
    return found


def exchange_directly(
    group: Group, given: Tensor, result: Tensor, sent: Sequence[int], kept: Sequence[int]
) -> None:
    """An all-to-all of blocks of any lengths, every one by a message of its own.

    `sent` and `kept` are the elements for and from each rank. Raises CallsDiffer on all ranks
    where they do not fit together.
    """
    own = torch.tensor([*sent, *kept, given.element_size()])
    rows = [row.tolist() for row in exchange_rows(group, own)]
    if (wrong := find_misfit(rows)) is not None:
        raise CallsDiffer(wrong)
    rank = group.rank()
    blocks, places = given.split(list(sent)), result.split(list(kept))
    peers = [peer for peer in range(group.size()) if peer != rank]
    works = [group.recv([places[p].view(torch.uint8)], p, CALL_TAG) for p in peers if kept[p]]
    works += [group.send([blocks[p].view(torch.uint8)], p, CALL_TAG) for p in peers if sent[p]]
    places[rank].copy_(blocks[rank])
    for work in works:
        work.wait()


def find_misfit(rows: Sequence[Sequence[int]]) -> str | None:
    """The first block of an all-to-all that is given in another length than it is waited for.

    Each rank's row has what it sends to all, what it waits for from all, and bytes of an element.

    >>> find_misfit([[1, 2, 1, 3, 4], [3, 1, 1, 1, 4]])
    'rank 0 gives rank 1 2 elements of 4 bytes, but 1 of 4 bytes are waited for'
    """
    ranks = len(rows)
    for origin, row in enumerate(rows):
        for target, other in enumerate(rows):
            here, there = (row[target], row[-1]), (other[ranks + origin], other[-1])
            if here != there:
                return (
                    f"rank {origin} gives rank {target} {here[0]} elements of {here[1]} bytes, "
                    f"but {there[0]} of {there[1]} bytes are waited for"
                )
    return None
