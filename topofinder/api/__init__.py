"""The use cases: one module a command, from its arguments to the stored answer."""
