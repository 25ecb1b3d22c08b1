"""Cayley digraphs by one search each, against the graphs themselves."""

import numpy as np
import pytest

from expansions.cost import Cost
from expansions.lower_bounds import least_bandwidth
from expansions.parser import parse
from expansions.recipe import Base
from generators.cayley.family import digraph
from generators.cayley.generated import reachable_elements
from generators.cayley.group import Group
from generators.cayley.notation import parse_group
from generators.errors import InvalidInput, Unsupported
from generators.families.circulant import two_jumps
from generators.families.register_all import FAMILIES
from tests.topofinder.schedules.bfb.test_circulant import contents
from topofinder.finder.base_candidates import evaluate_both, evaluate_one_receiver
from topofinder.schedules.bfb.cayley import evaluate_cayley
from topofinder.schedules.bfb.evaluation import evaluate

GROUPS = ["Z31", "Z64", "S3", "Dic3", "D9", "Z3^2", "Z7:Z3[2]", "S4", "A5", "Z2^4", "Z16:Z4[3]"]


def random_generators(group: Group, random: np.random.Generator) -> list[int]:
    """Some that generate the group, any number of times each, the identity among them at times."""
    while True:
        chosen = random.integers(0, group.order, int(random.integers(1, 6)))
        chosen = np.repeat(chosen, random.integers(1, 3, len(chosen))).tolist()
        if reachable_elements(group, chosen).all():
            return chosen


@pytest.mark.parametrize("text", GROUPS)
def test_random_digraphs_cost_what_the_graphs_cost(text: str) -> None:
    group, random = parse_group(text), np.random.default_rng(len(text))
    for _ in range(20):
        chosen = random_generators(group, random)
        topology = digraph(group, chosen)
        assert contents(evaluate_cayley(group, chosen)) == contents(evaluate(topology))
        back = evaluate_cayley(group, group.inverses[chosen].tolist())
        assert contents(back) == contents(evaluate(topology.transpose()))


def test_samples_cost_what_the_graphs_cost() -> None:
    for name in ("C", "Cay"):
        for sample in FAMILIES[name].samples:
            base = Base(name, sample)
            found = evaluate_one_receiver(base)
            assert list(map(contents, found)) == list(map(contents, evaluate_both(base)))


def test_a_large_circulant_is_a_cayley_digraph() -> None:
    m, more = two_jumps(70000)  # theorem 22 tells the diameter, m
    [one, _], [other, _] = (
        evaluate_one_receiver(as_base(text))
        for text in (
            f"C(70000,{{{m},{more}}})",
            f"Cay(Z70000;{m},{more},{70000 - more},{70000 - m})",
        )
    )
    assert contents(one) == contents(other)
    assert one.cost == Cost(m, least_bandwidth(70000))


def as_base(text: str) -> Base:
    base = parse(text)
    assert isinstance(base, Base)
    return base


@pytest.mark.parametrize("text", ["DBJ(2,17)", "C(20000000,{1,2})", "Pi(3,70001)"])
def test_others_are_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="nodes; at most 65536 are evaluated"):
        evaluate_one_receiver(as_base(text))


def test_very_wide_receivers() -> None:
    with pytest.raises(Unsupported, match="at most 63 in-neighbours a node, not 64"):
        evaluate_cayley(parse_group("Z100"), range(1, 65))
