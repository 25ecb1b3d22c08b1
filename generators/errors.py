"""The one exception base, and the two kinds of failure a caller can tell apart."""

from generators.excerpts import bound_message


class TopofinderError(Exception):
    """Base of everything topofinder raises on purpose."""

    def __init__(self, message: str = "") -> None:
        super().__init__(bound_message(message))


class InvalidInput(TopofinderError, ValueError):  # noqa: N818 - reads as the sentence it prints
    """What was offered cannot be used; the message names the field and the offered value."""


class Unsupported(TopofinderError, RuntimeError):  # noqa: N818
    """The input is sound, but no method that is implemented answers the question."""
