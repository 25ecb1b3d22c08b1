"""Schedules that a recipe implies: of its base graph, through its maps, for each collective."""
