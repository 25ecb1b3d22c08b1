"""`topofinder show`: what is known of one recipe, or of one schedule."""

from json import dumps
from pathlib import Path
from typing import Annotated

import typer

from expansions.collective import Collective
from generators.errors import InvalidInput
from topofinder.api.shared.workloads import read_workload
from topofinder.cli.file_kinds import FOREST, SCHEDULE, TOPOLOGY, explain_wrong_file
from topofinder.cli.forest import forest_shown, shows_forest, transfer_of
from topofinder.cli.options import (
    AlphaOption,
    BandwidthOption,
    BaselinesOption,
    JsonOption,
    SizeOption,
)
from topofinder.model.candidate import LinkMode
from topofinder.model.workload import Workload


def show(
    subject: Annotated[
        str,
        typer.Argument(
            metavar="RECIPE|FILE",
            help="For example 'L^3(C(16,{3,4}))', or a file made by schedule.",
        ),
    ],
    with_baselines: BaselinesOption = False,
    beats: Annotated[
        bool,
        typer.Option(
            "--beats", help="What this base graph adds to the frontiers up to 2000 nodes."
        ),
    ] = False,
    links: Annotated[
        LinkMode | None,
        typer.Option("--links", help="For --beats: simplex, the default, or duplex."),
    ] = None,
    forest: Annotated[
        bool, typer.Option("--forest", help="1/x*, k, trees and bottleneck of an allgather.")
    ] = False,
    alpha: AlphaOption = None,
    size: SizeOption = None,
    bandwidth: BandwidthOption = None,
    json: JsonOption = False,
) -> None:
    """Show a recipe's size, exact cost and distance from the lower bounds; or a schedule's.

    Of a fabric such as 'DGXA100(2)', and of a recipe or topology file with --forest, the best
    throughput and its bottleneck are shown, and the time for a --size; a forest's file tells the
    same.
    """
    if not beats and links is None and shows_forest(subject, forest):
        if with_baselines:
            raise InvalidInput("--with-baselines is for recipes, not for forests")
        transfer = transfer_of(alpha, size, bandwidth)
        with explain_wrong_file("show", subject, FOREST, TOPOLOGY):
            print(forest_shown(subject, transfer, json))
        return
    times = read_workload(alpha, size, bandwidth, None, Collective.ALLREDUCE)
    if times is not None and not with_baselines:
        raise InvalidInput("--alpha, --size and --bandwidth are for --with-baselines and forests")
    if beats:
        if with_baselines:
            raise InvalidInput("--with-baselines does not go together with --beats")
        print(_beats(subject, links or LinkMode.SIMPLEX, json))
    elif links is not None:
        raise InvalidInput("--links is for --beats")
    elif Path(subject).suffix.lower() in (".npz", ".json"):
        if with_baselines:
            raise InvalidInput("--with-baselines is for recipes, not for schedule files")
        with explain_wrong_file("show", subject, SCHEDULE):
            print(_schedule(Path(subject), json))
    else:
        with explain_wrong_file("show", subject):
            print(_recipe(subject, with_baselines, times, json))


def _beats(text: str, links: LinkMode, json: bool) -> str:
    from reports.improvements import improvement_fields, improvements_text
    from topofinder.api.improvement_rows import MOST_NODES, improvement_rows

    rows = improvement_rows(text, links)
    return (
        dumps(list(map(improvement_fields, rows)), indent=2)
        if json
        else improvements_text(rows, links.value, MOST_NODES)
    )


def _schedule(file: Path, json: bool) -> str:
    from reports.schedule_file import described_fields, described_text
    from topofinder.api.schedule_records import described

    return (
        dumps(described_fields(described(file)), indent=2)
        if json
        else described_text(described(file))
    )


def _recipe(text: str, with_baselines: bool, times: Workload | None, json: bool) -> str:
    from expansions.parser import parse
    from reports.recipe import recipe_fields, recipe_text
    from topofinder.api.show import facts_of

    facts, baselines = facts_of(parse(text)), None
    if with_baselines:
        from topofinder.api.shared.baseline_rows import baseline_rows

        baselines = baseline_rows(facts.n, facts.d, times)
    return (
        dumps(recipe_fields(facts, baselines), indent=2) if json else recipe_text(facts, baselines)
    )
