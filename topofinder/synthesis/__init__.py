"""Least-bandwidth allgathers of small graphs, beyond breadth-first broadcast, by a MILP."""

from topofinder.synthesis.schedule import ChunkSchedule
from topofinder.synthesis.shipped import synthesised
from topofinder.synthesis.synthesise import synthesise

__all__ = ["ChunkSchedule", "synthesise", "synthesised"]
