"""The pictures of the documentation, drawn by the public functions: `python -m tools.pictures`.

Each is what one expression gives, with `tf` for topofinder; pages show the expression above it.
`python -m tools.pictures NAME ...` draws some of them.
"""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from generators.families.register_all import FAMILIES
from tools.docs import ROOT
from tools.tables import family_example

if TYPE_CHECKING:
    import topofinder

__all__ = ["show_expansions", "show_picture"]

FOLDER = ROOT / "docs" / "pictures"
TIMES = 'alpha="10us", size="1MiB", bandwidth="100Gbps"'
PICTURES = {
    "circulant": 'tf.draw("C(24,{3,4})")',
    "torus": 'tf.draw("Torus(8,6)", "matrix")',
    "large": 'tf.draw("L^3(C(16,{3,4}))")',
    "root": 'tf.draw("L(K(4,4))")',
    "line-graph": 'tf.draw("L^2(K(2,2))", "expansion")',
    "degree": 'tf.draw("UniRing(1,4)*2", "expansion")',
    "product": 'tf.draw("UniRing(1,4) x K(3)", "expansion")',
    "power": 'tf.draw("K(3)^3", "expansion")',
    "parallel": 'tf.draw("UniRing(1,4)||2", "expansion")',
    "transpose": 'tf.draw("T(Pi(2,10))", "expansion")',
    "graft": 'tf.draw("Graft(C(10,{1,3});-9.7)", "expansion")',
    "two-way-graft": 'tf.draw("BiGraft(C(12,{1,5});-11.0,~1.9)", "expansion")',
    "matching": 'tf.draw("Match(BiRing(2,9))", "expansion")',
    "splitting-off": 'tf.draw("SplitOff(C(10,{1,5}),0)", "expansion")',
    "two-way": 'tf.draw("Bi(Kautz(2,1))", "expansion")',
    "frontier": "tf.search(1024, 4).plot()",
    "steps": 'tf.schedule("L(K(2,2))", method="bfb").plot()',
    "loads": 'tf.schedule("Diamond", method="bfb").plot("loads")',
    "trees": 'tf.schedule("DGXA100(2)", method="forest").plot()',
    "timetable": f'tf.schedule("C(5,{{1,2}})", method="timed", {TIMES}).plot()',
    "busy": f'tf.schedule("Mesh(3,3)", method="timed", {TIMES}).plot(\n    "loads"\n)',
    "panels": 'tf.draw(tf.load("fabric.json"))',
    "plan": 'tf.plan("fabric.json", "wired.csv", "C(16,{3,4})").plot()',
}
"""By the name of the file, without its suffix."""


def family_recipes() -> list[str]:
    """An example of each family of base graphs.

    >>> family_recipes()[:2]
    ['BiRing(2,8)', 'C(10,{2,5})']
    """
    return [family_example(family) for _, family in sorted(FAMILIES.items())]


def make_picture(name: str) -> "topofinder.Picture":
    """The picture of that name; those of plans get the inventory that they name."""
    import topofinder as tf

    if name == "families":
        return tf.draw(family_recipes())
    code = PICTURES[name]
    with TemporaryDirectory() as folder:
        if "fabric.json" in code:
            tf.inventory("Torus(4,4)", f"{folder}/fabric.json", current=f"{folder}/wired.csv")
            code = code.replace('"fabric.json"', f'"{folder}/fabric.json"')
            code = code.replace('"wired.csv"', f'"{folder}/wired.csv"')
        found: tf.Picture = eval(code, {"tf": tf})
        return found


def picture_names() -> list[str]:
    """All of them."""
    return ["families", *PICTURES]


def show_picture(name: str, *, code: bool = True) -> None:
    """The expression as a block, and the picture with what it shows, for a page."""
    if code and name in PICTURES:
        print(f"```python\n{PICTURES[name]}\n```\n")
    print(f"![{picture_words(name)}](pictures/{name}.svg)")


def show_expansions(*, costs: bool = False) -> None:
    """The pictures of all expansions for a page, each with what every step costs, if wanted."""
    for name, code in PICTURES.items():
        if '"expansion"' in code:
            recipe = code.split('"')[1]
            print(f"`{recipe}`{_step_costs(recipe) if costs else ''}:\n")
            show_picture(name, code=False)
            print()


def _step_costs(recipe: str) -> str:
    import topofinder as tf
    from topofinder.api.draw import expansion_steps

    told = []
    for step in dict.fromkeys(expansion_steps(tf.parse(recipe))):
        cost = tf.evaluate(tf.build(step).topology).cost
        told.append(f"{step} has T_L {cost.steps}, T_B {cost.bandwidth}")
    return f" ({'; '.join(told)})"


def picture_words(name: str) -> str:
    """The label that the file of a picture has; brackets would end a link's text."""
    text = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    words = text.split('aria-label="', 1)[1].split('"', 1)[0]
    return words.replace("[", "(").replace("]", ")")


def draw_pictures(names: list[str], folder: Path = FOLDER) -> None:
    """Draw some of them, or all, into a folder that is there."""
    for name in names or picture_names():
        path = make_picture(name).save(folder / f"{name}.svg")
        print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    draw_pictures(sys.argv[1:])
