"""Samples of long proofs: the first cases in every run, the others where slow tests run."""

from collections.abc import Iterable
from itertools import islice
from typing import Any

import pytest


def sampled(cases: Iterable[Any], first: int) -> list[Any]:
    """The cases, all but the first so many marked as slow."""
    left = iter(cases)
    kept = list(islice(left, first))
    return [*kept, *(pytest.param(case, marks=pytest.mark.slow) for case in left)]
