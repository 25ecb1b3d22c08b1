"""Routes out of flows: weighted paths for each pair, or one path for each."""
