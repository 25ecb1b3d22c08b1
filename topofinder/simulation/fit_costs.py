"""Fitting the cost model to measured times: alpha, 1/B and epsilon by least squares.

Source: Zhao et al., appendix A.2: T = alpha T_L + (1/B) M T_B + epsilon. They fit latency to the
smallest size and bandwidth to the largest; here all sizes are fitted at once, each by its relative
error, so that both ends count. None of the three may be below 0 (Lawson and Hanson's method).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import lsq_linear, nnls

from generators.errors import InvalidInput

NAMES = ("alpha", "1/B", "epsilon")


class MeasuredTime(NamedTuple):
    """What was run, T_L and T_B, on how many bytes, and the seconds that it took."""

    steps: int
    bandwidth: Fraction
    bytes: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CostFit:
    """Seconds a step, seconds a byte, and seconds besides; `fitted` are the model's own times.

    `fixed` names the constants that the measurements cannot tell from others, taken as 0.
    """

    alpha: float
    inverse_bandwidth: float
    epsilon: float
    fitted: tuple[float, ...]
    errors: tuple[float, ...]
    fixed: tuple[str, ...] = ()

    @property
    def bandwidth(self) -> float | None:
        """Bytes a second that leave a rank; None where sizes do not matter."""
        return 1 / self.inverse_bandwidth if self.inverse_bandwidth else None

    @property
    def mean_error(self) -> float:
        """The mean of the relative errors, without their signs."""
        return float(np.mean(np.abs(self.errors)))

    @property
    def largest_error(self) -> float:
        """The largest of them."""
        return float(np.max(np.abs(self.errors)))


def fit_costs(points: Sequence[MeasuredTime]) -> CostFit:
    """The constants with the least sum of squares of relative errors.

    Where steps are always as many, alpha cannot be told from epsilon, which is then taken as 0;
    where all bytes are 0, 1/B is. Raises InvalidInput for no points, and for times of 0.

    >>> points = [MeasuredTime(steps, Fraction(3, 2), size, 1e-5 * steps + 3e-9 * size + 2e-5)
    ...     for steps in (2, 6) for size in (1000, 1000000)]
    >>> found = fit_costs(points)
    >>> f"{found.alpha:.3g} {found.inverse_bandwidth:.3g} {found.epsilon:.3g}"
    '1e-05 2e-09 2e-05'
    """
    if not points:
        raise InvalidInput("timings: none to fit to")
    seconds = np.array([point.seconds for point in points])
    if not (seconds > 0).all():
        raise InvalidInput("timings: a time of 0 cannot be fitted to")
    columns = np.array(
        [(point.steps, float(point.bandwidth * point.bytes), 1.0) for point in points]
    )
    used = _independent(columns)
    scale = columns[:, used].max(axis=0)
    solution = _least_squares(columns[:, used] / scale / seconds[:, None])
    found = np.zeros(3)
    found[used] = solution / scale
    fitted = columns @ found
    alpha, inverse, epsilon = found.tolist()
    return CostFit(
        alpha=alpha,
        inverse_bandwidth=inverse,
        epsilon=epsilon,
        fitted=tuple(fitted.tolist()),
        errors=tuple((fitted / seconds - 1).tolist()),
        fixed=tuple(name for place, name in enumerate(NAMES) if place not in used),
    )


def _least_squares(matrix: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Any:
    """The x >= 0 that brings matrix @ x closest to ones."""
    goal = np.ones(len(matrix))
    try:
        return nnls(matrix, goal)[0]
    except RuntimeError:  # that of scipy before 1.15 may go round in circles
        return lsq_linear(matrix, goal, bounds=(0, np.inf), method="bvls", tol=1e-15).x


def _independent(columns: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> list[int]:
    """The columns that are no multiples of those before them, each of length one."""
    used: list[int] = []
    for place in range(3):
        if not columns[:, place].any():
            continue
        some = columns[:, [*used, place]]
        if np.linalg.matrix_rank(some / np.linalg.norm(some, axis=0), tol=1e-9) == len(used) + 1:
            used.append(place)
    return used
