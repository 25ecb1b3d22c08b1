"""Schedules in files, with the topology they run on: one binary format, one readable."""
