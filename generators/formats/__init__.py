"""Topologies in files: GraphML, node-link JSON and edge lists; and as networkx graphs.

Exact both ways: node and arc order, names, switches, capacities and latencies. Files from
strangers are data: sizes are bounded, and whatever is wrong is refused with one line.
"""
