"""Throughput of all-to-all and of any other demand, as a certified interval; its methods."""
