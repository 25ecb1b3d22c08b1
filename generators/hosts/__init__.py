"""Hosts as they are: some accelerators, what joins them inside, and optical ports that they own."""
