"""Forests of each collective: routed, pruned where switches help, combined to an allreduce."""
