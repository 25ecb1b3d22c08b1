"""Independent checks: they import nouns, and nothing that makes what they check."""
