"""Schedules in files, with the topology they run on: one binary format, one readable."""

from expansions.schedule_files.by_suffix import most_rows, read_schedule, write_schedule
from expansions.schedule_files.digest import content_digest, topology_digest
from expansions.schedule_files.saved import SavedSchedule

__all__ = [
    "SavedSchedule",
    "content_digest",
    "most_rows",
    "read_schedule",
    "topology_digest",
    "write_schedule",
]
