"""The replay finds whatever is wrong with a plan: each mutation below is caught."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from generators.errors import InvalidInput
from generators.topology import Topology
from tests.fabrics import fabric_for
from topofinder.model.inventory.document import State
from topofinder.model.inventory.wiring import Circuit, Claim, Stage, Wiring, rollback_stages
from topofinder.verification.plans import replay_stages

MINUTES = Fraction(120)
FABRIC = fabric_for(hosts=4, ports=2)
# A ring 0-1-2-3 becomes the ring 0-2-1-3: ports 1, 3, 5, 7 go round.
BEFORE = Wiring(to=np.array([7, 2, 1, 4, 3, 6, 5, 0]))
STAGES = (
    Stage(
        frees=(Circuit(1, 2, True), Circuit(5, 6, True)),
        connects=(Circuit(1, 5, True),),
        seconds=MINUTES,
        parts=2,
    ),
    Stage(frees=(), connects=(Circuit(2, 6, True),), seconds=MINUTES, parts=1),
)
TARGET = Topology.from_arcs(4, [(0, 2), (2, 1), (1, 3), (3, 0), (2, 0), (1, 2), (3, 1), (0, 3)])
CLAIM = Claim(topology=TARGET, host=(0, 1, 2, 3), duplex=True)

Stages = tuple[Stage, ...]


def test_a_sound_plan_passes_and_is_undone() -> None:
    done = replay_stages(FABRIC, BEFORE, STAGES, CLAIM)
    assert done.violation is None
    back = replay_stages(FABRIC, done.after, rollback_stages(FABRIC, STAGES), undoing=True)
    assert back.violation is None
    assert back.after.same(BEFORE)


def first(**changes: object) -> Callable[[Stages], Stages]:
    return lambda stages: (replace(stages[0], **changes), stages[1])


@pytest.mark.parametrize(
    ("mutate", "line"),
    [
        (
            first(frees=(Circuit(1, 2, True),), parts=1),
            "stage 1: connect h0:1 - h2:1: the receiver of h2:1 is in use",
        ),
        (first(frees=(Circuit(1, 2, True),) * 2), "disconnect h0:1 - h1:0: h0:1 does not send"),
        (first(frees=(Circuit(1, 6, True),)), "h0:1 does not send to h3:0"),
        (first(connects=(Circuit(1, 1, True),)), "a port is connected to itself"),
        (first(connects=(Circuit(1, 99, True),)), "connect h0:1 - 99: a port is unknown"),
        (first(connects=()), "seconds: the plan says 120; it is 0"),
        (first(parts=1), "parts: the plan says 1; it is 2"),
        (first(seconds=Fraction(1)), "seconds: the plan says 1; it is 120"),
        (
            lambda stages: (replace(stages[0], connects=stages[0].connects + stages[1].connects),),
            "2 circuits at once on panel P0, which makes 1",
        ),
        (lambda stages: stages[:1], "at the end 0 arcs lead from h1 to h3"),
        (lambda stages: stages[::-1], "stage 1: connect"),
        (
            lambda stages: (stages[0], replace(stages[1], connects=(Circuit(2, 6, False),))),
            "stage 2: connect h1:0 > h3:0: a simplex circuit in a duplex plan",
        ),
        (
            first(connects=(Circuit(1, 2, True),)),
            "stage 1: connect h0:1 - h1:0: the target has no such circuit",
        ),
        (
            lambda stages: (
                replace(stages[0], connects=(Circuit(2, 5, True),)),
                replace(stages[1], parts=2),
            ),
            "stage 2: connect h1:0 - h3:0: the transmitter of h1:0 is in use",
        ),
        (
            lambda stages: (
                replace(stages[0], connects=(Circuit(2, 6, True),)),
                replace(stages[1], frees=(Circuit(2, 6, True),), parts=2),
            ),
            "stage 2: disconnect h1:0 - h3:0: the plan made it itself",
        ),
        (
            first(frees=(Circuit(1, 2, False), *STAGES[0].frees[1:])),
            "stage 1: disconnect h0:1 > h1:0: one half of a duplex circuit",
        ),
    ],
)
def test_a_mutation_is_caught(mutate: Callable[[Stages], Stages], line: str) -> None:
    violation = replay_stages(FABRIC, BEFORE, mutate(STAGES), CLAIM).violation
    assert violation is not None
    assert line in violation


@pytest.mark.parametrize("state", [State.HELD, State.RESERVED, State.PINNED, State.DEAD])
def test_ports_that_are_not_ours_are_not_touched(state: State) -> None:
    states = tuple(state if port == 5 else State.LIVE for port in range(8))
    violation = replay_stages(replace(FABRIC, states=states), BEFORE, STAGES, CLAIM).violation
    assert violation is not None
    assert f"h2:1 is {state}" in violation


def test_an_extra_circuit_is_only_excused_by_a_pin() -> None:
    smaller = Topology.from_arcs(4, [(0, 1), (1, 0), (1, 2), (2, 1), (2, 3), (3, 2)])
    claim = Claim(topology=smaller, host=(0, 1, 2, 3), duplex=True)
    violation = replay_stages(FABRIC, BEFORE, (), claim).violation
    assert violation is not None
    assert "at the end 1 arcs lead from h0 to h3" in violation
    states = (State.PINNED, *[State.LIVE] * 7)
    assert replay_stages(replace(FABRIC, states=states), BEFORE, (), claim).violation is None


def test_a_claim_gives_each_node_a_host_of_its_own() -> None:
    for host in ((0, 1, 2, 2), (0, 1, 2), (0, 1, 2, 4)):
        with pytest.raises(InvalidInput, match="each node needs a host of its own"):
            replay_stages(FABRIC, BEFORE, STAGES, replace(CLAIM, host=host))


@pytest.mark.parametrize("missing", [((1, 1),), ((1, 9),), ((-1, 0),), ((1, 3),) * 2])
def test_what_the_target_has_not_cannot_be_missing(missing: tuple[tuple[int, int], ...]) -> None:
    with pytest.raises(InvalidInput, match="missing: the target has no circuit from node"):
        replay_stages(FABRIC, BEFORE, STAGES, replace(CLAIM, missing=missing))


def test_missing_circuits_are_not_asked_for() -> None:
    claim = replace(CLAIM, missing=((1, 3),))
    assert replay_stages(FABRIC, BEFORE, STAGES[:1], claim).violation is None
