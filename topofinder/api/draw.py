"""`draw`: a picture of a graph, a schedule, a forest, a timetable, a plan, a frontier."""

from collections.abc import Iterator, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import TypeGuard

from db.rows import SizeRow
from expansions.build import build
from expansions.parser import parse
from expansions.recipe import Base, Line, Power, Recipe
from expansions.schedule_files.saved import SavedSchedule
from generators.cyclic_order import cyclic_order
from generators.errors import InvalidInput, Unsupported
from generators.topology import Topology
from reports.plots.picture import Picture
from reports.size_report import CIRCLE
from topofinder.api.load_save import load
from topofinder.api.shared.answer import Answer
from topofinder.api.shared.drawings import NamedGraph, graph_shape, picture_of
from topofinder.api.shared.stored_recipes import whole_recipe
from topofinder.api.shared.subjects import (
    Subject,
    is_named_fabric,
    is_topology_file,
    named_fabric,
    subject_name,
)
from topofinder.model.forest import Forest
from topofinder.model.inventory.document import Inventory
from topofinder.model.plan import Plan
from topofinder.model.timetable import Timetable
from topofinder.verification.plan_reader import SavedPlan

EXPANSION = "expansion"
ROOT = "root"
FEW_HOSTS, MOST_HOSTS = 16, 96
"""Up to the first number a line graph is drawn itself; beyond the second no number can be read."""
MOST_GRAPHS, MOST_NODES = 48, 1024
"""Graphs beside one another, and the nodes of each."""
Drawable = (
    Subject
    | PathLike[str]
    | Answer
    | SavedSchedule
    | Forest
    | Timetable
    | Plan
    | SavedPlan
    | Inventory
    | SizeRow
    | Sequence[str | Recipe]
)


def draw(
    subject: Drawable,
    view: str | None = None,
    *,
    inventory: str | PathLike[str] | None = None,
    db: str | PathLike[str] | None = None,
) -> Picture:
    """A picture: of a recipe, a fabric, a topology, a file, an answer, or one of the nouns.

    Graphs stand on a circle so that a symmetry is a rotation, or, where there are more than 40
    nodes, as their matrix, in blocks by orbit; the views "circle" and "matrix" ask for one of them,
    and "expansion" shows step by step how a recipe grows. "root" draws a line graph by its root,
    whose arcs are its hosts; so it is drawn unless told where a circle of it would be hair. A list
    of recipes is drawn side by side. Schedules have the views "steps" and "loads", forests "trees"
    and "loads", timetables "times" and "loads", plans "ports", frontiers "frontier", inventories
    "panels" and "hosts". The file of a plan is read with that of its `inventory`. Of candidates
    that are stored in a `db`, `#` and how the id begins will do. The picture has `svg`, `save` and,
    for matplotlib, `figure`. Raises InvalidInput for other views and for what cannot be read,
    Unsupported for what has no picture or is too large for one.

    >>> draw("C(8,{1,3})")
    Picture(title='C(8,{1,3})', words='The graph C(8,{1,3}): 8 nodes, 32 arcs')
    >>> draw("L(K(2,2))", "expansion").title
    'L(K(2,2)), step by step'
    """
    if inventory is not None:
        if not isinstance(subject, str | PathLike):
            raise InvalidInput("inventory: is for the file of a plan")
        return picture_of(load(subject, inventory=inventory), view)
    if isinstance(subject, Answer):
        return subject.plot(view)
    if isinstance(subject, list | tuple):
        return _draw_graphs("", [_read_recipe(whole_recipe(one, db)) for one in subject])
    subject = whole_recipe(fspath(subject) if isinstance(subject, PathLike) else subject, db)
    if isinstance(subject, str):
        noun = parse(subject) if view in (EXPANSION, ROOT) else _read_subject(subject)
        return _draw_recipe(noun, view) if isinstance(noun, Recipe) else picture_of(noun, view)
    if isinstance(subject, Topology):
        return picture_of(NamedGraph(name=subject_name(subject), topology=subject), view)
    if isinstance(subject, Recipe):
        return _draw_recipe(subject, view)
    return picture_of(subject, view)


