"""Who sends how much to whom: named traffic patterns, and demand matrices from files."""

from topofinder.demand.patterns import pattern
from topofinder.demand.reading import read_demand

__all__ = ["pattern", "read_demand"]
