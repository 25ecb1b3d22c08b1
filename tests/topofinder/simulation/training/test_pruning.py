"""Pruned ratings against ratings of everything, with throughputs that come one by one."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from expansions.cost import Cost
from topofinder.model.training_model import TrainingModel
from topofinder.simulation.training.accelerators import ACCELERATORS
from topofinder.simulation.training.experts import UNIFORM
from topofinder.simulation.training.job import FabricCosts, TrainingJob, rate_job
from topofinder.simulation.training.pruning import Prospect, rate_prospects
from topofinder.simulation.training.roofline import ComputeRates

EXPERT = {"experts": 8, "parameters": 10**6, "activation_bytes": 4096}
LAYERS = [{"name": "a", "parameters": 10**7}, {"name": "b", **EXPERT}, {"name": "c"}]
JOB = TrainingJob(
    model=TrainingModel(name="three", layers=LAYERS),
    n=8,
    units=Fraction(4096),
    rates=ComputeRates(accelerator=ACCELERATORS["a100"]),
)
PLAIN = FabricCosts(
    name="x",
    n=8,
    d=2,
    alpha=Fraction(1, 10**5),
    bandwidth=Fraction(125 * 10**8),
    allreduce=(Cost(6, Fraction(7, 4)),),
)

RATES = st.fractions(Fraction(1, 20), Fraction(1, 2), max_denominator=50)
CANDIDATES = st.lists(
    st.tuples(st.integers(3, 40), RATES, RATES, RATES).map(lambda t: (t[0], *sorted(t[1:]))),
    max_size=6,
)


def prospect(
    number: int, steps: int, low: Fraction, high: Fraction, most: Fraction
) -> Prospect[int]:
    """A candidate with the throughput [low, high], which `most` and 1 bound."""
    plain = replace(PLAIN, allreduce=(Cost(steps, Fraction(7, 4)),))
    limits: list[Callable[[], FabricCosts]] = [
        partial(replace, plain, rates={UNIFORM: (rate, rate)}) for rate in (Fraction(1), most)
    ]
    return Prospect(
        of=number, limits=limits, costs=partial(replace, plain, rates={UNIFORM: (low, high)})
    )


@given(CANDIDATES, st.one_of(st.none(), st.fractions(0, 1, max_denominator=1000)))
def test_the_least_of_all_is_found(
    candidates: list[tuple[int, Fraction, Fraction, Fraction]], beat: Fraction | None
) -> None:
    prospects = [prospect(number, *each) for number, each in enumerate(candidates)]
    every = {one.of: rate_job(JOB, one.costs()).seconds[1] for one in prospects}
    found = rate_prospects(JOB, prospects, beat)
    rated = {number: times.seconds[1] for number, _, times in found.rated}
    assert rated.items() <= every.items()
    assert found.excluded == len(every) - len(rated)
    limit = [] if beat is None else [beat]
    assert min([*rated.values(), *limit], default=None) == min(
        [*every.values(), *limit], default=None
    )


def test_what_a_bound_excludes_is_not_asked_for() -> None:
    quick = prospect(0, 3, Fraction(1, 2), Fraction(1, 2), Fraction(1, 2))
    slow = prospect(1, 40, Fraction(1, 20), Fraction(1, 20), Fraction(1, 20))

    def refuse() -> FabricCosts:
        raise AssertionError("its throughput is not needed")

    found = rate_prospects(JOB, [replace(slow, costs=refuse), quick], None)
    assert [number for number, _, _ in found.rated] == [0]
    assert found.excluded == 1


def test_a_throughput_that_is_not_known_is_told() -> None:
    one = replace(prospect(0, 3, *[Fraction(1, 2)] * 3), costs=lambda: PLAIN)
    found = rate_prospects(JOB, [one], None)
    assert (found.rated, found.excluded) == ((), 0)
    assert found.unknown == ((0, "x: the throughput of its all-to-all is not known"),)
