"""Groups that good Cayley digraphs are known on are listed early, whatever text they have."""

import pytest

from generators.cayley.notation import parse_group
from topofinder.discovery.group_types import TYPES
from topofinder.discovery.groups import groups_of
from topofinder.discovery.multiplication_table import group_fingerprint, multiplication_columns

EARLY = 60

WINNERS = {
    "A4xZ15": "A4 and a cyclic group",
    "S4xZ8": "S4 and a cyclic group",
    "A5xZ4": "A5 and a cyclic group",
    "S5xZ3": "S5 and a cyclic group",
    "A4xA4": "two of A4",
    "P[(0,1,2,3,4,5,6),(0,7)(1,6)(2,3)(4,5)]": "PSL(2,7)",
    "P[(0,1)(2,3)(4,5)(6,7),(1,2,4,3,6,7,5),(0,8)(2,5)(3,6)(4,7)]": "PSL(2,8)",
    "Z2^3:Z7[(0,1,0),(0,0,1),(1,1,0)]xZ4": "AGL(1,8) and a cyclic group",
    "Z2^4:Z15[(0,1,0,0),(0,0,1,0),(0,0,0,1),(1,1,0,0)]": "AGL(1,16)",
    "Z3^2:Z8[(0,1),(1,1)]": "AGL(1,9)",
    "Z5^2:Z24[(0,1),(3,1)]": "AGL(1,25)",
    "Z3^2:Dic2[(1,1),(1,2)|(0,2),(1,0)]": "Z3^2 and the quaternions",
    "S6": "S6",
    "Z5^2:(Dic2:Z3[(0,1),(1,1)])[(2,0),(3,3)|(4,3),(1,1)|(3,4),(3,1)]": "Z5^2:SL(2,3)",
}


@pytest.mark.parametrize("text", WINNERS, ids=WINNERS.values())
def test_types_that_win_are_early(text: str) -> None:
    group = parse_group(text)
    mark = group_fingerprint(multiplication_columns(group))
    assert any(
        group_fingerprint(multiplication_columns(parse_group(other))) == mark
        for other in groups_of(group.order, EARLY)
    )


def test_types_are_groups_of_their_order_in_canonical_words() -> None:
    for order, texts in TYPES.items():
        prints = set()
        for text in texts:
            group = parse_group(text)
            assert (group.order, str(group), group.is_abelian) == (order, text, False)
            prints.add(group_fingerprint(multiplication_columns(group)))
        assert len(prints) == len(texts)
