"""What a page is laid out as, and which rules of accessibility it breaks, by axe-core.

axe-core checks rules of the Web Content Accessibility Guidelines in the page itself; it comes with
the Python package of its driver, so nothing is asked of the network.
"""

from importlib.resources import files
from typing import NamedTuple

from tests.browser import OpenPage

LAYOUT = """(() => {
  const size = one => parseFloat(getComputedStyle(one).fontSize);
  const scale = one => {
    if (!one.getScreenCTM) return 1;
    const m = one.getScreenCTM();
    return Math.hypot(m.a, m.b);
  };
  const told = one => [...one.childNodes].some(part => part.nodeType === 3 && part.data.trim());
  const letters = [...document.querySelectorAll("body *")].filter(
    one => told(one) && !["SCRIPT", "STYLE"].includes(one.tagName));
  const cut = one => one.scrollWidth > one.clientWidth + 1 && (
    one.matches("th.key") || getComputedStyle(one).overflowX === "hidden");
  return [
    document.documentElement.scrollWidth,
    Math.min(...letters.map(one => size(one) * scale(one))),
    letters.filter(cut).length,
  ];
})()"""
AXE = """axe.run(document, {resultTypes: ["violations"]}).then(found => found.violations.map(
  one => one.id + ": " + one.nodes[0].html.slice(0, 200)))"""


class Layout(NamedTuple):
    """The page's width and its smallest letters, in pixels, and how many texts are cut off."""

    width: int
    letters: float
    cut: int


def layout_of(opened: OpenPage) -> Layout:
    return Layout(*opened.value(LAYOUT))


def broken_rules(opened: OpenPage) -> list[str]:
    """The rules that a page breaks, each with the first place where it does."""
    checker = files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    opened.value(f"{checker};0")
    told: list[str] = opened.value(AXE)
    return told
