"""The multiplication table of a group as right multiplications, and what tells groups apart."""

from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from generators.cayley.group import Group
from generators.memory import require_memory
from generators.topology import Int64Array
from topofinder.discovery.table_kernels import colour_elements, multiply_out, refine_elements

WORD = 64
"""Elements of the largest group whose sets are words."""

GroupColumns = NDArray[np.int16]


class GroupTable(NamedTuple):
    """A group as the search reads it: `columns[s, x]` is x s, `inverse[s]` the inverse of s.

    `words` are those of `product_words`.
    """

    columns: GroupColumns
    inverse: Int64Array
    words: NDArray[np.uint64] | None


def group_table(group: Group) -> GroupTable:
    """A group as the search reads it."""
    columns = multiplication_columns(group)
    return GroupTable(columns, group_inverses(columns), product_words(columns))


def multiplication_columns(group: Group) -> GroupColumns:
    """`[s, x]` is x s; int16 of shape (order, order), for orders below 2^15.

    Rows of the standard generators are multiplied out along words, one gather a row.

    >>> from generators.cayley.notation import parse_group
    >>> multiplication_columns(parse_group("Z4"))[3].tolist()
    [3, 0, 1, 2]
    """
    require_memory(f"discover: the table of a group of order {group.order}", 8 * group.order**2)
    own = np.array([group.times(s) for s in group.generators], dtype=np.int16)
    table = np.empty((group.order, group.order), dtype=np.int16)
    multiply_out(own, table)
    return table


def group_inverses(columns: GroupColumns) -> Int64Array:
    """The inverse of every element; shape (order,)."""
    found: Int64Array = np.argmin(columns, axis=1).astype(np.int64)
    return found


def product_words(columns: GroupColumns) -> NDArray[np.uint64] | None:
    """`[s, k, b]` holds bit x s for every x that is a bit of b << 8 k; None above 64 elements.

    Shape (order, bytes of an element's bit, 256); made by doubling, bit after bit of b.

    >>> from generators.cayley.notation import parse_group
    >>> words = product_words(multiplication_columns(parse_group("Z4")))
    >>> words.shape, bin(words[3, 0, 0b0101])
    ((4, 1, 256), '0b1010')
    """
    order = len(columns)
    if order > WORD:
        return None
    bits = np.zeros((order, -(-order // 8), 8), np.uint64)
    bits.reshape(order, -1)[:, :order] = np.uint64(1) << columns.astype(np.uint64)
    words = np.zeros((*bits.shape[:2], 256), np.uint64)
    for bit in range(8):
        least = 1 << bit
        words[:, :, least : 2 * least] = words[:, :, :least] | bits[:, :, bit : bit + 1]
    return words


def group_fingerprint(columns: GroupColumns) -> bytes:
    """A digest that isomorphic groups share and others seldom do.

    Elements are coloured by order, size of the centralizer and number of square and cube roots;
    then twice each colour is refined by the pairs of colours of y and x y over all y.

    >>> from generators.cayley.notation import parse_group
    >>> texts = ("Z8", "Z4xZ2", "D4", "Dic2", "Z4:Z2[3]")
    >>> prints = [group_fingerprint(multiplication_columns(parse_group(text))) for text in texts]
    >>> len(set(prints)), prints[2] == prints[4]
    (4, True)
    """
    colours = colour_elements(columns)
    for _ in range(2):
        colours = refine_elements(columns, colours)
    return blake2b(np.sort(colours).tobytes(), digest_size=16).digest()
