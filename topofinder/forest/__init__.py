"""Throughput-optimal spanning trees for any fabric (ForestColl)."""
