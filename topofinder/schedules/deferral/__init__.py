"""Deferred broadcast: no shard comes later than within the diameter, and links are seldom idle."""
