"""What a wiring refuses, and how circuits are counted."""

import numpy as np
import pytest

from generators.errors import InvalidInput
from tests.fabrics import fabric_for, topology, wired
from topofinder.model.inventory.wiring import Wiring


def test_a_wiring_refuses_what_no_panel_can_do() -> None:
    with pytest.raises(InvalidInput, match="connected to itself"):
        Wiring(to=np.array([0, -1]))
    with pytest.raises(InvalidInput, match="reached twice"):
        Wiring(to=np.array([2, 2, -1]))


def test_wirings_of_recipes_have_their_circuits() -> None:
    fabric = fabric_for(hosts=9, ports=4)
    assert wired(fabric, topology("Torus(3,3)"), duplex=True, seed=4).count == 18
