"""The facts of one recipe as text and as JSON, from rows made by hand."""

from fractions import Fraction

from expansions.cost import Cost
from reports.recipe import RecipeFacts, recipe_fields, recipe_text
from tests.reports.test_frontier import row


def facts(**changes: object) -> RecipeFacts:
    values: dict[str, object] = {
        "recipe": "UniRing(1,4)",
        "n": 4,
        "d": 1,
        "links": "simplex",
        "bound": Cost(3, Fraction(3, 4)),
        "diameter": 3,
        "schedules": (
            row(bandwidth=Fraction(3, 2)),
            row(method="synthesis", steps=5, bandwidth_optimal=True),
        ),
        "properties": {"regular": True, "two-way": False, "vertex-transitive": None},
    }
    return RecipeFacts(**values | changes)


def test_text() -> None:
    assert recipe_text(facts()).splitlines() == [
        "UniRing(1,4)",
        "  nodes 4, degree 1, diameter 3, simplex links",
        "  regular, not two-way, vertex-transitive: unknown",
        "  lower bounds: T_L 3 alpha, T_B 3/4 M/B (Moore bound; theorem 4)",
        "",
        "T_L  T_B    T_B exact  over T_L*  T_B/T_B*  RS T_L  RS T_B  cost   by",
        "---  -----  ---------  ---------  --------  ------  ------  -----  ---------",
        "  3  1.500        3/2          0     2.000       4   1.250  exact  bfb",
        "  5  0.750        3/4          2     1.000       4   1.250  exact  synthesis",
    ]


def test_what_is_not_known_is_told_to_be_unknown() -> None:
    unknown = facts(properties={"two-way": None}, links=None, diameter=None)
    lines = recipe_text(unknown).splitlines()
    assert lines[1] == "  nodes 4, degree 1, diameter not known, links unknown"
    assert lines[2] == "  two-way: unknown"
    assert recipe_fields(unknown)["links"] is None


def test_json_leads_with_the_schedule_of_least_bandwidth() -> None:
    found = recipe_fields(facts())
    assert (found["steps"], found["bandwidth"], found["method"]) == (5, "3/4", "synthesis")
    assert found["bandwidth_optimal"] is True
    assert found["moore_optimal"] is None
    sources = {"steps_source": "Moore bound", "bandwidth_source": "theorem 4"}
    assert found["bound"] == {"steps": 3, "bandwidth": "3/4"} | sources
    assert [schedule["bandwidth"] for schedule in found["schedules"]] == ["3/2", "3/4"]
    assert found["properties"] == facts().properties
