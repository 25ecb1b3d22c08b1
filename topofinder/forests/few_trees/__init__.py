"""Forests of few trees, and low ones: trees whose edges are moved until they fit."""
