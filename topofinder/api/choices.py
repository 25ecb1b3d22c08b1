"""The words that options take, from the registers, plugins included: for the help of commands."""

from topofinder.alltoall.demand.patterns import pattern_signatures
from topofinder.alltoall.register import method_names
from topofinder.api import registers as registers  # enters the schedule methods
from topofinder.api.reproduce.register import REPRODUCTIONS
from topofinder.exporters.register import exporters_of
from topofinder.schedules.register import schedule_method_names


def schedule_methods() -> list[str]:
    """How a schedule may be made, `auto` first."""
    return list(schedule_method_names())


def throughput_methods() -> list[str]:
    """How a throughput may be bounded, `auto` first."""
    return list(method_names())


def demand_patterns() -> list[str]:
    """How every pattern of who sends to whom is written."""
    return list(pattern_signatures())


def route_suffixes() -> list[str]:
    """Suffixes of files of routes."""
    return list(dict.fromkeys(exporter.suffix for exporter in exporters_of("routes")))


def transfer_formats() -> list[str]:
    """Formats of other programs that schedules, forests and timetables are written in."""
    return [exporter.name for exporter in exporters_of("transfers")]


def reproductions() -> list[str]:
    """The tables and figures that can be worked out anew."""
    return list(REPRODUCTIONS)
