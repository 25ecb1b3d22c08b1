"""Who sends how much to whom: named traffic patterns, and demand matrices from files."""
