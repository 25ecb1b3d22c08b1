"""Base graphs, and the noun Topology that they make."""
