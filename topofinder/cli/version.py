"""`topofinder --version`."""

from typing import Annotated

import typer

from generators.version import __version__


def _show(wanted: bool) -> None:
    if wanted:
        print(f"topofinder {__version__}")
        raise typer.Exit


def print_version(
    version: Annotated[
        bool, typer.Option("--version", callback=_show, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Find the best wiring of a direct-connect fabric: T_L against T_B for N hosts, d ports."""
