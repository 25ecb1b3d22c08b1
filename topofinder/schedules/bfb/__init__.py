"""Breadth-first broadcast: its exact costs, and schedules that reach them."""
