"""Routes out of flows: weighted paths for each pair, one path for each, and files for routers."""
