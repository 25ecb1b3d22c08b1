"""The alpha-beta model played out: with a barrier after every step, and without barriers."""

from topofinder.simulate.alpha_beta import Simulation, simulate

__all__ = ["Simulation", "simulate"]
