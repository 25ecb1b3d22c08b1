"""topofinder: which wiring, with which schedules, is best for a direct-connect fabric.

The public names below are imported when they are first used, so that `import topofinder` itself
takes no time.

>>> import topofinder
>>> [row.recipe for row in topofinder.search(16, 4).members]
['Small(4,16)', 'C(16,{3,4})']
"""

from importlib import import_module

from topofinder.own_packages import require_own_packages, starts_as_program

if starts_as_program():
    from topofinder.interrupts import leave_when_interrupted

    leave_when_interrupted()
else:
    require_own_packages()

TYPE_CHECKING = False  # that of `typing` takes longer to import than all else here
if TYPE_CHECKING:
    from typing import Any

    from expansions.collective import Collective
    from expansions.cost import Cost
    from expansions.parser import parse
    from expansions.recipe import Recipe
    from expansions.schedule import Schedule
    from expansions.schedule_files.saved import SavedSchedule
    from generators.damage.apply import Damage, apply_damage
    from generators.errors import InvalidInput, TopofinderError, Unsupported
    from generators.formats.by_suffix import read_topology, write_topology
    from generators.formats.graphs import from_networkx, to_networkx
    from generators.topology import Topology
    from generators.version import __version__
    from reports.plots.picture import Picture
    from topofinder.api.atlas import atlas
    from topofinder.api.build import build
    from topofinder.api.check import check
    from topofinder.api.discover import discover
    from topofinder.api.discover_range import discover_range
    from topofinder.api.discover_status import discovery_status
    from topofinder.api.doctor import doctor
    from topofinder.api.draw import draw
    from topofinder.api.export import export
    from topofinder.api.fit import fit
    from topofinder.api.inventory import inventory
    from topofinder.api.load_save import load, save
    from topofinder.api.merge import export_db, merge
    from topofinder.api.merge_graph import merge_graph
    from topofinder.api.plan import plan
    from topofinder.api.plan_jobs import plan_jobs
    from topofinder.api.plan_phases import plan_phases
    from topofinder.api.query import QueryResult, query
    from topofinder.api.replay import replay
    from topofinder.api.replay_journal import replay_journal
    from topofinder.api.report import report
    from topofinder.api.reproduce.everything import reproduce_all
    from topofinder.api.reproduce.use_case import reproduce
    from topofinder.api.run import run
    from topofinder.api.schedule import schedule
    from topofinder.api.search import Frontier, search
    from topofinder.api.search_hosts import HostFrontier, search_hosts
    from topofinder.api.search_link_rates import RatedWirings, search_link_rates
    from topofinder.api.search_moves import ReachedWiring, search_moves
    from topofinder.api.shared.answer import Answer
    from topofinder.api.shared.workloads import read_workload
    from topofinder.api.show import show
    from topofinder.api.sweep import sweep
    from topofinder.api.throughput import Throughput, throughput
    from topofinder.api.throughputs import Throughputs, throughputs
    from topofinder.api.train import Training, train
    from topofinder.api.verify import verify
    from topofinder.api.warm import warm
    from topofinder.finder.prediction import best_known, predict
    from topofinder.model.candidate import Candidate, LinkMode
    from topofinder.model.certificate import Certificate
    from topofinder.model.forest import Forest
    from topofinder.model.inventory.document import Inventory
    from topofinder.model.inventory.ports import inventory_schema
    from topofinder.model.plan import Plan
    from topofinder.model.timetable import Timetable
    from topofinder.model.training_model import TrainingModel
    from topofinder.model.workload import Workload
    from topofinder.schedules.bfb.evaluation import evaluate
    from topofinder.simulation.alpha_beta import simulate

