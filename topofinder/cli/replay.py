"""`topofinder replay`: an independent check of a plan, and the wiring after any stage of it."""

from pathlib import Path
from typing import Annotated

import typer

from generators.errors import InvalidInput
from topofinder.cli.options import JsonOption
from topofinder.cli.plan import CurrentOption, InventoryOption

NOT_VALID = 1


def replay(
    file: Annotated[Path, typer.Argument(help="A plan: .json.")],
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
    from generators.files import write_whole
    from reports.replay import ReplayedPlan, replay_json, replay_text
    from topofinder.inventory.cross_connects import read_wiring, wiring_text
    from topofinder.inventory.reading import read_fabric
    from topofinder.replay.check import check_plan
    from topofinder.replay.reading import read_plan
    from topofinder.scheduling.same_graph import other_graph

    for name, read in (("FILE", file), ("--inventory", inventory)):
        if output is not None and output.resolve() == read.resolve():
            raise InvalidInput(f"--output: {output} is the file of {name}")
    fabric = read_fabric(inventory)
    plan = read_plan(file, fabric)
    done = check_plan(read_wiring(current, fabric), plan, until=after, back=back)
    violation = done.violation or other_graph(plan.claim.topology, plan.recipe)
    if output is not None and violation is None:
        write_whole(output, wiring_text(fabric, done.after))
    told = ReplayedPlan(
        violation=violation,
        recipe=plan.recipe,
        n=plan.claim.topology.n,
        stages=done.stages,
        whole=done.stages == len(plan.rollback if back else plan.stages),
        back=back,
        circuits=done.after.count,
        missing=len(plan.claim.missing),
        digest=done.after.digest,
    )
    print((replay_json if json else replay_text)(told))
    if violation is not None:
        raise typer.Exit(NOT_VALID)
