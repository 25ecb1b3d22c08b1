"""Answers in the formats of other programs."""

from topofinder.exporters import route_files as route_files
