from fractions import Fraction

import pytest

from db.discovery_rows import FindRow
from db.query_rows import MatchRow
from db.rows import CandidateRow
from expansions.collective_costs import CountedCosts, TwoPhaseAllreduce
from expansions.cost import Cost
from reports.plan import ChoiceRow
from topofinder.api.plan_jobs_wirings import JobWiring
from topofinder.model.candidate import Candidate
from topofinder.patching.degraded import DegradedChoice

COUNTED = [CandidateRow, FindRow, MatchRow]
COSTED = [Candidate, ChoiceRow, DegradedChoice, JobWiring]


@pytest.mark.parametrize("kind", COUNTED + COSTED)
def test_rows_and_choices_say_in_one_place_what_collectives_cost(kind: type) -> None:
    own = {"allreduce"} | ({"allgather", "reduce_scatter"} if kind in COUNTED else set())
    assert issubclass(kind, CountedCosts if kind in COUNTED else TwoPhaseAllreduce)
    assert not own & set(vars(kind))


def test_a_match_is_a_tuple_with_costs() -> None:
    names = dict.fromkeys(MatchRow._fields)
    half = Fraction(1, 2)
    counted = {"steps": 2, "bandwidth": half, "rs_steps": 3, "rs_bandwidth": 3 * half}
    row = MatchRow(**(names | counted))
    assert MatchRow._make(tuple(row)) == row
    assert type(MatchRow._make(row)) is MatchRow
    assert (row.allgather, row.reduce_scatter) == (Cost(2, half), Cost(3, 3 * half))
    assert row.allreduce == Cost(5, 4 * half)


def test_a_find_has_as_many_steps_both_ways() -> None:
    row = FindRow(
        **dict.fromkeys(("recipe", "base"), "Cay(Z3;1,1)"),
        **dict.fromkeys(("bandwidth", "rs_bandwidth"), Fraction(2, 3)),
        **{"links": "simplex", "n": 3, "d": 2, "steps": 2, "seed": 0, "trials": 1},
    )
    assert row.rs_steps == 2
    assert row.allreduce == Cost(4, Fraction(4, 3))
