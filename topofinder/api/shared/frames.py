"""Answers as data frames, where pandas is installed."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from generators.errors import Unsupported

if TYPE_CHECKING:
    from pandas import DataFrame

MISSING = "data frames need pandas: pip install 'topofinder[pandas]'"


def data_frame(columns: Mapping[str, Sequence[Any]]) -> "DataFrame":
    """A data frame of these columns. Raises Unsupported where pandas is not installed."""
    try:
        from pandas import DataFrame
    except ImportError:
        raise Unsupported(MISSING) from None
    return DataFrame(dict(columns))
