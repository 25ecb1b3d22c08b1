"""Grafts of graphs of nearly the right size, their repair, and annealing of general digraphs."""
