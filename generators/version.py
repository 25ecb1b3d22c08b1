"""The version of the distribution, kept where every floor can read it."""

__version__ = "1.0.0"
