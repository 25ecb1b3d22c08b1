"""All-to-all throughput as it is asked for, proved and kept."""
