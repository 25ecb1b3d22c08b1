"""Extensions contain the group that they extend."""

import numpy as np
import pytest

from generators.cayley.notation import parse_group
from topofinder.discovery.group_extensions import extensions


@pytest.mark.parametrize(("text", "k"), [("Z2^2", 3), ("D4", 2), ("Z3^2", 4), ("Dic2", 3)])
def test_extensions_contain_the_group_as_a_normal_subgroup(text: str, k: int) -> None:
    normal = parse_group(text)
    found = list(extensions(normal, k, 12, np.random.default_rng(0)))
    assert found
    for group in found:
        assert group.order == normal.order * k
        inside = normal.elements * k
        for g in group.generators:
            conjugates = group.multiply(group.multiply(g, inside), group.inverses[g])
            assert set(conjugates.tolist()) == set(inside.tolist())
