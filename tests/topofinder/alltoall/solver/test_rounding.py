"""Common denominators of computed numbers."""

import numpy as np

from topofinder.alltoall.solver.rounding import approximate_denominator


def test_common_denominators_are_found_or_denied():
    assert approximate_denominator([1 / 7, 3 / 4, 2.0]) == 28
    assert approximate_denominator([np.sqrt(0.5)]) is None
    assert approximate_denominator([np.pi, 1 / 3]) is None
    generator = np.random.default_rng(3)
    assert approximate_denominator(generator.random(50)) is None
