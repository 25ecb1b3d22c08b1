"""Answers in the formats of other programs."""
