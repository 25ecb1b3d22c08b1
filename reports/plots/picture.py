"""The noun Picture: a figure that notebooks show, and that is written as SVG or PNG."""

from dataclasses import dataclass
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.files import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = (".svg", ".png")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Picture:
    """What `draw` and `plot` give: a matplotlib `figure`, and a sentence on what it shows.

    The same picture is the same bytes every time; in an SVG each host, arc, send and so on is an
    element with an id of its own.
    """

    title: str
    words: str
    figure: "Figure"

    @property
    def svg(self) -> str:
        """The <svg> element, with the sentence as its label for those who cannot see it."""
        from reports.plots.figure import svg

        label = f'<svg role="img" aria-label="{escape(self.words, quote=True)}"'
        return svg(self.figure, "p").replace("<svg", label, 1)

    def save(self, file: str | PathLike[str]) -> Path:
        """Write it to a file, .svg or .png; gives its path.

        Raises InvalidInput for other suffixes.
        """
        path = Path(file)
        if path.suffix == ".svg":
            write_whole(path, f'<?xml version="1.0" encoding="utf-8"?>\n{self.svg}\n')
        elif path.suffix == ".png":
            from reports.plots.figure import png

            write_whole(path, png(self.figure))
        else:
            raise InvalidInput(
                f"file: pictures are {' or '.join(SUFFIXES)}, not {excerpt(str(file))}"
            )
        return path

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"Picture(title={self.title!r}, words={self.words!r})"
