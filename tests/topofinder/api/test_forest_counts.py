"""What k costs before packing: the forests that are then packed are no better."""

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from expansions.collective import Collective
from generators.fabrics.dgx import dgx_h100
from generators.fabrics.mi250 import mi250
from tests.command import ran
from topofinder.api.forest_counts import count_forests
from topofinder.api.shared.forest_times import Transfer, forest_time
from topofinder.forests.collectives.make_forest import ForestOptions, make_forest
from topofinder.model.time_model import TimeModel


def test_the_table_is_told_before_packing(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("schedule", "MI250(2)", "--method", "forest", "--table")
    assert ran(capsys, *words, "--size", "64MiB", "--alpha", "3us").out == (
        "allgather on MI250(2): nothing is packed yet\n"
        "  1/x* 15/166; 32 different trees at least; height 1 at least\n"
        "        k   loss %    at least\n"
        "        2   3.7500    199.6 us\n"
        "        5   1.8133    195.9 us\n"
        "        9   0.8296    194.1 us\n"
        "       13   0.4513    193.4 us\n"
        "       23   0.0812    192.7 us\n"
        "       83   0.0000    192.5 us\n"
    )
    found = json.loads(ran(capsys, *words, "--json").out)
    assert found["counts"][0] == {"k": 2, "loss": "3/80", "seconds": None}
    assert (found["least_trees"], found["least_height"]) == (32, 1)


@pytest.mark.parametrize("collective", [Collective.ALLGATHER, Collective.ALLREDUCE])
def test_no_forest_is_better(collective: Collective) -> None:
    transfer = Transfer(size=Fraction(1 << 20), alpha=Fraction(3, 10**6))
    for fabric in (mi250(1), dgx_h100(2)):
        wish = ForestOptions(collective=collective)
        counts = count_forests(fabric, wish, transfer, "a fabric").counts
        for row in counts.rows:
            made = make_forest(fabric, ForestOptions(collective=collective, k=row.k))
            assert made.inverse_rate / made.optimum - 1 >= row.loss or fabric.multicast
            assert row.seconds is not None
            for model in TimeModel:
                time = forest_time(made, replace(transfer, model=model)).best
                assert time is not None
                assert row.seconds <= time
            assert sum(phase.trees.trees for phase in made.phases) >= counts.trees
