"""Several seeds of packing: the best of them all is kept, and told."""

import json
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from generators.errors import InvalidInput
from generators.fabrics.mi250 import mi250
from tests.command import ran
from topofinder.api.schedule_forest import ForestRequest, weigh_forest
from topofinder.api.shared.forest_seeds import try_seeds
from topofinder.api.shared.forest_times import Transfer, forest_time
from topofinder.forests.clock import Clock
from topofinder.forests.collectives.make_forest import ForestOptions, make_forest
from topofinder.model.forest import Forest
from topofinder.verification.forests import verify_forest

Capture = pytest.CaptureFixture[str]
WISH = ForestOptions(k=2, seed=3)
SMALL = Transfer(size=Fraction(1 << 16), alpha=Fraction(3, 10**6))


def shape(forest: Forest) -> tuple[int, int]:
    (phase,) = forest.phases
    return int(phase.trees.heights().max()), phase.trees.trees


def packed(options: ForestOptions) -> tuple[Forest, tuple[()]]:
    return make_forest(mi250(1), options), ()


@pytest.mark.parametrize("transfer", [None, SMALL])
def test_the_best_of_all_seeds_is_kept(transfer: Transfer | None) -> None:
    apart = [packed(replace(WISH, seed=seed))[0] for seed in range(3, 8)]
    found = try_seeds(packed, WISH, 5, transfer)
    assert verify_forest(found.forest).violation is None
    assert found.seeds is not None
    assert (found.seeds.first, found.seeds.tried, found.seeds.asked) == (3, 5, 5)
    if transfer is None:
        assert shape(found.forest) == min(map(shape, apart))
    else:
        times = [forest_time(forest, transfer).best for forest in apart]
        assert forest_time(found.forest, transfer).best == min(time for time in times if time)
    assert shape(found.forest) == shape(apart[found.seeds.best - 3])


def test_seeds_end_with_the_time_and_where_trees_cannot_be_lower() -> None:
    over = replace(WISH, clock=Clock.of(0))
    found = try_seeds(lambda wish: packed(replace(wish, clock=WISH.clock)), over, 9, None)
    assert found.seeds is not None
    assert (found.seeds.tried, found.seeds.asked) == (1, 9)
    low = weigh_forest(ForestRequest(subject="Torus(3,3)", tries=9))
    assert low.seeds is not None
    assert (low.seeds.tried, low.seeds.asked) == (1, 1)
    for tries in (0, -1, 1 << 17):
        with pytest.raises(InvalidInput, match="--tries: 1 to 65536, not"):
            try_seeds(packed, WISH, tries, None)


def test_commands_tell_the_seeds(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TOPOFINDER_DB", raising=False)
    words = ("schedule", "MI250(1)", "--method", "forest", "--k", "2", "-o", f"{tmp_path}/a.npz")
    told = ran(capsys, *words, "--tries", "4").out
    found = json.loads(ran(capsys, *words, "--tries", "4", "--json").out)["seeds"]
    assert (found["first"], found["tried"], found["asked"]) == (0, 4, 4)
    assert f"  seed {found['best']} of 0 to 3\n" in told
    assert "seed " not in ran(capsys, *words).out
    assert ran(capsys, *words, "--tries", "0") == (
        2,
        "",
        "topofinder: --tries: 1 to 65536, not 0\n",
    )
    refused = ran(capsys, "schedule", "K(4)", "--method", "bfb", "--tries", "2", "-o", "a.npz")
    assert refused.code == 2
    assert "--tries" in refused.err
