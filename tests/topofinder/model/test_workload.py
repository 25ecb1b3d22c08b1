"""Workloads: exact times, the printed times of the paper, and files of sizes."""

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from expansions.collective import Collective
from expansions.cost import Cost
from expansions.parser import parse
from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.quantities import rate, seconds, size
from reports.units import time_text
from tests.rated import EXCHANGES
from topofinder.finder.prediction import predict
from topofinder.model.workload import COSTED, MOST, Workload, read_exchange, read_sizes


@dataclass(frozen=True)
class Priced:
    allgather: Cost
    reduce_scatter: Cost

    @property
    def allreduce(self) -> Cost:
        return self.reduce_scatter + self.allgather


positive = st.fractions(min_value=Fraction(1, 10**6), max_value=10**6)
costs = st.builds(Cost, st.integers(0, 100), positive)
priced = st.builds(Priced, costs, costs)
distributions = st.lists(st.tuples(positive, st.integers(1, 9)), min_size=1, max_size=5).map(tuple)
workloads = st.builds(
    Workload,
    alpha=positive,
    bandwidth=positive,
    sizes=distributions,
    collective=st.sampled_from(COSTED),
)


@given(workloads, priced)
def test_times_are_exact_sums(workload: Workload, candidate: Priced) -> None:
    both = (candidate.allgather, candidate.reduce_scatter)
    kinds = dict(zip(COSTED, (both[:1], both[1:], both), strict=True))
    time = sum(
        times * (part.steps * workload.alpha + part.bandwidth * length / workload.bandwidth)
        for part in kinds[workload.collective]
        for length, times in workload.sizes
    )
    assert workload.seconds(candidate) == time
    assert workload.seconds(candidate, workload.collective) == time
    assert isinstance(workload.seconds(candidate), Fraction)


@given(workloads, st.lists(priced, max_size=6))
def test_the_best_is_the_first_of_the_fastest(workload: Workload, offered: list[Priced]) -> None:
    best = workload.best(offered)
    if not offered:
        assert best is None
        return
    times = [workload.seconds(candidate) for candidate in offered]
    assert best is offered[times.index(min(times))]


@pytest.mark.parametrize(
    ("recipe", "printed"),
    [
        ("Pi(4,1024)", "323.5 us"),
        ("L^3(C(16,{3,4}))", "291.0 us"),
        ("L^2(Diamond^2)", "328.4 us"),
        ("L(DBJMod(2,4)^2)", "387.8 us"),
        ("(UniRing(1,4) x UniRing(1,8))^2", "567.6 us"),
    ],
)
def test_the_allreduce_times_of_table_4(recipe: str, printed: str) -> None:
    asked = Workload(alpha=seconds("10us"), bandwidth=rate("100Gbps"), sizes=((size("1MiB"), 1),))
    best = asked.best(predict(parse(recipe)))
    assert best is not None
    assert time_text(asked.seconds(best)) == printed


@pytest.mark.parametrize("collective", [Collective.BROADCAST, Collective.REDUCE])
def test_collectives_without_a_cost_are_refused(collective: Collective) -> None:
    with pytest.raises(InvalidInput, match="collective: allgather, reduce-scatter, allreduce, not"):
        Workload(
            alpha=Fraction(1),
            bandwidth=Fraction(1),
            sizes=((Fraction(1), 1),),
            collective=collective,
        )


lines = st.tuples(
    st.integers(1, 10**9),
    st.sampled_from(["B", "kB", "MiB", "GB"]),
    st.none() | st.integers(1, MOST),
    st.sampled_from([" ", ",", " , ", "\t"]),
    st.sampled_from(["", "  # a bucket", "#"]),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(lines, min_size=1, max_size=8), st.sampled_from(["\n", "\r\n", "\n\n# more\n"]))
def test_a_written_distribution_is_read_back(tmp_path: Path, written: list, ending: str) -> None:
    file = tmp_path / "sizes.txt"
    text = [
        f"{number}{unit}{'' if count is None else f'{gap}{count}'}{comment}"
        for number, unit, count, gap, comment in written
    ]
    file.write_bytes((ending.join(text) + ending).encode())
    wanted = tuple((size(f"{number}{unit}"), count or 1) for number, unit, count, *_ in written)
    assert read_sizes(file) == wanted


@pytest.mark.parametrize("count", ["0", "-1", "1.5", "x", "٣", str(MOST + 1), "1" * 5000])
def test_counts_that_are_none(tmp_path: Path, count: str) -> None:
    file = tmp_path / "sizes.txt"
    file.write_text(f"1MiB\n1MiB {count}\n", encoding="utf-8")
    with pytest.raises(InvalidInput) as error:
        read_sizes(file)
    assert str(error.value) == (
        f"{file}, line 2: the count is a whole number from 1 to {MOST}, not {excerpt(count)}"
    )


def test_time_of_exchanges() -> None:
    """56 bytes in all, 7 to each of 8 nodes, at f B/d = 1/4 * 2/2."""
    assert EXCHANGES.exchange_seconds(8, 2, Fraction(1, 4)) == 28
    assert read_exchange("4MiB 24") == (Fraction(4 << 20), 24)
    for text in ("", "4", "4MiB,0", "4MiB,1,1", "-1MiB"):
        with pytest.raises(InvalidInput, match="--alltoall"):
            read_exchange(text)
