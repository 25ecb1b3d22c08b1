"""Solvers of maximum concurrent flow, and what makes their answers exact."""
