"""Distance-regular graphs of degree 4 (the paper's table 8): the family DistReg."""

from generators.distance_regular.catalogue import CATALOGUE, Entry
from generators.distance_regular.family import canonical, distance_regular, members, promise

__all__ = ["CATALOGUE", "Entry", "canonical", "distance_regular", "members", "promise"]
