"""topofinder: which wiring, with which schedules, is best for a direct-connect fabric.

The public names below are enough for all that the command line does. They are imported when
they are first used, so that `import topofinder` itself takes no time.

>>> import topofinder
>>> [row.recipe for row in topofinder.search(32, 4).frontier.members]
['L(K(4,4))', 'C(32,{4,5})']
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from generators.version import __version__

if TYPE_CHECKING:
    from expansions.build import build
    from expansions.collective import Collective
    from expansions.cost import Cost
    from expansions.parser import parse
    from expansions.recipe import Recipe
    from generators.errors import InvalidInput, TopofinderError, Unsupported
    from generators.formats import read_topology, write_topology
    from generators.topology import Topology
    from topofinder.bfb.evaluate import evaluate
    from topofinder.candidate import Candidate, Links
    from topofinder.facts import facts_of
    from topofinder.finder.run import search
    from topofinder.finder.sweep import sweep
    from topofinder.prediction import best_known, predict
    from topofinder.workload import Workload

_HOMES = {
    "Candidate": "topofinder.candidate",
    "Collective": "expansions.collective",
    "Cost": "expansions.cost",
    "InvalidInput": "generators.errors",
    "Links": "topofinder.candidate",
    "Recipe": "expansions.recipe",
    "TopofinderError": "generators.errors",
    "Topology": "generators.topology",
    "Unsupported": "generators.errors",
    "Workload": "topofinder.workload",
    "best_known": "topofinder.prediction",
    "build": "expansions.build",
    "evaluate": "topofinder.bfb.evaluate",
    "facts_of": "topofinder.facts",
    "parse": "expansions.parser",
    "predict": "topofinder.prediction",
    "read_topology": "generators.formats",
    "search": "topofinder.finder.run",
    "sweep": "topofinder.finder.sweep",
    "write_topology": "generators.formats",
}

__all__ = [
    "Candidate",
    "Collective",
    "Cost",
    "InvalidInput",
    "Links",
    "Recipe",
    "TopofinderError",
    "Topology",
    "Unsupported",
    "Workload",
    "__version__",
    "best_known",
    "build",
    "evaluate",
    "facts_of",
    "parse",
    "predict",
    "read_topology",
    "search",
    "sweep",
    "write_topology",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'topofinder' has no attribute {name!r}")
    found = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found
