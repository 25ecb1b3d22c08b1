"""What a search says of a workload: choices for expert parallelism, and their times."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from db.rows import CandidateRow, FrontierRow, SizeRow
from tests.rated import EXCHANGES, ROWS, Known, row, small, span
from topofinder.api.search_records import best_with_exchanges, frontier_times


@given(st.lists(st.tuples(small, small, small, small), min_size=1, max_size=7), st.booleans())
def test_the_best_choice_for_experts(costs: list, loose: bool) -> None:
    rows = [row(str(i), s, Fraction(b)) for i, (s, b, _, _) in enumerate(costs)]
    spans = {str(i): span(1 + low, 1 + low + wide) for i, (_, _, low, wide) in enumerate(costs)}

    def certain(one: CandidateRow) -> Fraction:
        return EXCHANGES.seconds(one) + EXCHANGES.exchange_seconds(8, 2, spans[one.recipe].lower)

    best = best_with_exchanges(EXCHANGES, rows, Known(spans, hops=Fraction(int(loose))))
    assert certain(best) == min(map(certain, rows))


def test_times_tell_of_exchanges() -> None:
    frontier = FrontierRow(
        n=8, d=2, links="simplex", engine=1, bound_steps=3, bound_bandwidth=Fraction(7, 8),
        members=(ROWS[0],),
    )  # fmt: skip
    known = Known({"few": span("0.25", "0.5"), "wide": span(8)})
    found = frontier_times(SizeRow(frontier=frontier), EXCHANGES, known, extra_candidates=[ROWS[2]])
    assert found.member_exchanges == ((Fraction(14), Fraction(28)),)
    assert found.best == ROWS[2]
    assert found.best_exchange == (Fraction(7, 8), Fraction(7, 8))
