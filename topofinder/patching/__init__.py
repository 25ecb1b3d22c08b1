"""Plans of patch moves: which circuits are made on which ports, in which stages, how to undo it."""
