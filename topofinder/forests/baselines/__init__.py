"""Customary collectives on any graph: patterns of trees, mapped by shortest routes."""
