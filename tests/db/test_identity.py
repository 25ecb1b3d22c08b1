import hashlib
import json

from hypothesis import given
from hypothesis import strategies as st

from db.identity import candidate_id, identity_text
from tests.db.sizes import candidate


def test_the_hashed_text_is_the_documented_one() -> None:
    written = '{"format":1,"links":"simplex","method":"bfb","recipe":"L^3(C(16,{3,4}))"}'
    assert identity_text("L^3(C(16,{3,4}))", "simplex", "bfb") == written
    digest = hashlib.sha256(written.encode()).hexdigest()
    assert candidate_id("L^3(C(16,{3,4}))", "simplex", "bfb") == digest[:32]


@given(st.permutations(["recipe", "links", "method", "format"]))
def test_no_order_of_keys_matters(keys: list[str]) -> None:
    values = {"recipe": "K(4,4)", "links": "duplex", "method": "bfb", "format": 1}
    shuffled = json.dumps({key: values[key] for key in keys})
    again = json.dumps(json.loads(shuffled), sort_keys=True, separators=(",", ":"))
    assert hashlib.sha256(again.encode()).hexdigest()[:32] == candidate_id(
        method="bfb", links="duplex", recipe="K(4,4)"
    )


def test_the_identity_hears_what_defines_a_candidate_and_nothing_else() -> None:
    row = candidate()
    assert candidate(steps=9, engine=2, facts={"girth": 3}).id == row.id
    others = {candidate(**{key: value}).id for key, value in (
        ("recipe", "K(8)"), ("links", "simplex"), ("method", "synthesis"),
    )}  # fmt: skip
    assert len(others | {row.id}) == 4
