"""The cost model's constants from measured times: found again, never below 0."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import topofinder as tf
from expansions.collective import Collective
from generators.errors import InvalidInput
from tests.command import ran
from topofinder.model.timings import Timing, write_timings
from topofinder.simulation.fit_costs import MeasuredTime, fit_costs

ALPHA, INVERSE, EPSILON = 13.33e-6, 1.018e-10, 21.60e-6
"""What the paper fits to its testbed (appendix A.2)."""
SIZES = (1 << 10, 1 << 16, 1 << 20, 1 << 30)
constants = st.floats(1e-7, 1e-3)


def points(alpha: float, inverse: float, epsilon: float) -> list[MeasuredTime]:
    """Allreduces of rings and of BFB on 5 to 12 nodes, as in figure 14."""
    return [
        MeasuredTime(
            steps,
            Fraction(2 * (n - 1), n),
            size,
            alpha * steps + inverse * size * 2 * (n - 1) / n + epsilon,
        )
        for n in range(5, 13)
        for steps in (2 * (n - 1), 2 * (n // 2))
        for size in SIZES
    ]


@example(0.0006409750092447825, 3.1278554725142124e-09, 0.0)
@given(constants, st.floats(1e-12, 1e-8), constants | st.just(0.0))
def test_exact_times_give_their_constants(alpha: float, inverse: float, epsilon: float) -> None:
    found = fit_costs(points(alpha, inverse, epsilon))
    assert found.alpha == pytest.approx(alpha, rel=1e-4)
    assert found.inverse_bandwidth == pytest.approx(inverse, rel=1e-4)
    assert found.epsilon == pytest.approx(epsilon, rel=1e-3, abs=alpha * 1e-3)
    assert found.largest_error < 1e-5


def test_noise_of_some_percent_moves_them_by_some_percent() -> None:
    """As large as the errors of figure 14: 1.71 % on average, 6.21 % at most."""
    random = np.random.default_rng(0)
    noisy = [
        point._replace(seconds=point.seconds * (1 + error))
        for point, error in zip(
            points(ALPHA, INVERSE, EPSILON), random.normal(0, 0.02, 64), strict=True
        )
    ]
    found = fit_costs(noisy)
    assert found.alpha == pytest.approx(ALPHA, rel=0.05)
    assert found.bandwidth == pytest.approx(79e9 / 8, rel=0.05)
    assert 0.005 < found.mean_error < 0.03


def test_nothing_is_below_0() -> None:
    falling = [MeasuredTime(2, Fraction(1), size, 1 / size) for size in (10, 100, 1000)]
    found = fit_costs(falling)
    assert min(found.alpha, found.inverse_bandwidth, found.epsilon) >= 0


def test_what_cannot_be_told_apart_is_said() -> None:
    alike = [MeasuredTime(6, Fraction(3, 2), size, 1e-5 + 1e-9 * size) for size in SIZES]
    assert fit_costs(alike).fixed == ("epsilon",)
    empty = [MeasuredTime(steps, Fraction(1), 0, steps * 1e-5) for steps in (2, 6)]
    assert fit_costs(empty).fixed == ("1/B",)
    assert fit_costs(empty).bandwidth is None


def timings(folder: Path, **changed: object) -> Path:
    rows = [
        Timing(collective=Collective.ALLREDUCE, ranks=8, bytes=point.bytes, steps=point.steps,
               bandwidth=point.bandwidth, seconds=point.seconds * 2, least=point.seconds,
               schedule="a.npz", **changed)  # type: ignore[arg-type]
        for point in points(ALPHA, INVERSE, EPSILON)
    ]  # fmt: skip
    write_timings(rows, folder / "t.csv")
    return folder / "t.csv"


def test_the_command_prints_constants_and_draws(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = ran(capsys, "fit", timings(tmp_path), "-o", tmp_path / "fit.svg")
    assert ended.code == 0, ended
    assert ended.out.splitlines()[0] == "alpha 13.3 us, epsilon 21.6 us, B 78.5855 Gbps"
    assert (tmp_path / "fit.svg").read_text().startswith("<?xml")
    assert tf.fit([tmp_path / "t.csv"], by="median").costs.alpha == pytest.approx(2 * ALPHA)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--by", "mean"), "by: 'mean' is none of least, median"),
        (("-o", "fit.pdf"), "fit.pdf: plots are written to .svg and .png files"),
        (("-o", "/no/such/fit.svg"), "there is no folder /no/such"),
    ],
)
def test_wrong_words_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], complaint: str
) -> None:
    ended = ran(capsys, "fit", timings(tmp_path), *words)
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert complaint in ended.err


def test_wrong_timings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="of 1024 bytes 3 elements are wrong"):
        tf.fit(timings(tmp_path, wrong=3))
    with pytest.raises(InvalidInput, match="none to fit to"):
        fit_costs([])
    with pytest.raises(InvalidInput, match="a time of 0"):
        fit_costs([MeasuredTime(1, Fraction(1), 1, 0.0)])
