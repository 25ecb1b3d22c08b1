"""What `topofinder` takes before a command: --version, and how much it says."""

from typing import Annotated

import typer

from generators.version import __version__
from topofinder.cli.fitted_output import show_all_columns
from topofinder.cli.remarks import hush, speak


def _show(wanted: bool) -> None:
    if wanted:
        print(f"topofinder {__version__}")
        raise typer.Exit


def print_version(
    version: Annotated[
        bool, typer.Option("--version", callback=_show, is_eager=True, help="Print the version.")
    ] = False,
    quiet: Annotated[
        bool,
        typer.Option(
            "--quiet", "-q", callback=hush, help="No progress, no remarks, of any command."
        ),
    ] = False,
    verbose: Annotated[
        bool,
        typer.Option(
            "--verbose", "-v", callback=speak, help="Say how long it took, in how much memory."
        ),
    ] = False,
    wide: Annotated[
        bool,
        typer.Option(
            "--wide", callback=show_all_columns, help="All columns of tables, however wide."
        ),
    ] = False,
) -> None:
    """Find the best wiring of a direct-connect fabric: T_L against T_B for N hosts, d ports."""
