"""Forests weighed by their time: the least is taken, and low trees win where data are small."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from generators.fabrics.mi250 import mi250
from generators.topology import Topology
from tests.command import ran
from topofinder.api.shared.forest_choices import weigh_forests
from topofinder.api.shared.forest_times import Transfer, forest_time
from topofinder.forests.collectives.make_forest import ForestOptions
from topofinder.verification.forests import verify_forest


def test_the_quickest_is_taken_at_every_size() -> None:
    heights = []
    for size in (1 << 10, 1 << 30):
        transfer = Transfer(size=Fraction(size), alpha=Fraction(3, 10**6))
        forest, choices = weigh_forests(mi250(1), ForestOptions(), transfer)
        assert verify_forest(forest).violation is None
        (chosen,) = (choice for choice in choices if choice.chosen)
        assert chosen.seconds == forest_time(forest, transfer).best
        assert chosen.seconds == min(choice.seconds or 0 for choice in choices)
        heights.append((chosen.height, chosen.loss > 0))
    assert heights == [(5, True), (6, False)]


def test_there_is_no_choice_where_trees_are_as_low_as_can_be() -> None:
    ring = Topology.from_arcs(3, [(0, 1), (1, 2), (2, 0)])
    transfer = Transfer(size=Fraction(1), alpha=Fraction(1), bandwidth=Fraction(1))
    assert weigh_forests(ring, ForestOptions(), transfer)[1] == ()


def test_the_table_is_in_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """As text it is in docs/forests.md."""
    words = ("schedule", "MI250(1)", "--method", "forest", "--table", "-o", str(tmp_path / "a.npz"))
    found = json.loads(ran(capsys, *words, "--json").out)
    assert {"k": 3, "loss": "0", "trees": 32} in [
        {name: row[name] for name in ("k", "loss", "trees")} for row in found["choices"]
    ]
    assert found["least_height"] == 5
