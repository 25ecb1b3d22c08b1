"""Base graphs evaluated together cost what each costs alone, and come back in order."""

from expansions.parser import parse
from expansions.recipe import Base
from topofinder.finder.base_candidates import evaluate_both
from topofinder.finder.base_scope import base_properties
from topofinder.finder.batch_evaluation import evaluate_all
from topofinder.schedules.bfb.evaluation import Pair

TEXTS = (
    *("Pi(4,5)", "C(16,{3,4})", "Pi(4,30)", "Small(4,16)", "Pi(1,2)", "C(30,{1,4,11})"),
    *("Pi(8,75)", "DBJ(2,3)", "C(10,{2,5})", "Pi(2,12)", "Pi(2,13)"),
)


def contents(pair: Pair) -> list[tuple[object, ...]]:
    """All that two evaluations say, loads as ratios."""
    return [(one.n, one.d, one.loads, one.line_exact, one.cycle) for one in pair]


def test_together_as_alone() -> None:
    bases = [base for text in TEXTS if isinstance(base := parse(text), Base)]
    assert len(bases) == len(TEXTS)
    found = evaluate_all(iter(bases))
    assert [base for base, _ in found] == bases
    for base, pair in found:
        symmetric = bool(base_properties(base).reverse_symmetric)
        assert contents(pair) == contents(evaluate_both(base, symmetric))
