"""The database in a browser, by Datasette, which is an optional extra."""

from topofinder.serving.metadata import metadata
from topofinder.serving.serve import serve

__all__ = ["metadata", "serve"]
