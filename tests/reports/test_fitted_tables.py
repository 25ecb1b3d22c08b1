"""Tables that fit: rows keep their cells, whatever is left out, and other text stays."""

from hypothesis import given
from hypothesis import strategies as st

from reports.fitted_tables import fit_tables
from reports.text import table

CELL = st.text("ab(),{}19", min_size=1, max_size=9)
HEADS = ["T_L", "T_B", "over T_L*", "cost", "recipe"]


@given(st.lists(st.lists(CELL, min_size=5, max_size=5), max_size=4), st.integers(5, 60))
def test_a_narrow_table_is_that_of_the_columns_that_stay(rows: list[list[str]], width: int) -> None:
    before, after = "N = 4, d = 2: a line  with gaps", "Best: K(4), 3 us"
    whole = table(HEADS, rows)
    shown, left = fit_tables(f"{before}\n\n{whole}\n\n{after}", width)
    kept = [place for place, head in enumerate(HEADS) if head not in left]
    assert kept[0] == 0
    assert kept[-1] == len(HEADS) - 1
    assert kept[:-1] == list(range(len(kept) - 1)), "columns go from the right"
    narrow = table(
        [HEADS[place] for place in kept], [[row[place] for place in kept] for row in rows]
    )
    aligned = [line.rstrip() for line in narrow.split("\n")]
    assert [line.split() for line in shown.split("\n\n")[1].split("\n")] == [
        line.split() for line in aligned
    ]
    assert shown.startswith(f"{before}\n\n")
    assert shown.endswith(f"\n\n{after}")
    wide = max(map(len, shown.split("\n\n")[1].split("\n")[:2]))
    assert wide <= width or len(kept) == 2
    if left:
        fuller = [*kept[:-1], kept[-1] - (len(HEADS) - len(kept)), kept[-1]]
        rule = whole.split("\n")[1].split("  ")
        assert sum(len(rule[place]) + 2 for place in fuller) - 2 > width, "no more than needed"


def test_units_and_captions_are_told_apart() -> None:
    told = "What is told  of it\n" + table(
        ["T_L", "T_B", "recipe"], [["3", "1", "K(4)"]], ["a", "b", ""]
    )
    shown, left = fit_tables(told, 14)
    assert left == ["T_B b"]
    assert shown.split("\n")[:3] == ["What is told  of it", "T_L  recipe", "a"]
