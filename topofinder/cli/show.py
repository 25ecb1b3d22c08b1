"""`topofinder show`: what is known of one recipe, or of one schedule."""

from pathlib import Path
from typing import Annotated

import typer

from expansions.collective import Collective
from generators.errors import InvalidInput
from topofinder.cli.options import (
    AlphaOption,
    BandwidthOption,
    BaselinesOption,
    JsonOption,
    SizeOption,
    workload,
)
from topofinder.workload import Workload


def show(
    subject: Annotated[
        str,
        typer.Argument(
            metavar="RECIPE|FILE", help="For example 'L^3(C(16,{3,4}))', or a schedule file."
        ),
    ],
    with_baselines: BaselinesOption = False,
    alpha: AlphaOption = None,
    size: SizeOption = None,
    bandwidth: BandwidthOption = None,
    json: JsonOption = False,
) -> None:
    """Show a recipe's size, exact cost and distance from the lower bounds; or a schedule's."""
    times = workload(alpha, size, bandwidth, None, Collective.ALLREDUCE)
    if times is not None and not with_baselines:
        raise InvalidInput("--alpha, --size and --bandwidth are for --with-baselines")
    if Path(subject).suffix.lower() in (".npz", ".json"):
        if with_baselines:
            raise InvalidInput("--with-baselines is for recipes, not for schedule files")
        print(_schedule(Path(subject), json))
    else:
        print(_recipe(subject, with_baselines, times, json))


def _schedule(file: Path, json: bool) -> str:
    from reports.schedule_file import described_json, described_text
    from topofinder.schedule_record import described

    return (described_json if json else described_text)(described(file))


def _recipe(text: str, with_baselines: bool, times: Workload | None, json: bool) -> str:
    from expansions.parser import parse
    from reports.recipe import recipe_json, recipe_text
    from topofinder.facts import facts_of

    facts, baselines = facts_of(parse(text)), None
    if with_baselines:
        from topofinder.baseline_rows import baseline_rows

        baselines = baseline_rows(facts.n, facts.d, times)
    return (recipe_json if json else recipe_text)(facts, baselines)
