"""Least-bandwidth allgathers of small graphs, beyond breadth-first broadcast, by a MILP."""
