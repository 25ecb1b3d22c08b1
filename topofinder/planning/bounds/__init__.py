"""Proved lower bounds on the moves: what no assignment of hosts can avoid."""
