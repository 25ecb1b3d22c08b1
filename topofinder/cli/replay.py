"""`topofinder replay`: an independent check of a plan, and the wiring after any stage of it."""

from pathlib import Path
from typing import Annotated

import typer

from generators.errors import InvalidInput
from topofinder.cli.options import JsonOption
from topofinder.cli.plan import (
    CurrentOption,
    CutOption,
    DemandOption,
    InventoryOption,
    KeepConnectedOption,
    KeepThroughputOption,
    LossBudgetOption,
    LossesOption,
    ScriptsOption,
    TakeOutOption,
)

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
    journal: Annotated[
        Path | None,
        typer.Option("--journal", help="What became of its moves: .csv, move and outcome."),
    ] = None,
    onward: Annotated[
        Path | None, typer.Option("--onward", help="With --journal: a plan from there to the end.")
    ] = None,
    undo: Annotated[
        Path | None, typer.Option("--back", help="With --journal: a plan from there to the start.")
    ] = None,
    new_placement: Annotated[
        bool,
        typer.Option(
            "--new-placement", help="With --journal: where ports lack, let other hosts take parts."
        ),
    ] = False,
    keep_connected: KeepConnectedOption = False,
    take_out: TakeOutOption = None,
    cut: CutOption = None,
    keep_throughput: KeepThroughputOption = None,
    demand: DemandOption = None,
    losses: LossesOption = None,
    loss_budget: LossBudgetOption = None,
    form: ScriptsOption = None,
    time: Annotated[
        str, typer.Option("--time", metavar="TIME", help="For each of these plans.")
    ] = "10s",
    json: JsonOption = False,
) -> None:
    """Carry out a plan on paper, move by move; exit code 1 and one line if that is impossible.

    With --journal tell where a plan is that was begun, and plan onward or back: what its file says
    is kept in the middle of stages is kept then, and what light loses, but for what is told anew.
    """
    if journal is not None:
        if after is not None:
            raise InvalidInput("--after: not with --journal, which tells how far the plan is")
        from topofinder.api.replay_journal import replay_journal

        told = replay_journal(
            file,
            inventory,
            current,
            journal,
            rollback=back,
            output=output,
            onward=onward,
            back=undo,
            new_placement=new_placement,
            time=time,
            keep_connected=keep_connected,
            take_out=take_out,
            cuts=cut or (),
            keep_throughput=keep_throughput,
            demand=demand,
            losses=losses,
            loss_budget=loss_budget,
            form=form,
        )
        print(told.to_json() if json else told)
        if not told.valid:
            raise typer.Exit(NOT_VALID)
        return
    if onward is not None or undo is not None:
        raise InvalidInput("--onward, --back: --journal is needed")
    alone = {
        "--new-placement": new_placement,
        "--keep-connected": keep_connected,
        "--take-out": take_out,
        "--cut": cut,
        "--keep-throughput": keep_throughput,
        "--demand": demand,
        "--losses": losses,
        "--loss-budget": loss_budget,
        "--format": form,
    }
    for option, given in alone.items():
        if given:
            raise InvalidInput(f"{option}: --journal is needed")
    from topofinder.api.replay import replay as carry_out

    done = carry_out(file, inventory, current, after=after, rollback=back, output=output)
    print(done.to_json() if json else done)
    if not done.valid:
        raise typer.Exit(NOT_VALID)
