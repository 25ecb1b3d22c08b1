"""Certificates of throughputs in files: what proves both ends of an interval."""
