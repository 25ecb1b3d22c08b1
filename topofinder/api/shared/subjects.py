"""What a command is about: a recipe, a fabric, a file with a topology, or such an object itself."""

from pathlib import Path

from expansions.build import build
from expansions.hosts import host_topology, is_host_fabric, parse_host_fabric
from expansions.parser import parse
from expansions.recipe import Recipe
from generators.fabrics.names import fabric_of, is_fabric
from generators.formats.by_suffix import FORMATS, read_topology
from generators.limits import LARGEST_BUILT
from generators.topology import Topology

Subject = str | Recipe | Topology
"""A text (a recipe, a fabric such as `DGXA100(2)`, or the name of a file), a recipe, a topology."""


def subject_of(subject: Subject, limit: int = LARGEST_BUILT) -> tuple[Recipe | None, Topology]:
    """The recipe, None where there is none, and the topology of a subject.

    Recipes may have at most `limit` nodes. Raises InvalidInput for a text that is neither a recipe
    nor a fabric nor a readable file.

    >>> recipe, topology = subject_of("K(4)")
    >>> str(recipe), topology.n
    ('K(4)', 4)
    """
    if isinstance(subject, Topology):
        return None, subject
    if not isinstance(subject, str):
        return subject, build(subject, limit)
    if is_topology_file(subject):
        return None, read_topology(subject)
    if is_named_fabric(subject):
        return None, named_fabric(subject)[1]
    recipe = parse(subject)
    return recipe, build(recipe, limit)


def is_named_fabric(text: str) -> bool:
    """Whether the text begins as the name of a fabric does: `DGXA100(2)`, `HostA100[K(8,8)]`.

    >>> is_named_fabric("DGXA100(2)"), is_named_fabric("HostA100[K(8,8)]"), is_named_fabric("K(4)")
    (True, True, False)
    """
    return is_host_fabric(text) or is_fabric(text)


def named_fabric(text: str) -> tuple[str, Topology]:
    """The canonical name of such a fabric, and its topology.

    >>> named_fabric("HostA100[K(8,8)]")[0]
    'Host(8;switch@300GB/s;1@25GB/s)[K(8,8)]'
    """
    if not is_host_fabric(text):
        return fabric_of(text)
    fabric = parse_host_fabric(text)
    return str(fabric), host_topology(fabric)


def check_recipe(text: str) -> None:
    """Refuse a text that is no recipe where it is neither a fabric nor the name of a file.

    Nothing is read or built. Raises InvalidInput with a caret under what is wrong.
    """
    if not is_topology_file(text) and not is_named_fabric(text):
        parse(text)


def subject_name(subject: Subject) -> str:
    """How a subject is called in an answer.

    >>> subject_name("a.edges"), subject_name(Topology.from_arcs(2, [(0, 1), (1, 0)]))
    ('a.edges', 'a topology of 2 nodes')
    """
    if isinstance(subject, Topology):
        return f"a topology of {subject.n} nodes"
    return str(subject)


def is_topology_file(text: str) -> bool:
    """Whether the suffix is that of a file with a topology."""
    suffixes = {suffix for known in FORMATS.values() for suffix in known.suffixes}
    return Path(text).suffix.lower() in suffixes


def forest_subject(subject: Subject) -> tuple[str | None, Topology]:
    """The canonical name of a recipe or fabric, None for a file, and the topology.

    Files must say each direction of a link: an undirected one leaves open whether a capacity is
    that of one direction or of both.
    """
    if isinstance(subject, Topology):
        return None, subject
    if not isinstance(subject, str):
        return str(subject), build(subject)
    if is_topology_file(subject):
        return None, read_topology(subject, directed=True)
    return named_topology(subject)


def named_topology(text: str) -> tuple[str, Topology]:
    """The canonical name of a recipe or fabric, and its topology; never a file."""
    if is_named_fabric(text):
        return named_fabric(text)
    recipe = parse(text)
    return str(recipe), build(recipe)
