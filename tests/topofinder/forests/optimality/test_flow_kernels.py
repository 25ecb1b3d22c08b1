"""Working arrays of flows are the same in Python and compiled, whatever the memory held before."""

import numpy as np
import pytest

from expansions.collective import Collective
from generators.damage.apply import Damage
from topofinder.api.schedule_forest import ForestRequest, schedule_forest
from topofinder.dispatch.interpreter import compare
from topofinder.forests.optimality.flow_kernels import flow_scratch


@pytest.mark.parametrize("n", [1, 7, 64, 1000])
def test_working_arrays_hold_nothing_of_what_the_memory_held(n: int) -> None:
    for _ in range(8):
        dirty = [np.full(n, -7, np.int64) for _ in range(8)]
        del dirty
        found = compare(flow_scratch.python, flow_scratch.compiled, False, (n,))
        assert [len(array) for array in found] == [n + 1, n, n, n, n]
        assert not any(array.any() for array in found)


def test_an_allreduce_after_damage_is_the_same_in_python_and_compiled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TOPOFINDER_KERNELS", "compared")
    damage = Damage(fail_links=("0-3",))
    found = schedule_forest(
        ForestRequest(
            subject="C(8,{1,3})", collective=Collective.ALLREDUCE, overlap=True, damage=damage
        )
    )
    assert found.together < found.inverse_rate
