"""Search for lifts of base graphs by cyclic groups that are cheap for breadth-first broadcast."""
