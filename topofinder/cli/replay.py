"""`topofinder replay`: an independent check of a plan, and the wiring after any stage of it."""

from pathlib import Path
from typing import Annotated

import typer

from topofinder.cli.options import JsonOption
from topofinder.cli.plan import CurrentOption, InventoryOption

NOT_VALID = 1


def replay(
    file: Annotated[Path, typer.Argument(help="A plan: .json, or the .csv beside it.")],
    inventory: InventoryOption,
    current: CurrentOption,
    after: Annotated[
        int | None, typer.Option("--after", min=0, help="Stop after this many stages.")
    ] = None,
    back: Annotated[
        bool, typer.Option("--rollback", help="Replay the rollback; --current is the plan's end.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="File for the wiring then: .csv.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Carry out a plan on paper, move by move; exit code 1 and one line if that is impossible."""
    from topofinder.api.replay import replay as carry_out

    done = carry_out(file, inventory, current, after=after, rollback=back, output=output)
    print(done.to_json() if json else done)
    if not done.valid:
        raise typer.Exit(NOT_VALID)
