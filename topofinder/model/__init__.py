"""The nouns of the engine and their files: no search and no solver."""
