"""Which routes through switches the trees of a forest may take."""

from enum import StrEnum

from generators.errors import InvalidInput
from generators.excerpts import excerpt


class Routing(StrEnum):
    """`any` route; `shortest` ones only; `updown`: none goes up again once it has come down."""

    ANY = "any"
    SHORTEST = "shortest"
    UPDOWN = "updown"


def read_routing(text: str | None) -> Routing | None:
    """The routing of that name; None for None.

    Raises InvalidInput for another name.

    >>> read_routing("updown"), read_routing(None)
    (<Routing.UPDOWN: 'updown'>, None)
    """
    if text is None:
        return None
    if text not in list(Routing):
        known = ", ".join(Routing)
        raise InvalidInput(f"--routing: one of {known} is needed, not {excerpt(text)}")
    return Routing(text)
