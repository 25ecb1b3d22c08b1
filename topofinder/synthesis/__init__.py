"""Least-bandwidth allgathers of small graphs, beyond breadth-first broadcast, by a MILP.

`topofinder.synthesis.synthesise` solves, `topofinder.synthesis.shipped` reads what is shipped.
"""
