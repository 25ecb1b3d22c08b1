"""What a collective took where it was run, in the columns of nccl-tests, and the library's."""

from collections.abc import Sequence
from typing import Any

from reports.text import table

COLUMNS = ("bytes", "count", "type", "redop")
OURS = ("time", "least", "algbw", "busbw", "#wrong")
UNITS = ("us", "us", "GB/s", "GB/s", "")
ONE_HOST = "All ranks share one host: these times say nothing on the topology."
ONE_WAY = (
    "Some links have none back: TCP needs another way for its acknowledgements (docs/runtimes.md)."
)


def run_text(rows: Sequence[dict[str, Any]], *, library: str, one_host: bool, two_way: bool) -> str:
    """A line on what was run, a table with a row for each size, and what to mind.

    `rows` have the fields of timings; times are those of the slowest rank.
    """
    compared = any(row["library_seconds"] is not None for row in rows)
    first = rows[0]
    lines = [
        f"{first['collective']} of {first['schedule']} on {first['ranks']} ranks, {library};"
        " time is the median, least the least of all calls, on the slowest rank"
    ]
    names, units = [*COLUMNS, *OURS], [""] * len(COLUMNS) + [*UNITS]
    if compared:
        names += ["library", "least", "algbw", "busbw", "#wrong"]
        units += UNITS
    cells = [_cells(row, compared) for row in rows]
    lines.append(table(names, cells, units))
    wrong = sum(row["wrong"] for row in rows)
    lines.append(f"{wrong} elements are wrong" if wrong else "every element is right")
    lines += [ONE_HOST] if one_host else []
    lines += [] if two_way else [ONE_WAY]
    return "\n".join(lines)


def _cells(row: dict[str, Any], compared: bool) -> list[str]:
    found = [str(row["bytes"]), str(row["count"]), row["dtype"], row["op"] or "-"]
    found += _time_cells(row["seconds"], row["least"], row, row["busbw"], row["wrong"])
    if compared:
        found += _time_cells(
            row["library_seconds"],
            row["library_least"],
            row,
            row["library_busbw"],
            row["library_wrong"],
        )
    return found


def _time_cells(
    seconds: float | None, least: float | None, row: dict[str, Any], bus: float | None, wrong: Any
) -> list[str]:
    if seconds is None or least is None:
        return ["-"] * 5
    rate = row["bytes"] / seconds if seconds else 0.0
    return [
        f"{seconds * 1e6:.1f}",
        f"{least * 1e6:.1f}",
        f"{rate / 1e9:.2f}",
        f"{(bus or 0) / 1e9:.2f}",
        str(wrong),
    ]
