"""Replay of plans, by code that shares nothing with the planner but the nouns."""
