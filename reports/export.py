"""What was written for another program, as text and as JSON."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from reports.units import size_words


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportRecord:
    """A file or folder for another program: what is in it, and what it takes there.

    `size` is bytes of all `files`. `facts` are pairs of a name and a value, told by the format's
    exporter; `remark` is what a user must know, if anything.
    """

    format: str
    output: str
    files: int
    size: int
    collective: str
    recipe: str | None
    ranks: int
    steps: int
    units: int
    digest: str
    facts: tuple[tuple[str, Any], ...] = ()
    remark: str | None = None


def export_text(record: ExportRecord) -> str:
    """What was written where, a line of facts, and a remark.

    >>> print(export_text(ExportRecord(format="msccl", output="a.xml", files=1, size=2048,
    ...     collective="allgather", recipe="K(4)", ranks=4, steps=1, units=4, digest="ab",
    ...     facts=(("protocol", "LL"), ("most steps", 2)), remark="one-way links")))
    a.xml: msccl, allgather on K(4): 2 KiB
      protocol LL, most steps 2
      note: one-way links
    """
    graph = record.recipe or f"{record.ranks} hosts"
    files = f" in {record.files} files" if record.files > 1 else ""
    size = size_words(Fraction(record.size))
    lines = [f"{record.output}: {record.format}, {record.collective} on {graph}: {size}{files}"]
    if record.facts:
        lines.append("  " + ", ".join(f"{name} {value}" for name, value in record.facts))
    if record.remark:
        lines.append(f"  note: {record.remark}")
    return "\n".join(lines)


def export_fields(record: ExportRecord) -> dict[str, Any]:
    """The fields that `export --json` prints.

    >>> export_fields(ExportRecord(format="msccl", output="a.xml", files=1, size=2048,
    ...     collective="allgather", recipe=None, ranks=4, steps=1, units=4, digest="ab",
    ...     facts=(("most steps", 2),)))["most_steps"]
    2
    """
    return {
        "format": record.format,
        "output": record.output,
        "files": record.files,
        "bytes": record.size,
        "collective": record.collective,
        "recipe": record.recipe,
        "ranks": record.ranks,
        "steps": record.steps,
        "units": record.units,
        "digest": record.digest,
        **{name.replace(" ", "_"): value for name, value in record.facts},
        "remark": record.remark,
    }
