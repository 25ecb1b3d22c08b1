"""What every function of `topofinder` returns: an answer that prints, shows and exports itself.

A command's text and its JSON are made here alone: the command line prints `str(answer)`, or with
`--json` what `to_json` makes of `to_dict`.
"""

import json
from abc import ABC, abstractmethod
from typing import Any

from generators.errors import Unsupported
from reports.notebook import html_table
from reports.plots.picture import Picture


class Answer(ABC):
    """The answer to a command.

    `str` of it is what the command prints, `to_dict` what its `--json` prints, `repr` one short
    line; notebooks show `table_rows`, one dict a line, as a table.
    """

    __slots__ = ()

    @abstractmethod
    def to_dict(self) -> Any:
        """What the command's `--json` prints: fractions are strings, times are seconds."""

    @abstractmethod
    def __str__(self) -> str:
        """What the command prints for a person."""

    @abstractmethod
    def summary(self) -> dict[str, Any]:
        """The few fields that `repr` shows."""

    def table_rows(self) -> list[dict[str, Any]]:
        """The answer as a table; here its fields that hold one value."""
        fields = self.to_dict().items()
        return [
            {"field": name, "value": value}
            for name, value in fields
            if not isinstance(value, dict | list)
        ]

    def plot(self, view: str | None = None) -> Picture:
        """The answer as a picture, in one of its views; see `draw`.

        Raises Unsupported where there is none, InvalidInput for a view that it has not.
        """
        from topofinder.api.shared.drawings import picture_of

        return picture_of(self._drawn_noun(), view)

    def _drawn_noun(self) -> object:
        """What `plot` shows."""
        raise Unsupported(f"plot: there is no picture of a {type(self).__name__}")

    def to_json(self) -> str:
        """The text that the command's `--json` prints."""
        return json.dumps(self.to_dict(), indent=2)

    def __repr__(self) -> str:
        told = ", ".join(f"{name}={value!r}" for name, value in self.summary().items())
        return f"{type(self).__name__}({told})"

    def _repr_html_(self) -> str:
        return html_table(repr(self), self.table_rows())
