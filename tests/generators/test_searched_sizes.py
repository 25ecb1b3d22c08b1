"""Sizes that were gone through: the file's ranges, and who is in them."""

from hypothesis import given
from hypothesis import strategies as st

from generators.searched_sizes import all_sizes, are_finds_shipped, join_ranges, searched_ranges


def test_the_ranges_of_the_file_are_in_order_and_apart() -> None:
    for firsts, lasts in searched_ranges().values():
        assert all(one <= other for one, other in zip(firsts, lasts, strict=True))
        assert all(last + 1 < first for last, first in zip(lasts, firsts[1:], strict=False))


def test_a_size_counts_if_it_is_listed() -> None:
    listed = set(all_sizes())
    assert listed
    d, links = next(iter(searched_ranges()))
    for n in range(1, 2100):
        assert are_finds_shipped(n, d, links) == ((n, d, links) in listed)
    assert not are_finds_shipped(100, 99, "simplex")


@given(st.sets(st.integers(2, 60), min_size=1))
def test_ranges_say_what_was_joined(sizes: set[int]) -> None:
    found = set[int]()
    for one in join_ranges(sorted(sizes)).split(" "):
        first, _, last = one.partition("-")
        found |= set(range(int(first), int(last or first) + 1))
    assert found == sizes
