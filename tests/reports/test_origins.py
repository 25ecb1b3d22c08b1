"""What is said of where a recipe comes from, above all of those that ship."""

from pathlib import Path

import pytest

from expansions.parser import parse
from generators.searched_graphs import all_searched_lines
from reports.origins import Origin, origin_of, without_shipped
from tests.command import ran

SHIPPED = [line.split(" ", 8)[-1] for line in all_searched_lines()][::67]
GRAFTS = [text for text in SHIPPED if "Graft(" in text]


@pytest.mark.parametrize("form", ["{}", "T({})", "L({})", "L(T({})) x K(4)"])
def test_what_ships_is_of_the_catalogue_however_it_is_expanded(form: str) -> None:
    for text in SHIPPED:
        if not text.startswith(("SplitOff", "Match")):  # a port is free: no line graph, no product
            assert origin_of(str(parse(form.format(text)))) is Origin.CATALOGUE
        assert origin_of(text) is Origin.CATALOGUE


def test_other_grafts_and_what_stands_beside_are_found_by_effort() -> None:
    first = GRAFTS[0]
    assert origin_of("Graft(K(5);-4.7)") is Origin.EFFORT
    assert origin_of(f"{first} x Graft(K(5);-4.7)") is Origin.EFFORT
    assert origin_of(f"{first} x Lift(Z5;0:1,1:0|1:2)") is Origin.EFFORT
    assert origin_of(first, {"Cay(Z5;1,2)"}) is Origin.CATALOGUE
    assert without_shipped("L^2(K(4,4))") == "L^2(K(4,4))"


def test_a_search_without_effort_says_of_no_graph_that_effort_found_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    told = ran(capsys, "search", "--n", 89, "--d", 4, "--effort", 0, "--db", tmp_path / "a.db")
    assert told.code == 0
    assert "Graft(" in told.out
    assert "search effort" not in told.out
