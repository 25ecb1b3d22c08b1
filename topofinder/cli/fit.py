"""`topofinder fit`: the cost model's constants from measured times."""

from pathlib import Path
from typing import Annotated

import typer

from topofinder.cli.options import JsonOption


def fit(
    files: Annotated[list[Path], typer.Argument(help="Timings that `run -o` wrote: .csv.")],
    by: Annotated[str, typer.Option("--by", help="least or median time of each size.")] = "least",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Plot: a .svg or .png file.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Fit alpha, 1/B and epsilon to measured times, by least squares of relative errors.

    T_L and T_B are those of the schedules that were run, so that files of several schedules can
    be fitted together: of one with always as many steps alpha holds what epsilon would.
    """
    from topofinder.api.fit import fit as fit_constants

    found = fit_constants(files, by=by, output=output)
    print(found.to_json() if json else found)
