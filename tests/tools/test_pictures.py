"""The documentation's pictures: up to date by what is in them, all shown, and all that there is."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from expansions.parser import parse
from expansions.recipe import Base, Recipe
from expansions.register import EXPANSIONS
from generators.families.register_all import FAMILIES
from tools.docs import PAGES
from tools.pictures import (
    FOLDER,
    PICTURES,
    draw_pictures,
    family_recipes,
    make_picture,
    picture_names,
)

ALWAYS = ("circulant", "torus", "transpose", "graft", "loads")
"""A sample; the others are slow."""
NAMES = [
    name if name in ALWAYS else pytest.param(name, marks=pytest.mark.slow)
    for name in picture_names()
]


def contents(svg: str) -> set[str]:
    """Labels, ids and texts: all but places, which the version of matplotlib decides."""
    ids = {one for one in re.findall(r'id="(p-[a-z]+-[\w-]+)"', svg) if "glyph" not in one}
    return ids | set(re.findall(r"<text[^>]*>([^<]*)</text>|aria-label=\"([^\"]*)\"", svg))


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_up_to_date(name: str) -> None:
    kept = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    assert contents(kept) == contents(make_picture(name).svg), f"python -m tools.pictures {name}"


def test_every_picture_is_shown_and_there_are_no_others() -> None:
    shown = set()
    for page in PAGES:
        shown |= set(re.findall(r"pictures/([\w-]+)\.svg\)", page.read_text(encoding="utf-8")))
    assert shown == set(picture_names()) == {path.stem for path in FOLDER.iterdir()}


def operators(recipe: Recipe) -> Iterator[str]:
    if not isinstance(recipe, Base):
        yield recipe.symbol
    for part in recipe.parts:
        yield from operators(part)


def test_every_expansion_and_every_family_is_drawn() -> None:
    texts = [re.match(r'tf\.draw\("([^"]*)", "expansion"\)', code) for code in PICTURES.values()]
    drawn = {symbol for text in texts if text for symbol in operators(parse(text[1]))}
    assert drawn == set(EXPANSIONS)
    bases = [parse(text) for text in family_recipes()]
    assert {base.name for base in bases if isinstance(base, Base)} == set(FAMILIES)


def test_one_picture_can_be_drawn_again(tmp_path: Path) -> None:
    draw_pictures(["transpose"], tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["transpose.svg"]
