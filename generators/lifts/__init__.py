"""Lifts of a base graph by a group: digraphs and graphs on m s nodes that a group of s acts on.

`notation` reads the recipe's rows and writes the canonical ones, `family` makes the graph.
"""
