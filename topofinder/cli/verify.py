"""`topofinder verify`: an independent check of a schedule."""

from pathlib import Path
from typing import Annotated

import typer

from expansions.collective import Collective
from topofinder.cli.options import AlphaOption, BandwidthOption, JsonOption, SizeOption, workload

NOT_VALID = 1


def verify(
    file: Annotated[Path, typer.Argument(help="A schedule: .npz or .json.")],
    on: Annotated[
        str | None,
        typer.Option(
            "--on", metavar="RECIPE|FILE", help="The graph that the schedule must be for."
        ),
    ] = None,
    alpha: AlphaOption = None,
    size: SizeOption = None,
    bandwidth: BandwidthOption = None,
    json: JsonOption = False,
) -> None:
    """Replay a schedule row by row; exit code 1 and one line if it does not hold."""
    from expansions.schedule_files import read_schedule
    from reports.schedule import checked_json, checked_text
    from topofinder.schedule_check import check

    times = workload(alpha, size, bandwidth, None, Collective.ALLREDUCE)
    checked = check(read_schedule(file), on, times)
    print((checked_json if json else checked_text)(checked))
    if checked.violation is not None:
        raise typer.Exit(NOT_VALID)
