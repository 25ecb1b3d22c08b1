"""How many trees a forest may have, from the options `--k`, `--loss` and `--prefer`."""

from fractions import Fraction

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.formats.quantities import exact
from topofinder.forests.few_trees.pack import Preference, TreeAim

OPTIMAL = "optimal"
DEFAULT_LOSS = Fraction(1, 1000)
"""What the smallest k may lose, unless told, where that of the optimum is above MANY."""
PREFERRED_LOSS = Fraction(1, 200)
"""The same where few trees or low ones are preferred."""
MANY = 32


def read_tree_aim(
    k: int | str | None = None, loss: str | float | None = None, prefer: str | None = None
) -> TreeAim:
    """What `--k`, `--loss` and `--prefer` ask for.

    >>> read_tree_aim(loss="0.5%").loss, read_tree_aim("optimal").loss, read_tree_aim().above
    (Fraction(1, 200), Fraction(0, 1), 32)
    """
    wanted = None if prefer is None else _preference(prefer)
    if k is not None and loss is not None:
        raise InvalidInput("--k and --loss exclude each other")
    if k is not None and k != OPTIMAL:
        return TreeAim(k=_tree_count(k), prefer=wanted)
    if k == OPTIMAL:
        return TreeAim(prefer=wanted)
    if loss is not None:
        return TreeAim(loss=read_loss(loss), prefer=wanted)
    if wanted is not None:
        return TreeAim(loss=PREFERRED_LOSS, prefer=wanted)
    return TreeAim(loss=DEFAULT_LOSS, above=MANY)


def _tree_count(k: int | str) -> int:
    text = str(k)
    if isinstance(k, bool) or not (text.isascii() and text.isdecimal()) or len(text) > 20:
        raise InvalidInput(f"--k: a number of trees a root, or {OPTIMAL}, not {excerpt(text)}")
    return int(text)


def _preference(text: str) -> Preference:
    if text not in set(Preference):
        raise InvalidInput(f"--prefer: {' or '.join(Preference)}, not {excerpt(str(text))}")
    return Preference(text)


def read_loss(text: str | float) -> Fraction:
    """A part that may be lost, from a number up to 1 or a percentage; raises InvalidInput.

    >>> read_loss("1.5%"), read_loss(0.25)
    (Fraction(3, 200), Fraction(1, 4))
    """
    number = str(text).strip()
    percent = number.endswith("%")
    value = exact("--loss", number.removesuffix("%").strip(), zero=True)
    if value > 1 and not percent:
        raise InvalidInput(f"--loss: a part from 0 to 1, or such as 5%, not {excerpt(number)}")
    return value / 100 if percent else value
