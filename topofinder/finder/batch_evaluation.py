"""What BFB costs on many base graphs: families with closed forms in one kernel call for all.

The others are built and evaluated one by one.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from expansions.recipe import Base
from topofinder.finder.base_candidates import evaluate_both
from topofinder.finder.base_scope import base_properties
from topofinder.schedules.bfb.cayley import evaluate_circulants
from topofinder.schedules.bfb.evaluation import Pair
from topofinder.schedules.bfb.kautz import evaluate_kautz, is_costed_without_graph


def evaluate_all(bases: Iterable[Base]) -> list[tuple[Base, Pair]]:
    """Each base graph with its evaluation and that of its transpose, in the order given.

    >>> from expansions.parser import parse
    >>> [(base, (forth, back))] = evaluate_all([parse("Pi(2,5)")])
    >>> forth.cost, back.cost
    (Cost(steps=3, bandwidth=Fraction(8, 5)), Cost(steps=3, bandwidth=Fraction(8, 5)))
    """
    asked = list(bases)
    found: dict[Base, Pair] = {}
    for name, evaluate in _BATCHES.items():
        fit = [base for base in asked if base.name == name and _fits(base)]
        found.update(zip(fit, evaluate([base.arguments for base in fit]), strict=True))
    for base in asked:
        if base not in found:
            found[base] = evaluate_both(base, bool(base_properties(base).reverse_symmetric))
    return [(base, found[base]) for base in asked]


def _circulant_pairs(graphs: Sequence[Any]) -> list[Pair]:
    return [(found, found) for found in evaluate_circulants(graphs)]


def _fits(base: Base) -> bool:
    arguments: Any = base.arguments
    return base.name != "Pi" or is_costed_without_graph(*arguments)


_BATCHES: dict[str, Callable[[Sequence[Any]], list[Pair]]] = {
    "Pi": evaluate_kautz,
    "C": _circulant_pairs,
}
