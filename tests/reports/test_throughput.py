"""Rounding of intervals, and what is told of them."""

from dataclasses import replace
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from reports.throughput import (
    Proof,
    RoutesRecord,
    ThroughputRecord,
    ThroughputTime,
    interval_text,
    proof_fields,
    proof_text,
    throughput_fields,
    throughput_text,
)
from reports.units import down_text, up_text

FOUND = ThroughputRecord(
    subject="a.json",
    recipe=None,
    n=4,
    d=2,
    demand="ring:1",
    lower=Fraction(1, 3),
    upper=Fraction(2, 5),
    method="equilibrium",
    seconds=1.25,
    hop_bound=Fraction(1, 2),
    moore_bound=None,
    interrupted=True,
    timed=ThroughputTime(size=Fraction(2**20), bandwidth=None, least=Fraction(1), most=Fraction(2)),
    certificate="a.npz",
    routed=RoutesRecord(
        file="r.csv",
        routing="single",
        rows=12,
        rate=Fraction(3, 10),
        loss=Fraction(1, 10),
        mean_hops=1.5,
        most_hops=2,
    ),
)


@given(st.fractions(Fraction(1, 10**30), 10**12))
def test_rounding_never_narrows(value: Fraction) -> None:
    low, high = Fraction(down_text(value)), Fraction(up_text(value))
    assert low <= value <= high
    assert high - low <= value / 10**5


def test_zero_and_powers_of_ten() -> None:
    assert down_text(Fraction(0)) == "0.000000e+00"
    assert (down_text(Fraction(1, 1000)), up_text(Fraction(1, 1000))) == ("1.000000e-03",) * 2


def test_a_tiny_gap_is_not_told_as_none() -> None:
    told = interval_text(Fraction(10**9 - 1), Fraction(10**9))
    assert told == "f in [9.999999e+08, 1.000000e+09], gap 0.001%"
    long = Fraction(10**12 + 1, 10**13)
    assert interval_text(long, long) == "f = 1.000000e-01"


def test_everything_at_once() -> None:
    assert throughput_text(FOUND) == (
        "a.json: all-to-all, ring:1 demand, 4 nodes, degree 2\n"
        "  f in [3.333333e-01, 4.000000e-01], gap 16.667%, by equilibrium in 1.25 s, interrupted\n"
        "  bounds: hop distances 5.000000e-01\n"
        "  1 MiB a node at link rates: 1.000 s to 2.000 s\n"
        "  certificate written to a.npz\n"
        "  12 pairs on one path each written to r.csv: 1.500 hops on average, 2 at most; "
        "largest link load 3.33333, rate 3.000000e-01, loss 10.000%"
    )
    told = throughput_fields(FOUND)
    assert (told["lower"], told["upper"], told["exact"]) == ("1/3", "2/5", None)
    assert told["bound"] == {"hops": "1/2", "moore": None}
    assert told["time"] == {"size": 2.0**20, "bandwidth": None, "least": 1.0, "most": 2.0}
    assert told["routes"]["largest_load"] == "10/3"
    exact = throughput_fields(replace(FOUND, upper=Fraction(1, 3)))
    assert (exact["exact"], exact["gap"]) == ("1/3", 0.0)


def test_proofs() -> None:
    proof = Proof(
        recipe="K(3)",
        n=3,
        demand="uniform",
        lower=Fraction(1),
        upper=Fraction(1),
        violation=None,
        digest="ab",
    )
    assert proof_text(proof) == "valid: uniform all-to-all on K(3), f = 1 = 1.000000e+00"
    assert proof_fields(proof)["exact"] == "1"
    wrong = replace(proof, violation="upper: no")
    assert proof_text(wrong) == "not valid: upper: no"
    assert proof_fields(wrong) == {"valid": False, "violation": "upper: no"}
