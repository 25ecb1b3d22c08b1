"""Graphs that somebody gave a name: on which frontier each stands, and from which file it came.

They are a parameter of the frontier that they stand on, since they change its answer: beside the
search's own graphs, those count that were merged by name.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from generators.errors import InvalidInput
from generators.excerpts import excerpt

GRAPHS = "graphs"
"""The parameter of a frontier that lists them."""
LONGEST_NAME = 60
_NAME = re.compile(rf"[!-~]([ -~]{{0,{LONGEST_NAME - 2}}}[!-~])?", re.ASCII)
_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphOfOthers:
    """A graph on a frontier: its name, its recipe, and the SHA-256 of the file that it came in.

    Raises InvalidInput for names of other than 1 to LONGEST_NAME printable ASCII characters, and
    for what is no such hash.

    >>> GraphOfOthers(name="golf", recipe="K(3)", digest="0" * 64).fields()["name"]
    'golf'
    """

    name: str
    recipe: str
    digest: str

    def __post_init__(self) -> None:
        if not (isinstance(self.name, str) and _NAME.fullmatch(self.name)):
            raise InvalidInput(
                f"name: 1 to {LONGEST_NAME} printable ASCII characters, no blank at either end, "
                f"not {excerpt(self.name)}"
            )
        if not isinstance(self.recipe, str):
            raise InvalidInput(f"recipe: a text is needed, not {excerpt(self.recipe)}")
        if not (isinstance(self.digest, str) and _DIGEST.fullmatch(self.digest)):
            raise InvalidInput(f"digest: a SHA-256 is needed, not {excerpt(self.digest)}")

    def fields(self) -> dict[str, str]:
        """What JSON holds of it."""
        return {"name": self.name, "recipe": self.recipe, "digest": self.digest}


def graphs_parameter(graphs: Iterable[GraphOfOthers]) -> dict[str, Any]:
    """The parameter that lists these graphs by name; nothing where there are none.

    >>> graphs_parameter([])
    {}
    """
    listed = [one.fields() for one in sorted(graphs, key=lambda one: one.name)]
    return {GRAPHS: listed} if listed else {}


def read_graphs(parameters: object) -> tuple[GraphOfOthers, ...]:
    """The named graphs among a frontier's parameters. Raises InvalidInput for anything else.

    >>> read_graphs({"effort": 1})
    ()
    """
    listed = parameters.get(GRAPHS, []) if isinstance(parameters, dict) else None
    if not isinstance(listed, list):
        raise InvalidInput(f"{GRAPHS}: a list is needed, not {excerpt(listed)}")
    return tuple(map(_read_graph, listed))


def _read_graph(fields: object) -> GraphOfOthers:
    if not isinstance(fields, dict) or set(fields) != {"name", "recipe", "digest"}:
        raise InvalidInput(f"{GRAPHS}: a name, recipe and digest are needed, not {excerpt(fields)}")
    return GraphOfOthers(**fields)
