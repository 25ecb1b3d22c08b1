"""topofinder: which wiring, with which schedules, is best for a direct-connect fabric.

The public names below are imported when they are first used, so that `import topofinder` itself
takes no time.

>>> import topofinder
>>> [row.recipe for row in topofinder.search(16, 4).members]
['Small(4,16)', 'C(16,{3,4})']
"""

import sys
from importlib import import_module
from types import ModuleType

from topofinder.own_packages import require_own_packages, starts_as_program

if starts_as_program():
    from topofinder.interrupts import leave_when_interrupted

    leave_when_interrupted()
else:
    require_own_packages()

TYPE_CHECKING = False  # that of `typing` takes longer to import than all else here
if TYPE_CHECKING:
    from typing import Any

    from expansions.build import build
    from expansions.collective import Collective
    from expansions.cost import Cost
    from expansions.parser import parse
    from expansions.recipe import Recipe
    from generators.damage import Damage, apply_damage
    from generators.errors import InvalidInput, TopofinderError, Unsupported
    from generators.formats import read_topology, write_topology
    from generators.topology import Topology
    from generators.version import __version__
    from topofinder.api.plan import plan
    from topofinder.api.query import query
    from topofinder.api.schedule import schedule
    from topofinder.api.search import search
    from topofinder.api.shared.workloads import read_workload
    from topofinder.api.show import show
    from topofinder.api.sweep import fill_sizes as sweep
    from topofinder.api.throughput import Throughput, throughput
    from topofinder.api.verify import verify
    from topofinder.finder.prediction import best_known, predict
    from topofinder.model.candidate import Candidate, LinkMode
    from topofinder.model.forest_files import read_forest, write_forest
    from topofinder.model.workload import Workload
    from topofinder.schedules.bfb.evaluation import evaluate

_HOMES = {
    "Candidate": "topofinder.model.candidate",
    "Collective": "expansions.collective",
    "Cost": "expansions.cost",
    "Damage": "generators.damage",
    "InvalidInput": "generators.errors",
    "LinkMode": "topofinder.model.candidate",
    "Recipe": "expansions.recipe",
    "Throughput": "topofinder.api.throughput",
    "TopofinderError": "generators.errors",
    "Topology": "generators.topology",
    "Unsupported": "generators.errors",
    "Workload": "topofinder.model.workload",
    "__version__": "generators.version",
    "apply_damage": "generators.damage",
    "best_known": "topofinder.finder.prediction",
    "build": "expansions.build",
    "evaluate": "topofinder.schedules.bfb.evaluation",
    "parse": "expansions.parser",
    "plan": "topofinder.api.plan",
    "predict": "topofinder.finder.prediction",
    "query": "topofinder.api.query",
    "read_forest": "topofinder.model.forest_files",
    "read_topology": "generators.formats",
    "read_workload": "topofinder.api.shared.workloads",
    "schedule": "topofinder.api.schedule",
    "search": "topofinder.api.search",
    "show": "topofinder.api.show",
    "sweep": "topofinder.api.sweep",
    "throughput": "topofinder.api.throughput",
    "verify": "topofinder.api.verify",
    "write_forest": "topofinder.model.forest_files",
    "write_topology": "generators.formats",
}

__all__ = [
    "Candidate",
    "Collective",
    "Cost",
    "Damage",
    "InvalidInput",
    "LinkMode",
    "Recipe",
    "Throughput",
    "TopofinderError",
    "Topology",
    "Unsupported",
    "Workload",
    "__version__",
    "apply_damage",
    "best_known",
    "build",
    "evaluate",
    "parse",
    "plan",
    "predict",
    "query",
    "read_forest",
    "read_topology",
    "read_workload",
    "schedule",
    "search",
    "show",
    "sweep",
    "throughput",
    "verify",
    "write_forest",
    "write_topology",
]


class _Package(ModuleType):
    """The package itself, whose public names win over those of its subpackages.

    The import of any module of `topofinder.throughput` would put that subpackage where the public
    function `throughput` belongs. Modules are still imported by their full names.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> "Any":
    if name not in _HOMES:
        raise AttributeError(f"module 'topofinder' has no attribute {name!r}")
    require_own_packages()
    found = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found
