"""Importing this module fills the register with every baseline."""

from topofinder.schedules.baselines import complete, double_binary_tree, rings, torus
from topofinder.schedules.baselines.register import BASELINES

__all__ = ["BASELINES", "complete", "double_binary_tree", "rings", "torus"]
