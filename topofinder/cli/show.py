"""`topofinder show`: what is known of one recipe."""

from typing import Annotated

import typer

from topofinder.cli.options import JsonOption


def show(
    recipe: Annotated[str, typer.Argument(help="For example 'L^3(C(16,{3,4}))'.")],
    json: JsonOption = False,
) -> None:
    """Show a recipe's size, exact cost and distance from the lower bounds."""
    from expansions.parser import parse
    from reports.recipe import recipe_json, recipe_text
    from topofinder.facts import facts_of

    print((recipe_json if json else recipe_text)(facts_of(parse(recipe))))
