"""What one rank of a schedule does, message part by message part, as text and as JSON."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, NamedTuple

from reports.text import table
from reports.units import size_text

Action = Literal["send", "receive", "add"]
HEADS = ("chunk", "step", "does", "rank", "link", "from", "to", "length")


class PartRow(NamedTuple):
    """At a step of a chunk of the data, what goes to `peer` or comes from it over a link.

    `begin` and `end` are bytes in the memory of the rank, or units where no size is given; `add`
    is said of what is combined with what is there, `receive` of what takes its place. `lane` counts
    parallel links between the two ranks.
    """

    chunk: int
    step: int
    action: Action
    peer: int
    lane: int
    begin: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RankRecord:
    """A rank's program; `data` is the length of the data and `memory` with all it passes on.

    Both are bytes of a `size` that was asked for, or units where that is None. Of an all-to-all
    the result begins at `result`, and what the rank keeps for itself is copied there (`copies`:
    from, to, length).
    """

    file: str
    collective: str
    subject: str
    rank: int
    ranks: int
    name: str | None
    size: int | None
    chunks: int
    data: int
    memory: int
    result: int
    copies: tuple[tuple[int, int, int], ...]
    rows: Sequence[PartRow]

    def total(self, *actions: Action) -> int:
        """Bytes or units that the rank sends, or that it receives."""
        return sum(row.end - row.begin for row in self.rows if row.action in actions)


def rank_text(record: RankRecord) -> str:
    """A line on the rank, one on the data, and a table with a line for each part of a message.

    >>> rows = [PartRow(0, 1, "send", 1, 0, 0, 512), PartRow(0, 1, "add", 1, 0, 512, 1024)]
    >>> print(rank_text(RankRecord(file="a.npz", collective="reduce-scatter", subject="K(2)",
    ...     rank=0, ranks=2, name=None, size=1024, chunks=1, data=1024,
    ...     memory=1024, result=0, copies=(), rows=rows)))
    a.npz: reduce-scatter on K(2)
    rank 0 of 2 sends 512 bytes and receives 512 in 1 step; the data are 1 KiB
    step  does  rank  from   to    length
                      bytes
    ----  ----  ----  -----  ----  ------
       1  send     1      0   512     512
       1  add      1    512  1024     512
    """
    named = f" ({record.name})" if record.name else ""
    unit = "units" if record.size is None else "bytes"
    sent, came = record.total("send"), record.total("receive", "add")
    steps = len({row.step for row in record.rows})
    data = f"{record.data} units" if record.size is None else size_text(Fraction(record.size))
    whole = f"{data} in {record.chunks} chunks" if record.chunks > 1 else data
    lines = [
        f"{record.file}: {record.collective} on {record.subject}",
        f"rank {record.rank} of {record.ranks}{named} sends {sent} {unit} and receives {came} in "
        f"{steps} {'step' if steps == 1 else 'steps'}; the data are {whole}",
    ]
    if record.result:
        lines.append(f"its result is at {record.result}; {_copies(record)}")
    if record.rows:
        lines.append(_table(record, unit))
    return "\n".join(lines)


def _copies(record: RankRecord) -> str:
    copied = [f"[{a}, {a + length}) to {b}" for a, b, length in record.copies]
    return f"its own block is copied from {', '.join(copied)}" if copied else "it keeps nothing"


def _table(record: RankRecord, unit: str) -> str:
    cells = [
        (
            *map(str, row[:2]),
            row.action,
            str(row.peer),
            *map(str, row[4:]),
            str(row.end - row.begin),
        )
        for row in record.rows
    ]
    parallel = any(row.lane for row in record.rows)
    shown = [
        place
        for place, head in enumerate(HEADS)
        if (head != "chunk" or record.chunks > 1) and (head != "link" or parallel)
    ]
    units = [unit if HEADS[place] == "from" else "" for place in shown]
    return table(
        [HEADS[place] for place in shown],
        [[row[place] for place in shown] for row in cells],
        units,
    )


def rank_fields(record: RankRecord) -> dict[str, Any]:
    """The fields that `show --rank --json` prints.

    >>> rank_fields(RankRecord(file="a.npz", collective="allgather", subject="K(2)", rank=1,
    ...     ranks=2, name=None, size=None, chunks=1, data=2, memory=2, result=0, copies=(),
    ...     rows=[PartRow(0, 1, "send", 0, 0, 1, 2)]))["parts"]
    [{'chunk': 0, 'step': 1, 'action': 'send', 'peer': 0, 'lane': 0, 'begin': 1, 'end': 2}]
    """
    return {
        "file": record.file,
        "collective": record.collective,
        "subject": record.subject,
        "rank": record.rank,
        "ranks": record.ranks,
        "name": record.name,
        "size": record.size,
        "chunks": record.chunks,
        "data": record.data,
        "memory": record.memory,
        "result": record.result,
        "copies": [list(copy) for copy in record.copies],
        "sent": record.total("send"),
        "received": record.total("receive", "add"),
        "parts": [row._asdict() for row in record.rows],
    }
