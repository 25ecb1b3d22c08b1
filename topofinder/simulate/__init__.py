"""The alpha-beta model played out: with a barrier after every step, and without barriers."""
