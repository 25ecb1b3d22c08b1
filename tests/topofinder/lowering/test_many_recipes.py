"""Every family's samples, and expansions of them, lowered and run on numbers."""

import random

import pytest

import topofinder as tf
from expansions.recipe import Base
from generators.registry import FAMILIES
from tests.topofinder.lowering.test_lower import awkward_counts, require_right
from topofinder.lowering.lower import lower

MOST_NODES = 64
COLLECTIVES = ("allgather", "reduce-scatter", "allreduce", "broadcast", "reduce")
OPERATIONS = ("sum", "max", "min", "prod")


def recipes() -> list[str]:
    """The samples, and L, *2, ^2 and Bi of those that stay small."""
    found = []
    for name, family in FAMILIES.items():
        for arguments in family.samples:
            facts = family.properties(*arguments)
            if facts.n > MOST_NODES:
                continue
            base = str(Base(name, arguments))
            found.append(base)
            graph, grown = family.build(*arguments), {f"{base}^2": facts.n**2}
            grown[f"Bi({base})"] = facts.n
            if graph.is_regular:
                grown[f"L({base})"] = facts.n * facts.d
            if not graph.has_loops:
                grown[f"{base}*2"] = facts.n * 2
            found += [text for text, n in grown.items() if n <= MOST_NODES and facts.d * 2 <= 12]
    return found


RECIPES = recipes()
SAMPLE = random.Random(7).sample(RECIPES, 24)


def run_on_numbers(recipe: str) -> None:
    """All collectives, each at some counts and by one of the operations."""
    dice = random.Random(recipe)
    for collective in COLLECTIVES:
        root = {"root": 0} if collective in ("broadcast", "reduce") else {}
        transfers = lower(tf.schedule(recipe, collective=collective, method="bfb", **root).saved)
        for count in dice.sample(awkward_counts(transfers.ranks), 2):
            require_right(transfers, count, dice.choice(OPERATIONS), dice.randrange(2**32))


def test_there_are_hundreds() -> None:
    assert len(RECIPES) >= 300


@pytest.mark.parametrize("recipe", SAMPLE)
def test_a_sample_ends_right(recipe: str) -> None:
    run_on_numbers(recipe)


@pytest.mark.slow
@pytest.mark.parametrize("recipe", RECIPES)
def test_all_end_right(recipe: str) -> None:
    run_on_numbers(recipe)
