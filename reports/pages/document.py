"""The nouns of a report: a document of sections that hold words, tables and plots.

The writers (HTML, Markdown, CSV, pictures) know nothing of topologies, and what gathers the
figures knows nothing of formats.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from generators.errors import InvalidInput

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class PageColumn:
    """A column of a table; `unit` is empty for words and pure numbers."""

    name: str
    unit: str = ""

    @property
    def title(self) -> str:
        """Name and unit.

        >>> PageColumn(name="T_L", unit="alpha").title
        'T_L [alpha]'
        """
        return f"{self.name} [{self.unit}]" if self.unit else self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """One line of a table. `key` is the id of the stored row that it tells of, if there is one.

    `anchor` is the name by which links of a web page lead to it.
    """

    cells: tuple[str, ...]
    key: str = ""
    anchor: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table; `name` names its file. One that is `apart` goes to a CSV file alone.

    Raises InvalidInput for a line of another length than the head.
    """

    name: str
    caption: str
    columns: tuple[PageColumn, ...]
    lines: tuple[TableRow, ...]
    apart: bool = False

    def __post_init__(self) -> None:
        for line in self.lines:
            if len(line.cells) != len(self.columns):
                raise InvalidInput(
                    f"table {self.name}: {len(line.cells)} cells, {len(self.columns)} columns"
                )


@dataclass(frozen=True, slots=True, kw_only=True)
class Plot:
    """A picture, drawn when a writer needs it; `name` names its file.

    Where there is a `web`, it is what web pages show: HTML whose marks lead to rows of tables.
    """

    name: str
    caption: str
    draw: Callable[[], "Figure"] = field(repr=False)
    web: Callable[[], str] | None = field(default=None, repr=False)


Block = str | Table | Plot


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading and what stands below it; a string is a paragraph."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A report."""

    title: str
    sections: tuple[Section, ...]

    def tables(self) -> Iterator[Table]:
        """All tables, in order."""
        yield from (block for block in self.blocks() if isinstance(block, Table))

    def plots(self) -> Iterator[Plot]:
        """All plots, in order."""
        yield from (block for block in self.blocks() if isinstance(block, Plot))

    def blocks(self) -> Iterator[Block]:
        """All blocks, in order."""
        for section in self.sections:
            yield from section.blocks