def _read_subject(text: str) -> object:
    """The noun in a file, else the fabric or recipe that a text names."""
    if is_topology_file(text) or Path(text).suffix == ".npz":
        found = load(text)
        return NamedGraph(name=text, topology=found) if isinstance(found, Topology) else found
    if is_named_fabric(text):
        name, topology = named_fabric(text)
        return NamedGraph(name=name, topology=topology)
    return parse(text)


def _draw_recipe(recipe: Recipe, view: str | None) -> Picture:
    if view == EXPANSION:
        return _draw_expansion(recipe)
    if view == ROOT:
        return _draw_root(recipe)
    topology = build(recipe)
    if view is None and wants_root(recipe, topology):
        return _draw_root(recipe)
    return picture_of(NamedGraph(name=str(recipe), topology=topology), view)


def wants_root(recipe: Recipe, topology: Topology) -> TypeGuard[Line]:
    """Whether a graph's picture is its root's: a circle has room for it, but no known symmetry."""
    if not isinstance(recipe, Line) or not FEW_HOSTS < topology.n <= CIRCLE:
        return False
    return cyclic_order(topology) is None


def _draw_root(recipe: Recipe) -> Picture:
    """The root of a line graph, with the numbers of the hosts at its arcs.

    Raises InvalidInput for other recipes, Unsupported for too many hosts.
    """
    from reports.plots.roots import root_figure

    if not isinstance(recipe, Line):
        raise InvalidInput(f"view: {ROOT} is for line graphs such as L(K(4,4)), not for {recipe}")
    root = line_root(recipe)
    graph = build(root, MOST_HOSTS)
    if graph.arcs > MOST_HOSTS:
        raise Unsupported(f"view: {ROOT} is for up to {MOST_HOSTS} hosts, not {graph.arcs}")
    words = (
        f"The graph {recipe} by its root {root}: each of its {graph.arcs} hosts is an arc between "
        f"{graph.n} nodes, and sends to the hosts that begin where it ends"
    )
    figure = root_figure(f"{recipe}: hosts are the arcs of {root}", graph_shape(graph))
    return Picture(title=str(recipe), words=words, figure=figure)


def line_root(recipe: Line) -> Recipe:
    """The recipe of the graph whose arcs a line graph's hosts are."""
    return Line(recipe.inner, recipe.times - 1) if recipe.times > 1 else recipe.inner


def _read_recipe(one: object) -> Recipe:
    return parse(one) if isinstance(one, str) else one  # type: ignore[return-value]


def _draw_expansion(recipe: Recipe) -> Picture:
    steps = list(dict.fromkeys(expansion_steps(recipe)))
    return _draw_graphs(f"{recipe}, step by step", steps)


def expansion_steps(recipe: Recipe) -> Iterator[Recipe]:
    """What the recipe is made of, from the base graphs to itself."""
    for part in recipe.parts:
        yield from expansion_steps(part)
    if isinstance(recipe, Line | Power):
        first, (most,) = (2 if isinstance(recipe, Power) else 1), recipe.numbers
        for times in range(first, most):
            yield type(recipe)(recipe.parts[0], times)
    yield recipe


def _draw_graphs(title: str, recipes: Sequence[Recipe]) -> Picture:
    from reports.plots.drawing import drawings_figure

    if not 1 <= len(recipes) <= MOST_GRAPHS:
        raise InvalidInput(f"subject: 1 to {MOST_GRAPHS} recipes, not {len(recipes)}")
    graphs = [(str(recipe), build(recipe, MOST_NODES)) for recipe in recipes]
    drawn = [
        (name if isinstance(recipe, Base) else f"{name}: {graph.n} nodes", graph_shape(graph))
        for recipe, (name, graph) in zip(recipes, graphs, strict=True)
    ]
    names = ", ".join(f"{name} of {graph.n} nodes" for name, graph in graphs)
    title = title or f"{len(graphs)} graphs"
    return Picture(title=title, words=f"{title}: {names}", figure=drawings_figure(title, drawn))
