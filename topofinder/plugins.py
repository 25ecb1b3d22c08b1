"""What plugins are written with: the specs of each register, and what these speak of.

A plugin enters families, expansions, methods and more (docs/plugins.md). The names are imported
when they are first used, so that a plugin loads no more than it needs.

>>> from topofinder.plugins import BaseProperties
>>> BaseProperties(n=8, d=3).transitive is None
True
"""

from importlib import import_module

TYPE_CHECKING = False  # that of `typing` takes longer to import than all else here
if TYPE_CHECKING:
    from typing import Any

    from expansions.build import build
    from expansions.cost import Cost
    from expansions.recipe import Application, Base, Recipe
    from expansions.register import (
        CostedGraph,
        Expansion,
        ScheduledGraph,
        Source,
        register_expansion,
    )
    from expansions.schedule import Schedule
    from generators.errors import InvalidInput, Unsupported
    from generators.fabrics.register import SwitchedFamily, register_fabric
    from generators.registry import BaseProperties, Family, register_family, require
    from generators.topology import BoolArray, FloatArray, Int64Array, IntArray, Topology
    from topofinder.alltoall.demand.patterns import DemandPattern, register_pattern
    from topofinder.alltoall.register import ThroughputMethod, register_throughput_method
    from topofinder.alltoall.solver.search import ThroughputSearch
    from topofinder.exporters.register import Exporter, ExportRequest, register_exporter
    from topofinder.exporters.route_files import Routes
    from topofinder.kernels import inner, kernel
    from topofinder.model.file_register import FileKind, register_file_kind
    from topofinder.schedules.baselines.register import Baseline, register_baseline, require_family
    from topofinder.schedules.methods import allgather_method
    from topofinder.schedules.register import (
        MadeSchedule,
        ScheduleMethod,
        ScheduleTask,
        register_schedule_method,
    )

_HOMES = {
    "Application": "expansions.recipe",
    "Base": "expansions.recipe",
    "Baseline": "topofinder.schedules.baselines.register",
    "BoolArray": "generators.topology",
    "Cost": "expansions.cost",
    "CostedGraph": "expansions.register",
    "DemandPattern": "topofinder.alltoall.demand.patterns",
    "Expansion": "expansions.register",
    "ExportRequest": "topofinder.exporters.register",
    "Exporter": "topofinder.exporters.register",
    "Family": "generators.registry",
    "FileKind": "topofinder.model.file_register",
    "FloatArray": "generators.topology",
    "Int64Array": "generators.topology",
    "IntArray": "generators.topology",
    "InvalidInput": "generators.errors",
    "MadeSchedule": "topofinder.schedules.register",
    "BaseProperties": "generators.registry",
    "Recipe": "expansions.recipe",
    "Routes": "topofinder.exporters.route_files",
    "Schedule": "expansions.schedule",
    "ScheduleMethod": "topofinder.schedules.register",
    "ScheduleTask": "topofinder.schedules.register",
    "ScheduledGraph": "expansions.register",
    "Source": "expansions.register",
    "SwitchedFamily": "generators.fabrics.register",
    "ThroughputMethod": "topofinder.alltoall.register",
    "ThroughputSearch": "topofinder.alltoall.solver.search",
    "Topology": "generators.topology",
    "Unsupported": "generators.errors",
    "allgather_method": "topofinder.schedules.methods",
    "build": "expansions.build",
    "inner": "topofinder.kernels",
    "kernel": "topofinder.kernels",
    "register_baseline": "topofinder.schedules.baselines.register",
    "register_expansion": "expansions.register",
    "register_exporter": "topofinder.exporters.register",
    "register_fabric": "generators.fabrics.register",
    "register_family": "generators.registry",
    "register_file_kind": "topofinder.model.file_register",
    "register_pattern": "topofinder.alltoall.demand.patterns",
    "register_schedule_method": "topofinder.schedules.register",
    "register_throughput_method": "topofinder.alltoall.register",
    "require": "generators.registry",
    "require_family": "topofinder.schedules.baselines.register",
}
"""Where each name is defined; those who read the code alone see the imports above."""

__all__ = [
    "Application",
    "Base",
    "BaseProperties",
    "Baseline",
    "BoolArray",
    "Cost",
    "CostedGraph",
    "DemandPattern",
    "Expansion",
    "ExportRequest",
    "Exporter",
    "Family",
    "FileKind",
    "FloatArray",
    "Int64Array",
    "IntArray",
    "InvalidInput",
    "MadeSchedule",
    "Recipe",
    "Routes",
    "Schedule",
    "ScheduleMethod",
    "ScheduleTask",
    "ScheduledGraph",
    "Source",
    "SwitchedFamily",
    "ThroughputMethod",
    "ThroughputSearch",
    "Topology",
    "Unsupported",
    "allgather_method",
    "build",
    "inner",
    "kernel",
    "register_baseline",
    "register_expansion",
    "register_exporter",
    "register_fabric",
    "register_family",
    "register_file_kind",
    "register_pattern",
    "register_schedule_method",
    "register_throughput_method",
    "require",
    "require_family",
]


def __getattr__(name: str) -> "Any":
    if name not in _HOMES:
        raise AttributeError(f"module 'topofinder.plugins' has no attribute {name!r}")
    found = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
