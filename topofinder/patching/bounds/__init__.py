"""Proved lower bounds on the moves from one wiring to another."""
