"""Importing this module fills the register with every family."""

from generators import complete
from generators.registry import FAMILIES

__all__ = ["FAMILIES", "complete"]