_HOMES = {
    "Answer": "topofinder.api.shared.answer",
    "Candidate": "topofinder.model.candidate",
    "Certificate": "topofinder.model.certificate",
    "Collective": "expansions.collective",
    "Cost": "expansions.cost",
    "Damage": "generators.damage.apply",
    "Forest": "topofinder.model.forest",
    "Frontier": "topofinder.api.search",
    "HostFrontier": "topofinder.api.search_hosts",
    "InvalidInput": "generators.errors",
    "Inventory": "topofinder.model.inventory.document",
    "LinkMode": "topofinder.model.candidate",
    "Picture": "reports.plots.picture",
    "Plan": "topofinder.model.plan",
    "QueryResult": "topofinder.api.query",
    "RatedWirings": "topofinder.api.search_link_rates",
    "ReachedWiring": "topofinder.api.search_moves",
    "Recipe": "expansions.recipe",
    "SavedSchedule": "expansions.schedule_files.saved",
    "Schedule": "expansions.schedule",
    "Throughput": "topofinder.api.throughput",
    "Throughputs": "topofinder.api.throughputs",
    "Timetable": "topofinder.model.timetable",
    "TopofinderError": "generators.errors",
    "Topology": "generators.topology",
    "Training": "topofinder.api.train",
    "TrainingModel": "topofinder.model.training_model",
    "Unsupported": "generators.errors",
    "Workload": "topofinder.model.workload",
    "__version__": "generators.version",
    "apply_damage": "generators.damage.apply",
    "atlas": "topofinder.api.atlas",
    "best_known": "topofinder.finder.prediction",
    "build": "topofinder.api.build",
    "check": "topofinder.api.check",
    "discover": "topofinder.api.discover",
    "discover_range": "topofinder.api.discover_range",
    "discovery_status": "topofinder.api.discover_status",
    "doctor": "topofinder.api.doctor",
    "draw": "topofinder.api.draw",
    "evaluate": "topofinder.schedules.bfb.evaluation",
    "export": "topofinder.api.export",
    "export_db": "topofinder.api.merge",
    "fit": "topofinder.api.fit",
    "from_networkx": "generators.formats.graphs",
    "inventory": "topofinder.api.inventory",
    "inventory_schema": "topofinder.model.inventory.ports",
    "load": "topofinder.api.load_save",
    "merge": "topofinder.api.merge",
    "merge_graph": "topofinder.api.merge_graph",
    "parse": "expansions.parser",
    "plan": "topofinder.api.plan",
    "plan_jobs": "topofinder.api.plan_jobs",
    "plan_phases": "topofinder.api.plan_phases",
    "predict": "topofinder.finder.prediction",
    "query": "topofinder.api.query",
    "read_topology": "generators.formats.by_suffix",
    "read_workload": "topofinder.api.shared.workloads",
    "replay": "topofinder.api.replay",
    "replay_journal": "topofinder.api.replay_journal",
    "report": "topofinder.api.report",
    "reproduce": "topofinder.api.reproduce.use_case",
    "reproduce_all": "topofinder.api.reproduce.everything",
    "run": "topofinder.api.run",
    "save": "topofinder.api.load_save",
    "schedule": "topofinder.api.schedule",
    "search": "topofinder.api.search",
    "search_hosts": "topofinder.api.search_hosts",
    "search_link_rates": "topofinder.api.search_link_rates",
    "search_moves": "topofinder.api.search_moves",
    "show": "topofinder.api.show",
    "simulate": "topofinder.simulation.alpha_beta",
    "sweep": "topofinder.api.sweep",
    "throughput": "topofinder.api.throughput",
    "throughputs": "topofinder.api.throughputs",
    "to_networkx": "generators.formats.graphs",
    "train": "topofinder.api.train",
    "verify": "topofinder.api.verify",
    "warm": "topofinder.api.warm",
    "write_topology": "generators.formats.by_suffix",
}
"""Where each public name is defined; those who read the code alone see the imports above."""

__all__ = [
    "Answer",
    "Candidate",
    "Certificate",
    "Collective",
    "Cost",
    "Damage",
    "Forest",
    "Frontier",
    "HostFrontier",
    "InvalidInput",
    "Inventory",
    "LinkMode",
    "Picture",
    "Plan",
    "QueryResult",
    "RatedWirings",
    "ReachedWiring",
    "Recipe",
    "SavedSchedule",
    "Schedule",
    "Throughput",
    "Throughputs",
    "Timetable",
    "TopofinderError",
    "Topology",
    "Training",
    "TrainingModel",
    "Unsupported",
    "Workload",
    "__version__",
    "apply_damage",
    "atlas",
    "best_known",
    "build",
    "check",
    "discover",
    "discover_range",
    "discovery_status",
    "doctor",
    "draw",
    "evaluate",
    "export",
    "export_db",
    "fit",
    "from_networkx",
    "inventory",
    "inventory_schema",
    "load",
    "merge",
    "merge_graph",
    "parse",
    "plan",
    "plan_jobs",
    "plan_phases",
    "predict",
    "query",
    "read_topology",
    "read_workload",
    "replay",
    "replay_journal",
    "report",
    "reproduce",
    "reproduce_all",
    "run",
    "save",
    "schedule",
    "search",
    "search_hosts",
    "search_link_rates",
    "search_moves",
    "show",
    "simulate",
    "sweep",
    "throughput",
    "throughputs",
    "to_networkx",
    "train",
    "verify",
    "warm",
    "write_topology",
]


def __getattr__(name: str) -> "Any":
    if name not in _HOMES:
        raise AttributeError(f"module 'topofinder' has no attribute {name!r}")
    require_own_packages()
    found = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
