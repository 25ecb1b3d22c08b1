"""Evaluations that ship with topofinder: a search neither builds nor evaluates these graphs."""

from expansions.recipe import Base
from generators.cayley.catalogue import look_up
from topofinder.schedules.bfb.evaluation import Evaluation


def shipped_pair(base: Base) -> tuple[Evaluation, Evaluation] | None:
    """What BFB costs on a Cayley digraph of the catalogue and its transpose; None for others.

    >>> from expansions.parser import parse
    >>> shipped_pair(parse("K(4)")) is None
    True
    """
    if base.name != "Cay":
        return None
    group, *generators = base.arguments
    found = look_up(str(group), generators)
    if found is None:
        return None
    forth, back = (
        Evaluation(
            n=found.n,
            d=found.d,
            shards=loads,
            links=(found.unit,) * len(loads),
            line_exact=found.line_exact,
            cycle=found.cycle,
        )
        for loads in (found.forth, found.back)
    )
    return forth, back
