"""A picture for within a page draws what matplotlib wrote: element by element, with its style."""

import re
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest

import topofinder as tf
from reports.pages.compact_svg import compact_svg
from reports.plots.figure import svg

DRAWN = ("path", "text", "use", "image", "rect")
PLACES = ("d", "x", "y", "width", "height")
Element = tuple[str, dict[str, str], dict[str, str], str]


def elements(text: str) -> Iterator[Element]:
    """What is drawn in order: its kind, places, own and inherited style, and text."""
    root = ElementTree.fromstring(text)
    rules = dict(re.findall(r"\.(k[0-9a-f]+)\{([^}]*)\}", text))
    named = {one.attrib["id"]: one for one in root.iter() if "id" in one.attrib}
    yield from walk(root, {}, rules, named)


def walk(
    one: ElementTree.Element,
    above: dict[str, str],
    rules: dict[str, str],
    named: dict[str, ElementTree.Element],
) -> Iterator[Element]:
    style = above | declared(rules.get(one.attrib.get("class", ""), ""))
    style |= declared(one.attrib.get("style", ""))
    kind = one.tag.rpartition("}")[2]
    if kind in DRAWN:
        places = {name: rounded(one.attrib[name]) for name in PLACES if name in one.attrib}
        turned = one.attrib.get("transform", "")
        if turned and not re.match(r"rotate\(-?0(\.0*)? ", turned):
            places["transform"] = rounded(turned)
        for name, value in one.attrib.items():
            if (meant := re.search(r"#([^)]+)", value)) and name != "style":
                places[name.rpartition("}")[2]] = named[meant[1]].tag
        yield kind, places, style, (one.text or "").strip()
    for inner in one:
        yield from walk(inner, style, rules, named)


def declared(style: str) -> dict[str, str]:
    parts = (part.split(":", 1) for part in style.split(";") if part.strip())
    found = {name.strip(): value.strip() for name, value in parts}
    return {name: value for name, value in found.items() if name != "font-family"}


def rounded(text: str) -> str:
    return " ".join(re.sub(r"(\.\d\d)\d+", r"\1", text).split())


@pytest.mark.parametrize(
    ("subject", "view"),
    [
        ("Small(4,16)", None),
        ("C(60,{1,7})", None),
        ("L(K(2,2))", "expansion"),
        ("K(4,4)", "matrix"),
    ],
)
def test_a_compact_picture_draws_the_same(subject: str, view: str | None) -> None:
    whole = svg(tf.draw(subject, view).figure, "F1")
    short = compact_svg(whole)
    assert list(elements(short)) == list(elements(whole))
    assert len(short) < 0.75 * len(whole)


def test_pictures_on_one_page_do_not_meddle() -> None:
    """Their ids differ, and a class is one style in all of them."""
    texts = [compact_svg(svg(tf.draw(name).figure, mark)) for mark, name in MARKED]
    ids = [name for text in texts for name in re.findall(r' id="([^"]*)"', text)]
    assert len(set(ids)) == len(ids)
    rules = {rule for text in texts for rule in re.findall(r"\.(k[0-9a-f]+)(\{[^}]*\})", text)}
    assert len({name for name, _ in rules}) == len(rules)


MARKED = [("F1", "C(60,{1,7})"), ("F2", "C(62,{1,7})"), ("F10", "Small(4,16)")]
