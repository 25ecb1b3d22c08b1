"""Where experts live and what hosts send for them, against a twin that sends expert by expert."""

from decimal import Decimal
from fractions import Fraction
from math import isclose

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.errors import InvalidInput
from topofinder.alltoall.demand.patterns import pattern_matrix
from topofinder.simulation.training.experts import (
    HostAmounts,
    exchange_demands,
    read_zipf,
    replica_demand,
    require_even_spread,
    zipf_shares,
)

SIZES = [(8, 8), (16, 4), (4, 16), (3, 9), (6, 2), (1, 4)]


def expert_hosts(experts: int, n: int, source: int) -> list[int]:
    """The host to which a unit of a source goes, expert by expert."""
    if experts >= n:
        return [expert // (experts // n) for expert in range(experts)]
    group = source // experts * experts
    return [group + expert for expert in range(experts)]


def sent(loads: list[int], experts: int, n: int) -> np.ndarray:
    """What hosts send each other where every host has so many units for each expert."""
    found = np.zeros((n, n), dtype=int)
    for source in range(n):
        for load, host in zip(loads, expert_hosts(experts, n, source), strict=True):
            found[source, host] += load
    return found


def matrix(amounts: HostAmounts | None) -> np.ndarray:
    assert amounts is not None
    return np.array([int(value) for value in amounts.values])[amounts.place]


@pytest.mark.parametrize(("experts", "n"), SIZES)
def test_uneven_units_go_where_the_experts_are(experts: int, n: int) -> None:
    forth, back = exchange_demands(experts, n, read_zipf("zipf:1.2"))
    expected = sent(zipf_shares(Decimal("1.2"), experts), experts, n)
    assert np.array_equal(matrix(forth.amounts), expected)
    assert np.array_equal(matrix(back.amounts), expected.T)
    assert forth.share == Fraction(n, int(expected.sum()))
    assert forth.busiest == Fraction(int(expected.sum(axis=0).max()) * n, int(expected.sum()))
    assert (back.busiest, back.reverses) == (forth.busiest, forth.label)


@pytest.mark.parametrize(("experts", "n"), SIZES[:3])
def test_even_units_are_a_pattern(experts: int, n: int) -> None:
    forth, back = exchange_demands(experts, n, None)
    assert forth == back
    expected = sent([1] * experts, experts, n)
    assert forth.share == Fraction(n * int(expected.max()), int(expected.sum()))
    np.fill_diagonal(expected, 0)
    assert np.array_equal(pattern_matrix(forth.label, n) * expected.max(), expected)


@pytest.mark.parametrize(("experts", "n"), [(4, 16), (3, 9), (6, 12)])
def test_replicas_of_an_expert_are_on_hosts_that_are_equal_modulo_their_number(
    experts: int, n: int
) -> None:
    found = replica_demand(experts, n)
    assert found is not None
    expected = np.zeros((n, n), dtype=int)
    for expert in range(experts):
        hosts = [expert_hosts(experts, n, source)[expert] for source in range(n)]
        for one in set(hosts):
            for other in set(hosts) - {one}:
                expected[one, other] = 1
    assert np.array_equal(pattern_matrix(found.label, n), expected)
    assert found.share * (int(expected[0].sum()) + 1) == 1


def test_where_there_is_one_of_each_there_are_no_replicas() -> None:
    assert replica_demand(16, 16) is None
    assert replica_demand(32, 16) is None


@given(st.decimals(0, 10, places=3), st.integers(1, 300))
def test_shares_follow_zipfs_law(exponent: Decimal, experts: int) -> None:
    found = zipf_shares(exponent, experts)
    assert found[0] == 10**6
    for number, share in enumerate(found, 1):
        assert isclose(share, 10**6 * number ** -float(exponent), abs_tol=0.5001)


def test_many_experts_are_refused_shortly() -> None:
    with pytest.raises(InvalidInput, match="zipf:1: is for at most 16384 experts, not 65536"):
        exchange_demands(65536, 4, read_zipf("zipf:1"))
    with pytest.raises(InvalidInput, match=r" 15, 16, 18 \.\.\. and multiples of 720720$"):
        require_even_spread([720720], 720719)


def test_an_exponent_of_0_is_even() -> None:
    forth, _ = exchange_demands(8, 4, read_zipf("zipf:0"))
    assert forth.busiest == 1
    assert len(np.unique(matrix(forth.amounts))) == 1


@given(st.lists(st.lists(st.fractions(0, 9), min_size=3, max_size=3), min_size=3, max_size=3))
def test_the_busiest_host_of_a_matrix(rows: list[list[Fraction]]) -> None:
    rows[0][1] += 1
    values = [Fraction(), *(value for row in rows for value in row)]
    amounts = HostAmounts(values=values, place=np.arange(1, 10, dtype=np.int32).reshape(3, 3))
    columns = [sum(row[t] for row in rows) for t in range(3)]
    assert amounts.total == sum(columns)
    assert amounts.busiest == 3 * max(columns) / sum(columns)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1.2", "'1.2' is not zipf:S, such as zipf:1.2"),
        ("zipf", "'zipf' is not zipf:S"),
        ("zipf:", "'zipf:' is not zipf:S"),
        ("zipf:-1", "'zipf:-1' is not zipf:S"),
        ("zipf:1e3", "'zipf:1e3' is not zipf:S"),
        ("zipf:.", r"'zipf:\.' is not zipf:S"),
        ("zipf:10.5", "an exponent of at most 10, not '10.5'"),
        ("pareto:1", "'pareto:1' is not zipf:S"),
    ],
)
def test_what_is_no_law_is_refused(text: str, told: str) -> None:
    with pytest.raises(InvalidInput, match=f"--experts-skew: {told}"):
        read_zipf(text)


def test_hosts_divide_experts_or_experts_hosts() -> None:
    require_even_spread([8, 256], 64)
    told = "cannot be spread evenly over 12 hosts; the choices are"
    with pytest.raises(InvalidInput, match=f"n: 8 experts {told} 2, 4, 8 and multiples of 8$"):
        require_even_spread([8], 12)
    with pytest.raises(InvalidInput, match=f"n: 8 experts {told} 2 and multiples of 24$"):
        require_even_spread([6, 8], 12)
