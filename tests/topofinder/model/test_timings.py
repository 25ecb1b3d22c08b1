"""Tables of timings: what is written is read, and what cannot be is refused in one line."""

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from expansions.collective import Collective
from generators.errors import InvalidInput
from topofinder.model.timings import (
    Timing,
    bus_factor,
    parse_timings,
    read_timings,
    timings_text,
    write_timings,
)

HEAD = "collective,ranks,bytes,steps,bandwidth,seconds\n"
seconds = st.floats(0, 1e9, allow_nan=False)
texts = st.text(st.characters(blacklist_categories=("Cs", "Cc")), max_size=20)
timings = st.builds(
    Timing,
    collective=st.sampled_from(Collective),
    ranks=st.integers(1, 2**20),
    bytes=st.integers(0, 2**48),
    steps=st.integers(0, 999),
    bandwidth=st.fractions(0, 99, max_denominator=999),
    seconds=seconds,
    least=seconds,
    schedule=texts,
    wrong=st.integers(0, 9),
    library_seconds=st.none() | seconds,
)


@given(st.lists(timings, max_size=5))
def test_what_is_written_is_read(offered: list[Timing]) -> None:
    assert parse_timings(timings_text(offered).splitlines(keepends=True)) == offered


def test_files_are_written_whole(tmp_path: Path) -> None:
    one = Timing(collective=Collective.REDUCE, ranks=2, bytes=8, steps=1, bandwidth=Fraction(1),
                 seconds=0.5, least=0.25)  # fmt: skip
    write_timings([one], tmp_path / "a.csv")
    assert read_timings(tmp_path / "a.csv") == [one]
    with pytest.raises(InvalidInput, match=r"a\.txt: timings are written to a \.csv"):
        write_timings([one], tmp_path / "a.txt")


def test_columns_by_hand_may_be_few() -> None:
    (one,) = parse_timings(["seconds,bytes,ranks,collective,steps,bandwidth\n",
                            "1e-3,1024,4,allreduce,6,3/2\n"])  # fmt: skip
    assert (one.least, one.bandwidth, one.library_seconds) == (1e-3, Fraction(3, 2), None)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "line 1: there is no column collective"),
        ("collective,ranks\nallreduce,4\n", "line 1: there is no column bytes"),
        (HEAD.replace("ranks", "hosts"), "line 1: no column 'hosts'"),
        (HEAD.replace("ranks", "ranks,ranks"), "line 1: no column 'ranks' is known, or it comes"),
        (HEAD + "allreduce,4,8\n", "line 2: 3 values for 6 columns"),
        (HEAD + "allsum,4,8,1,1,1\n", "line 2: collective cannot be 'allsum'"),
        (HEAD + "allreduce,0,8,1,1,1\n", "line 2: ranks cannot be '0'"),
        (HEAD + "allreduce,4,-8,1,1,1\n", "line 2: bytes cannot be '-8'"),
        (HEAD + "allreduce,4,8,1,1/0,1\n", "line 2: bandwidth cannot be '1/0'"),
        (HEAD + "allreduce,4,8,1,1e999999999,1\n", "line 2: bandwidth cannot be '1e999999999'"),
        (HEAD + "allreduce,4,8,1,1,nan\n", "line 2: seconds cannot be 'nan'"),
        (HEAD + "allreduce,4,8,1,1,inf\n", "line 2: seconds cannot be 'inf'"),
        (HEAD + "allreduce,4,8,1,1,-1\n", "line 2: seconds cannot be '-1'"),
        (HEAD + f"allreduce,4,{'9' * 5000},1,1,1\n", "line 2: bytes cannot be '999"),
        (HEAD + '"allreduce,4\n', "line "),
        (HEAD + "allreduce,4,8,1,1,\n", "line 2: seconds cannot be ''"),
        (HEAD + "allreduce,4,8,1,1,\x1b[2J\n", r"line 2: seconds cannot be '\\x1b"),
    ],
)
def test_what_is_no_table_is_refused(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(InvalidInput, match=rf"a\.csv: {complaint}") as raised:
        read_timings(tmp_path / "a.csv")
    assert "\n" not in str(raised.value)


def test_bus_factors_are_those_of_nccl_tests() -> None:
    assert bus_factor(Collective.ALLREDUCE, 8) == Fraction(7, 4)
    assert bus_factor(Collective.ALLGATHER, 8) == bus_factor(Collective.REDUCE_SCATTER, 8)
    assert bus_factor(Collective.ALLTOALL, 8) == Fraction(7, 8)
    assert bus_factor(Collective.REDUCE, 8) == 1
