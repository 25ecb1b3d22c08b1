import pickle
from dataclasses import FrozenInstanceError, replace
from fractions import Fraction

import pytest

from db.rows import FrontierRow, SizeRow
from expansions.cost import Cost
from generators.errors import InvalidInput
from tests.db.sizes import candidate, size


def test_costs_of_a_candidate() -> None:
    row = candidate(steps=2, bandwidth=Fraction(3, 4), rs_steps=3, rs_bandwidth=Fraction(7, 8))
    assert row.allgather == Cost(2, Fraction(3, 4))
    assert row.reduce_scatter == Cost(3, Fraction(7, 8))
    assert row.allreduce == Cost(5, Fraction(13, 8))


def test_rows_are_frozen_hashable_and_can_be_sent_to_another_process() -> None:
    row = candidate(facts={"girth": 4})
    with pytest.raises(FrozenInstanceError):
        row.n = 3  # type: ignore[misc]
    assert hash(row) == hash(candidate(facts={"girth": 4}))
    assert pickle.loads(pickle.dumps(size())) == size()


def test_who_wrote_a_row_and_when_is_no_part_of_what_it_says() -> None:
    assert candidate(version="0.0.1", created=None) == candidate()
    assert candidate(facts={"girth": 4}) != candidate()


def test_facts_are_a_copy() -> None:
    facts = {"girth": [4]}
    row = candidate(facts=facts)
    facts["girth"].append(5)
    assert row.facts == {"girth": [4]}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *[("n", 0), ("d", 0), ("n", "8"), ("links", "both"), ("links", None), ("steps", -1)],
        *[("steps", None), ("bandwidth", 0.5), ("rs_bandwidth", None), ("exact", None)],
        *[("diameter", 1.5), ("family", 3), ("facts", None), ("engine", 2**70), ("recipe", None)],
    ],
)
def test_candidates_refuse_nonsense(field: str, value: object) -> None:
    with pytest.raises(InvalidInput, match=field):
        replace(candidate(), **{field: value})


def test_a_size_holds_only_candidates_of_its_own() -> None:
    with pytest.raises(InvalidInput, match=r"frontier: d is 2, not 3 of Pi\(3,8\)\*1"):
        size(members=(candidate(d=3),))
    with pytest.raises(InvalidInput, match="frontier: engine is 1, not 2"):
        size(members=(candidate(engine=2),))
    with pytest.raises(InvalidInput, match="pool: links is duplex, not simplex"):
        SizeRow(frontier=size().frontier, pool=(candidate(links="simplex"),))
    with pytest.raises(InvalidInput, match=r"Pi\(2,8\)\*1 by bfb is listed twice"):
        SizeRow(frontier=size().frontier, pool=(candidate(), candidate(steps=9)))


def test_members_become_a_tuple() -> None:
    listed = FrontierRow(
        n=8, d=2, links="duplex", engine=1, bound_steps=2, bound_bandwidth=1, members=[candidate()]
    )  # fmt: skip
    assert listed.members == (candidate(),)
    assert listed.bound_bandwidth == Fraction(1)
