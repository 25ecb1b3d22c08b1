"""Forests as they are asked for, kept and checked."""
