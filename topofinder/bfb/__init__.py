"""Breadth-first broadcast: the exact cost of the best BFB schedule of any topology."""
