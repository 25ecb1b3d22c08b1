"""Write a document: one file, or a folder with all its formats."""

from pathlib import Path
from typing import TYPE_CHECKING

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.files import require_place, write_whole
from reports.pages.document import Document
from reports.pages.html import page
from reports.pages.markdown import csv_text, markdown
from reports.plots.figure import png, svg_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("html", "md", "csv", "svg", "png")
SINGLE = {".html": "html", ".htm": "html", ".md": "md"}


def write_document(document: Document, target: Path, formats: tuple[str, ...] = FORMATS) -> None:
    """Write to a .html or .md file, or some FORMATS to a folder, which is made if it is missing.

    A folder holds report.html, report.md, and NAME.csv, NAME.svg and NAME.png for each table
    and plot. Raises InvalidInput for another suffix, and where files cannot be written.
    """
    kind = SINGLE.get(target.suffix.lower())
    if kind and not target.is_dir():
        write_whole(target, page(document) if kind == "html" else markdown(document))
        return
    if target.suffix and not target.is_dir():
        raise InvalidInput(f"{target}: a report is a .html or .md file, or a folder")
    try:
        target.mkdir(exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"{target}: {(error.strerror or str(error)).lower()}") from None
    for kind in formats:
        _write(document, target, kind)


def require_document_place(target: Path) -> None:
    """Refuse, before the work, a file or folder that `write_document` could not write."""
    if target.is_dir():
        require_place(target / "report.html")
        return
    if target.suffix and target.suffix.lower() not in SINGLE:
        raise InvalidInput(f"{target}: a report is a .html or .md file, or a folder")
    require_place(target)


def read_formats(text: str) -> tuple[str, ...]:
    """Formats such as `html,svg`.

    >>> read_formats("csv, md")
    ('csv', 'md')
    """
    words = tuple(word.strip() for word in text.split(","))
    for word in words:
        if word not in FORMATS:
            raise InvalidInput(f"--format: {excerpt(word)} is none of {', '.join(FORMATS)}")
    return words


def _write(document: Document, folder: Path, kind: str) -> None:
    if kind == "html":
        write_whole(folder / "report.html", page(document))
    elif kind == "md":
        write_whole(folder / "report.md", markdown(document, pictures=True))
    elif kind == "csv":
        for table in document.tables():
            write_whole(folder / f"{table.name}.csv", csv_text(table))
    else:
        for plot in document.plots():
            write_plot(plot.draw(), plot.name, folder / f"{plot.name}.{kind}")


def write_plot(figure: "Figure", name: str, target: Path) -> None:
    """Write one plot to a .svg or .png file."""
    content = png(figure) if target.suffix.lower() == ".png" else svg_file(figure, name)
    write_whole(target, content)
