"""`topofinder replay`: an independent check of a plan, and the wiring after any stage of it."""

from json import dumps
from pathlib import Path
from typing import Annotated

import typer

from generators.errors import InvalidInput
from topofinder.api.shared.places import check_places
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
    from generators.files import write_whole
    from reports.replay import ReplayedPlan, replay_fields, replay_text
    from topofinder.api.replay import check_plan
    from topofinder.model.inventory.cross_connects import read_wiring, wiring_text
    from topofinder.model.inventory.ports import read_port_map
    from topofinder.verification.plan_lists import list_difference, lists_beside, plan_file
    from topofinder.verification.plan_reader import read_plan

    document = plan_file(file)
    lists = lists_beside(document)
    if file != document and file not in lists:
        raise InvalidInput(f"{file}: there is no such list of moves")
    read = {"FILE": (file, document, *lists), "--inventory": [inventory], "--current": [current]}
    for name, paths in read.items():
        if output is not None and output.resolve() in [path.resolve() for path in paths]:
            raise InvalidInput(f"--output: {output} is the file of {name}")
    check_places(None, output)
    fabric = read_port_map(inventory)
    plan = read_plan(document, fabric)
    done = check_plan(fabric, read_wiring(current, fabric), plan, until=after, back=back)
    others = (list_difference(plan, path) for path in lists)
    violation = done.violation or next(filter(None, others), None)
    if output is not None and violation is None:
        write_whole(output, wiring_text(fabric, done.after))
    told = ReplayedPlan(
        violation=violation,
        recipe=plan.fields.recipe,
        n=plan.claim.topology.n,
        stages=done.stages,
        whole=done.stages == len(plan.rollback if back else plan.stages),
        back=back,
        circuits=done.after.count,
        missing=len(plan.claim.missing),
        digest=done.after.digest,
        files=tuple(map(str, lists)),
        claimed=done.claimed,
    )
    print(dumps(replay_fields(told), indent=2) if json else replay_text(told))
    if violation is not None:
        raise typer.Exit(NOT_VALID)
