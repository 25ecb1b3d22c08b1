"""Patch moves from the wiring in place to a target: who plays which node, and what stays."""
