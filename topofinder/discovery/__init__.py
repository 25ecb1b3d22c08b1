"""Search for Cayley digraphs that are cheap for breadth-first broadcast."""
