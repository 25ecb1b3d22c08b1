"""What transfers cost is what the schedules that they come from cost."""

import pytest

import topofinder as tf
from topofinder.lowering.lower import lower
from topofinder.verification.schedules import verify_schedule

RECIPES = ("K(4)", "Q(3)", "BiRing(4,8)", "Torus(3,4)", "L(K(3,3))", "Pi(4,16)", "K(3)*2", "K(2)^3")


@pytest.mark.parametrize("collective", ["allgather", "reduce-scatter", "allreduce"])
@pytest.mark.parametrize("recipe", RECIPES)
def test_schedules_cost_what_the_replay_says(recipe: str, collective: str) -> None:
    saved = tf.schedule(recipe, collective=collective).saved
    replayed = verify_schedule(saved.topology, saved.schedule).cost
    assert lower(saved).cost == replayed


def test_an_exchange_costs_its_busiest_links() -> None:
    timed = tf.schedule("K(4)", collective="all-to-all", method="timed", size="1MB", alpha="1us",
                        bandwidth="100Gbps").timetable  # fmt: skip
    found = lower(timed).cost
    assert (found.steps, float(found.bandwidth)) == (1, 0.75)
