"""Least-bandwidth allgathers of small graphs, beyond breadth-first broadcast, by a MILP.

`schedules.synthesis.synthesise` solves, `schedules.synthesis.shipped` reads what is shipped.
"""
