"""Timed schedules: chunks in continuous time, beyond TACOS (Won et al., MICRO 2024)."""
