"""Published tables and figures, made again."""
