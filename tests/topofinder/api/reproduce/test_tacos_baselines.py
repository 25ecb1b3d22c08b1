"""Our baselines beside the figures that TACOS prints of its own."""

from fractions import Fraction

from topofinder.api.reproduce.tacos_baselines import figure2a_rows, table5_rows


def test_figure_2a() -> None:
    ring, full = figure2a_rows()
    assert round(float(ring.ours[0]), 2) == ring.published == 16.71
    # The paper's is within 1 % of that of a ring that goes one way only.
    assert abs(2 * float(full.ours[0]) / 62.63 - 1) < 0.01


def test_table_5_has_rows_of_fabrics_that_are_given() -> None:
    rows = table5_rows({"RFS(2,4,2)": Fraction(1, 200)})
    assert {row.quantity.split(",")[0] for row in rows} == {
        "taccl", "ring", "halving", "direct", "ideal",
    }  # fmt: skip
    assert next(row for row in rows if row.quantity.startswith("taccl")).difference is None
    assert {row.subject for row in rows} == {"RFS(2,4,2)"}
    ideal = next(row for row in rows if row.quantity.startswith("ideal"))
    assert ideal.ours[0] == (Fraction(2 * 15, 16 * 550) + Fraction(3, 2 * 10**6)) * 200
