"""`topofinder fit`: alpha, bandwidth and epsilon from measured times."""

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from generators.errors import InvalidInput
from generators.excerpts import excerpt
from generators.files import require_place, write_whole
from reports.fit import fit_text
from topofinder.api.shared.answer import Answer
from topofinder.model.timings import Timing, read_timings
from topofinder.simulation.fit_costs import CostFit, MeasuredTime, fit_costs

BY = ("least", "median")
PLOTS = (".svg", ".png")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class FitAnswer(Answer):
    """The constants that fit measured times best, and how far each time is off."""

    timings: tuple[Timing, ...]
    measured: tuple[float, ...]
    costs: CostFit

    def summary(self) -> dict[str, Any]:
        """The constants."""
        costs = self.costs
        return {"alpha": costs.alpha, "bandwidth": costs.bandwidth, "epsilon": costs.epsilon}

    def to_dict(self) -> dict[str, Any]:
        """What `fit --json` prints: seconds, and bytes a second."""
        return {
            **self.summary(),
            "fixed": list(self.costs.fixed),
            "mean_error": self.costs.mean_error,
            "largest_error": self.costs.largest_error,
            "rows": self.table_rows(),
        }

    def table_rows(self) -> list[dict[str, Any]]:
        """One row a time that was measured."""
        return [
            {
                "schedule": timing.schedule or timing.recipe,
                "collective": timing.collective.value,
                "ranks": timing.ranks,
                "bytes": timing.bytes,
                "steps": timing.steps,
                "bandwidth": str(timing.bandwidth),
                "seconds": seconds,
                "fitted": fitted,
                "error": error,
            }
            for timing, seconds, fitted, error in zip(
                self.timings, self.measured, self.costs.fitted, self.costs.errors, strict=True
            )
        ]

    def __str__(self) -> str:
        return fit_text(self.to_dict())


def fit(
    files: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    by: str = "least",
    output: str | PathLike[str] | None = None,
) -> FitAnswer:
    """Fit alpha, 1/B and epsilon to the timings of one .csv file, or of several together.

    T_L and T_B are those of what was run, which `run` writes beside its times. `by` is "least" or
    "median": which time of a size is taken. A plot is written to `output`, .svg or .png. Times of
    collectives with wrong elements are refused, as is all that `read_timings` refuses.
    """
    if by not in BY:
        raise InvalidInput(f"by: {excerpt(by)} is none of {', '.join(BY)}")
    if output is not None:
        _require_plot(output)
    several = [files] if isinstance(files, str | PathLike) else list(files)
    timings = tuple(timing for file in several for timing in read_timings(file))
    wrong = [timing for timing in timings if timing.wrong]
    if wrong:
        raise InvalidInput(
            f"timings: of {wrong[0].bytes} bytes {wrong[0].wrong} elements are wrong"
        )
    measured = tuple(timing.least if by == "least" else timing.seconds for timing in timings)
    points = [
        MeasuredTime(timing.steps, timing.bandwidth, timing.bytes, seconds)
        for timing, seconds in zip(timings, measured, strict=True)
    ]
    found = FitAnswer(timings=timings, measured=measured, costs=fit_costs(points))
    if output is not None:
        _write_plot(found, output)
    return found


def _require_plot(output: str | PathLike[str]) -> None:
    if Path(output).suffix.lower() not in PLOTS:
        raise InvalidInput(f"{output}: plots are written to .svg and .png files")
    require_place(output)


def _write_plot(found: FitAnswer, output: str | PathLike[str]) -> None:
    from reports.plots.figure import png, svg_file
    from reports.plots.fit import fit_figure

    figure = fit_figure(found.table_rows())
    is_png = Path(output).suffix.lower() == ".png"
    write_whole(output, png(figure) if is_png else svg_file(figure, "fit"))
