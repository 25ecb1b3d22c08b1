"""Isomorphisms from a graph to its transpose that were found, so that nobody seeks them again."""

import sqlite3
import struct
from collections.abc import Sequence

from db.reading import rows
from db.values import text
from generators.errors import InvalidInput
from generators.version import __version__

MAX_BYTES = 4 << 20
"""No image is longer: a topology has at most 2**20 nodes."""


def write_reversal(
    connection: sqlite3.Connection,
    topology: str,
    recipe: str | None,
    image: Sequence[int],
    created: str,
) -> None:
    """Store the image of every node, little-endian and 4 bytes each, with the graph's hash."""
    record = {
        "topology": text("topology", topology),
        "recipe": None if recipe is None else text("recipe", recipe),
        "n": len(image),
        "image": struct.pack(f"<{len(image)}i", *image),
        "version": __version__,
        "created": created,
    }
    names, values = ", ".join(record), ", ".join(f":{name}" for name in record)
    connection.execute(f"INSERT OR REPLACE INTO reversals ({names}) VALUES ({values})", record)


def read_reversal(connection: sqlite3.Connection, topology: str) -> list[int] | None:
    """The stored image of every node of the graph with that hash, None where none is stored.

    Raises InvalidInput for what is no list of 4-byte numbers; whether it is an isomorphism is
    for the reader to check.
    """
    query = "SELECT n, image FROM reversals WHERE topology = ?"
    for row in rows(connection, query, (topology,)):
        image = row["image"]
        if not isinstance(image, bytes) or len(image) > MAX_BYTES or len(image) != 4 * row["n"]:
            raise InvalidInput(f"reversals: the image of {topology} is damaged")
        return list(struct.unpack(f"<{row['n']}i", image))
    return None
