"""ForestColl: spanning trees that reach the optimal throughput, in the paper's own order."""
