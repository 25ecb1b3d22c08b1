"""Times in the alpha-beta model: with a barrier after every step, and without barriers."""
