"""Plots by matplotlib: functions from plain values to figures, the same bytes every time."""
