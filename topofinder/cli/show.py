"""`topofinder show`: what is known of one recipe."""

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


def show(
    recipe: Annotated[str, typer.Argument(help="For example 'L^3(C(16,{3,4}))'.")],
    with_baselines: BaselinesOption = False,
    alpha: AlphaOption = None,
    size: SizeOption = None,
    bandwidth: BandwidthOption = None,
    json: JsonOption = False,
) -> None:
    """Show a recipe's size, exact cost and distance from the lower bounds."""
    from expansions.parser import parse
    from reports.recipe import recipe_json, recipe_text
    from topofinder.facts import facts_of

    times = workload(alpha, size, bandwidth, None, Collective.ALLREDUCE)
    if times is not None and not with_baselines:
        raise InvalidInput("--alpha, --size and --bandwidth are for --with-baselines")
    facts, baselines = facts_of(parse(recipe)), None
    if with_baselines:
        from topofinder.baseline_rows import baseline_rows

        baselines = baseline_rows(facts.n, facts.d, times)
    print((recipe_json if json else recipe_text)(facts, baselines))
