"""Common denominators of computed numbers."""

import numpy as np

from topofinder.alltoall.solver.rounding import common_denominator


def test_common_denominators_are_found_or_denied():
    assert common_denominator([1 / 7, 3 / 4, 2.0]) == 28
    assert common_denominator([np.sqrt(0.5)]) is None
    assert common_denominator([np.pi, 1 / 3]) is None
    generator = np.random.default_rng(3)
    assert common_denominator(generator.random(50)) is None
